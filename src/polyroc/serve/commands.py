"""The command line and the call in Python that make what the page made."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["command_line", "data_options", "python_lines", "size_options", "term_options"]

OPTIONS = (  # arguments of `polyroc.read` that are options of the same name; the others have special forms
    *(
        "truth",
        "classifier",
        "case",
        "reader",
        "modality",
        "class_",
        "sample_weight",
        "weight_kind",
        "groups",
        "folds",
        "repeats",
        "sampling",
    ),
    *("pos_label", "missing", "decimal", "encoding", "table", "measure"),
)
_PLAIN = re.compile(r"[\w@%+=:,./*>-]+", re.ASCII)
_QUOTABLE = re.compile(r"[^\"$`\\!%^\x00-\x1f\x7f]*")  # the same between double quotes in every shell


def data_options(columns: Mapping[str, Any]) -> list[str] | None:
    """Columns as options of the command line; None if they cannot be written there.

    >>> data_options({"truth": "y", "scores": {"A": ["a"], "B": ["-b"]}, "labels": ["mild", "severe"]})
    ['--truth', 'y', '--scores', 'A=a', '--scores', 'B=-b', '--labels', 'mild,severe']
    """
    scores = columns["scores"]
    if not isinstance(scores, Mapping) and any("=" in column for column in scores):
        scores = {"classifier": scores}
    options = [part for name in OPTIONS if name in columns for part in (_option(name), str(columns[name]))]
    if isinstance(scores, Mapping):
        if any("=" in name or not name for name in scores):
            return None
        texts = [f"{name}={column}" for name, own in scores.items() for column in own]
    else:
        texts = [*scores]
    options[2:2] = [part for text in texts for part in ("--scores", text)]
    labels = columns.get("labels", [])
    if any("," in label or label != label.strip() for label in labels):
        return None
    options += ["--labels", ",".join(labels)] if labels else []
    return options + [part for name in columns.get("by", []) for part in ("--by", name)]


def term_options(terms: Mapping[str, Any]) -> list[str] | None:
    """The terms of an operating point as options of the command line; None if they cannot be written there.

    >>> term_options({"classifier": "lda", "costs": {("ill", "well"): 10.0}, "calibrated": True})
    ['--only', 'lda', '--costs', 'ill>well=10', '--calibrated']
    """
    options: list[str] = []
    for name, value in terms.items():
        if name == "calibrated":
            options.append("--calibrated")
        elif name == "costs":
            if any(">" in true for true, _ in value):
                return None
            pairs = [f"{true}>{called}={cost:.12g}" for (true, called), cost in value.items()]
            options += [part for pair in pairs for part in ("--costs", pair)]
        else:
            option = "--only" if name == "classifier" else f"--{name}"
            options += [option, f"{value:.12g}" if isinstance(value, float) else value]
    return options


def size_options(question: Mapping[str, Any]) -> list[str]:
    """A question about a sample size as options of the command line.

    >>> size_options({"measure": "auc", "value": 0.85, "ratio": [1.0, 2.0]})
    ['--measure', 'auc', '--value', '0.85', '--ratio', '1,2']
    """
    options = []
    for name, value in question.items():
        listed = value if isinstance(value, list) else [value]
        text = ",".join(f"{one:.12g}" if isinstance(one, float) else str(one) for one in listed)
        options += [_option(name), text]
    return options


def _option(name: str) -> str:
    return f"--{name.rstrip('_').replace('_', '-')}"


def command_line(command: str, arguments: Sequence[str] | None) -> str | None:
    """A line to paste into a shell; the first argument of a command with files is the file.

    >>> print(command_line("report", ["my file.csv", "--truth", "y", "--scores", "p_*"]))
    polyroc report "my file.csv" --truth y --scores "p_*"
    """
    if arguments is None:
        return None
    first, *others = arguments
    is_option_like = command != "sample-size" and first.startswith("-")  # a file that would be taken for an option
    return " ".join(["polyroc", command, *map(_quoted, [f"./{first}" if is_option_like else first, *others])])


def _quoted(text: str) -> str:
    """Quoted as every shell takes it if possible, else for those of Unix."""
    if _PLAIN.fullmatch(text) and not set(text) & set("*>%"):
        return text
    return f'"{text}"' if _QUOTABLE.fullmatch(text) else shlex.quote(text)


def python_lines(verb: str, name: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    r"""The same in Python.

    >>> print(*python_lines("report", "a.csv", {"truth": "y", "scores": ["p"]}, {"title": "a.csv"}), sep="\n")
    import polyroc as pr
    scores = pr.read('a.csv', truth='y', scores=['p'])
    pr.report(scores, title='a.csv')
    """
    if "reader" in columns:
        verb, reading_verb, result = "report", "reader_study", "study"
    else:
        reading_verb, result = "read", "scores"
    own = ["truth", "scores", *(key for key in columns if key not in ("truth", "scores"))]
    reading = ", ".join([repr(name), *(f"{key}={columns[key]!r}" for key in own)])
    more = "".join(f", {key}={value!r}" for key, value in options.items())
    call = f"pr.{verb}({result}{more})"
    return [
        "import polyroc as pr",
        f"{result} = pr.{reading_verb}({reading})",
        f"print({call})" if verb == "operate" else call,
    ]
