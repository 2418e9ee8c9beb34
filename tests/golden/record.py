"""Record the golden files: `cd tests && python -m golden.record`.

Answers (`recorded/answers`) are what the verbs return now. They are recorded again with `--again`, which lists
every difference: a change of a number is a change of a result, and belongs in the changelog.

Stored files (`recorded/files`) are what a version of polyroc wrote. A file that is absent is written; until the
first release results are written again with `--again`, after it never, because later versions have to read them.
"""

import argparse
import json
import sys
import warnings

from golden import answers, files
from golden.plain import differences, is_number


def main(arguments=None):
    """Record what is absent; with --again also what has changed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="replace recorded answers that have changed")
    again = parser.parse_args(arguments).again
    if files.ANSWER_FILES.exists() and not again:
        sys.exit(f"{files.ANSWER_FILES} exists; run with --again to list the differences and replace the answers.")
    files.ANSWER_FILES.mkdir(parents=True, exist_ok=True)
    _record_files(again)
    _record_answers()


def _record_answers():
    old, new = read_answers(), {}
    for name in answers.ANSWERS:
        computed = answers.answer(name)
        changes = list(differences(old[name], computed)) if name in old else []
        for change in changes:
            _print_change(name, *change)
        # an unchanged answer keeps its recorded digits, so that only changes show up in version control
        new[name] = old[name] if name in old and not changes else computed
    for name in old.keys() - new.keys():
        _print(f"removed: {name}")
    for path in files.ANSWER_FILES.glob("*.json"):
        path.unlink()
    for verb in {name.split("/")[0] for name in new}:
        chosen = {name: value for name, value in sorted(new.items()) if name.split("/")[0] == verb}
        (files.ANSWER_FILES / f"{verb}.json").write_text(_lines(chosen), encoding="utf-8", newline="\n")


def read_answers():
    """The recorded answers by name."""
    recorded = {}
    for path in sorted(files.ANSWER_FILES.glob("*.json")):
        recorded |= json.loads(path.read_text(encoding="utf-8"))
    return recorded


def _lines(chosen):
    """JSON with one line per answer: small, and version control shows which answers changed."""
    lines = [f"{json.dumps(name)}:{json.dumps(value, separators=(',', ':'))}" for name, value in chosen.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _print_change(name, path, old, new):
    kind = "number" if is_number(old) and is_number(new) else "text or structure"
    _print(f"{kind}: {name}{path}: {old!r} -> {new!r}")


def _print(text):
    sys.stdout.write(f"{text}\n")


def _record_files(again):
    for path, make in files.contents().items():
        is_result = path.stem in files.RESULTS
        if path.exists() and not (again and is_result):
            continue
        made = _quietly(make)
        if path.exists() and not list(differences(json.loads(path.read_bytes()), json.loads(made))):
            continue
        path.write_bytes(made)
        _print(f"stored: {path.name}")


def _quietly(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


if __name__ == "__main__":
    main()
