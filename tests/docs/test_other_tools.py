"""Code of pages about other tools that `test_docs` cannot run: on a stand-in, or by the other program."""

import contextlib
import re
import shutil
import subprocess
import sys
from types import ModuleType

import pytest

import pages

HOW_TO = pages.DOCS / "how_to"


def fenced(page, language):
    return [block.text for block in pages.blocks((HOW_TO / page).read_text()) if block.language == language]


class Mlflow(ModuleType):
    """Records what is logged, by the functions that the page calls."""

    def __init__(self):
        super().__init__("mlflow")
        self.metrics, self.files = {}, {}

    @contextlib.contextmanager
    def start_run(self):
        yield self

    def log_metrics(self, metrics):
        assert all(
            re.fullmatch(r"[\w.\- /]+", name) and isinstance(value, float) for name, value in metrics.items()
        )
        self.metrics |= metrics

    def log_dict(self, dictionary, artifact_file):
        self.files[artifact_file] = dictionary

    def log_figure(self, figure, artifact_file):
        self.files[artifact_file] = figure.get_size_inches()

    def log_artifact(self, local_path):
        self.files[local_path] = (pages.Path.cwd() / local_path).read_text()


@pytest.mark.slow
def test_mlflow(monkeypatch, tmp_path):
    import matplotlib.pyplot as plt

    import polyroc as pr

    stand_in = Mlflow()
    monkeypatch.setitem(sys.modules, "mlflow", stand_in)
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in pages.blocks((HOW_TO / "mlflow.md").read_text()):
        if block.language == "pycon":
            pages._prompts(block.text, names)
        elif block.language == "python":
            exec(block.text, names)
    assert len(stand_in.metrics) == 18
    assert {*stand_in.files} == {"evaluation.json", "evaluation.png", "report.html"}
    restored = pr.results.Evaluation.from_dict(stand_in.files["evaluation.json"])
    assert restored["lda", "hand_till"].value == stand_in.metrics["lda.hand_till"]
    plt.close("all")


def has_reticulate():
    script = "quit(status = !(requireNamespace('reticulate') && requireNamespace('pROC')))"
    return (
        shutil.which("Rscript") is not None
        and subprocess.run(["Rscript", "-e", script], capture_output=True, check=False).returncode == 0
    )


@pytest.mark.slow
def test_r(tmp_path):
    if not has_reticulate():
        pytest.skip("R with reticulate and pROC is not installed")
    code = "\n".join(fenced("r_users.md", "r"))
    environment = 'use_virtualenv("polyroc-env", required = TRUE)'
    assert environment in code
    (tmp_path / "page.R").write_text(code.replace(environment, f'use_python("{sys.executable}", required = TRUE)'))
    done = subprocess.run(["Rscript", "page.R"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = [line for block in fenced("r_users.md", "text")[1:] for line in block.splitlines()]
    assert done.stdout.splitlines() == shown
