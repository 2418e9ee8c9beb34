"""The command `operate`: the best decision rule for given costs or limits, and its confusion rates."""

import csv
import json
from pathlib import Path
from typing import Any

import click

from polyroc.cli.front import needs_data
from polyroc.cli.help import Command
from polyroc.cli.options import (
    RESAMPLING,
    Files,
    add_options,
    column_options,
    data_from,
    formats,
    level_option,
    method_from,
    name_of,
    optional_data_files,
    print_result,
    progress_bar,
    small_file,
)
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.pages import point_page
from polyroc.errors import InputError, MissingFileError
from polyroc.fronts.models import PointClassifier
from polyroc.fronts.result import Front
from polyroc.output.files import write_file
from polyroc.output.text import Format

__all__ = ["operate"]

QUESTION = (
    click.option(
        "--costs",
        multiple=True,
        metavar="TRUE>DECISION=COST",
        help="Cost of an error, such as 'malignant>benign=10'; give it again for more (others cost 1). Or a "
        "CSV file (first column: true class; one column per decision), or JSON rows in the order of the classes.",
    ),
    click.option(
        "--priors",
        metavar="A=P,B=Q",
        help="Class frequencies where the rule will be used, by class or in order; those of FILE by default.",
    ),
    click.option(
        "--at-most",
        multiple=True,
        metavar="TRUE>DECISION=SHARE",
        help="Largest rate of an error, such as 'malignant>benign=0.02'; give it again for more.",
    ),
    click.option(
        "--at-least",
        multiple=True,
        metavar="CLASS=SHARE",
        help="Least share of a class that must be decided rightly, such as 'nine=0.95'; give it again for more.",
    ),
    click.option(
        "--front",
        type=click.Path(path_type=Path),
        metavar="FRONT",
        help="Choose a point of this stored front instead of searching FILE.",
    ),
    click.option("--point", type=click.IntRange(0), metavar="N", help="With --front: the index of the point."),
    click.option(
        "--criterion",
        type=click.Choice(["youden", "closest"]),
        help="A criterion instead of costs: the largest sum of the rates of right decisions, or the rates "
        "closest to no errors.",
    ),
    click.option("--sensitivity", type=float, help="Two classes: least sensitivity; maximise specificity."),
    click.option("--specificity", type=float, help="Two classes: least specificity; maximise sensitivity."),
    click.option("--calibrated", is_flag=True, help="Trust the probabilities: Bayes' rule, not fitted to FILE."),
    click.option("--only", "name", metavar="NAME", help="The classifier, if FILE holds several."),
    click.option(
        "--evaluate-on",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Other cases to evaluate the rule on.",
    ),
    click.option("--rule", type=click.Path(path_type=Path), metavar="OUT", help="Store the rule as JSON here."),
    click.option(
        "--method",
        default="influence",
        show_default=True,
        type=click.Choice(["influence", "bootstrap"]),
        help="Standard errors: of the chosen rule as it is (influence); or repeat the choice in resamples "
        "(bootstrap), which corrects the rates for the choice and gives intervals of thresholds and cut-points.",
    ),
    *RESAMPLING,
)


@click.command(cls=Command)
@optional_data_files
@add_options(*QUESTION)
@column_options("engine", "memory", "exact")
@level_option
@formats
def operate(
    file: Files | None,
    costs: tuple[str, ...],
    priors: str | None,
    at_most: tuple[str, ...],
    at_least: tuple[str, ...],
    name: str | None,
    evaluate_on: Path | None,
    rule: Path | None,
    method: str,
    replicates: int,
    rng: int,
    level: float,
    output: Format | None,
    front: Path | None,
    point: int | None,
    criterion: Any,
    sensitivity: float | None,
    specificity: float | None,
    calibrated: bool,
    **columns: Any,
) -> int:
    """Choose the rule of least expected cost (or within limits, or by a criterion) on FILE, and evaluate it.

    Or choose a point of a front that `polyroc front -o` stored; if it was searched over a family of
    classifiers, --rule stores the whole classifier.

    \b
    Costs:       polyroc operate p.csv --truth y --scores "p_*" --costs "malignant>benign=10"
    A limit:     polyroc operate p.csv --truth y --scores "p_*" --at-most "malignant>benign=0.02"
    Two classes: polyroc operate s.csv --truth sick --scores risk --criterion youden --method bootstrap
    Cut-points:  polyroc operate s.csv --truth stage --scores marker --labels none,mild,severe --criterion youden
    Deploy:      polyroc operate p.csv --truth y --scores "p_*" --evaluate-on new.csv --rule rule.json
    A front:     polyroc operate --front front.npz --at-most "malignant>benign=0.02" --rule rule.json
    Large files: polyroc operate "s/*.parquet" --truth y --scores "p_*" --costs costs.csv --calibrated
    """
    from polyroc.decisions.operate import operate as compute

    with progress_bar() as progress:
        source, options = _source(file, front, columns)
        result = compute(
            source,
            costs=_costs(costs),
            priors=_priors(priors),
            at_most=dict(_pair(text, "--at-most") for text in at_most) or None,
            at_least=dict(_class_share(text) for text in at_least) or None,
            point=point,
            criterion=criterion,
            sensitivity=sensitivity,
            specificity=specificity,
            calibrated=calibrated,
            evaluate_on=None if evaluate_on is None else _others(evaluate_on, source, columns),
            method=method_from(method, replicates, rng),
            rng=rng,
            only=name,
            progress=progress,
            **options,
        )
    if rule is not None:
        write_file(rule, _deployable(source, result) + "\n")
    print_result(
        output,
        record=lambda: result.to_dict(level),
        rows=lambda: result.rows(level),
        table=lambda: point_page(result, level, name_of(evaluate_on or front or needs_data(file, columns))),
    )
    return 0


def _source(file: Files | None, front: Path | None, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The first argument of the verb, scores, files or a front, and its other options."""
    if front is None:
        return data_from("operate", needs_data(file, columns), columns)
    if file is not None:
        raise InputError("Give FILE or --front, not both; give other cases to evaluate on as --evaluate-on.")
    return Front.load(front), {}


def _others(evaluate_on: Path, source: Any, columns: dict[str, Any]) -> Any:
    """The cases to evaluate on, read in the same way as those the rule is chosen from."""
    needs_data(evaluate_on, columns)
    if isinstance(source, Front) and source.search is not None:
        raise InputError(
            "--evaluate-on takes predictions, but this front was searched over features; see Front.on."
        )
    others, _ = data_from("operate", evaluate_on, columns)
    return others


def _deployable(source: Any, chosen: OperatingPoint) -> str:
    """The JSON of the rule; of the classifier with its rule, if its parameters were searched too."""
    if isinstance(source, Front) and source.search is not None and chosen.point is not None:
        classifier = source.deploy(chosen.point)
        assert isinstance(classifier, PointClassifier)  # without a family= it is no other
        return classifier.to_json()
    return chosen.rule.to_json()


def _costs(texts: tuple[str, ...]) -> Any:
    """Costs by error, or all of them: from a CSV file or JSON rows."""
    if not texts:
        return None
    if len(texts) == 1 and texts[0].lstrip().startswith("["):
        try:
            return json.loads(texts[0])
        except ValueError as error:
            raise InputError(
                f"--costs must be JSON rows such as [[0,1],[5,0]], got {texts[0]!r} ({error})."
            ) from None
    if len(texts) == 1 and ">" not in texts[0]:
        return _costs_from(Path(texts[0]))
    return dict(_pair(text, "--costs") for text in texts)


def _costs_from(file: Path) -> dict[tuple[str, str], float]:
    try:
        lines = small_file(file).decode("utf-8-sig").splitlines(keepends=True)
        rows = [row for row in csv.reader(lines) if row]
    except FileNotFoundError:
        raise MissingFileError(
            f"--costs: there is no file {file}; write TRUE>DECISION=COST, or name a file."
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"--costs: {file} cannot be read as CSV ({error}).") from None
    head, body = (rows[0], rows[1:]) if rows else ([], [])
    names = [row[0] for row in body]
    if len(head) < 2 or sorted(head[1:]) != sorted(names) or any(len(row) != len(head) for row in body):
        raise InputError(
            f"--costs: {file} must have one row per true class and one column per decision, the same classes in "
            f"both; got rows {names} and columns {head[1:]}."
        )
    cells = ((row[0], decision, cell) for row in body for decision, cell in zip(head[1:], row[1:], strict=True))
    return {(true, decision): _number(cell, "--costs") for true, decision, cell in cells}


def _pair(text: str, option: str) -> tuple[tuple[str, str], float]:
    pair, sign, value = text.rpartition("=")
    true, arrow, decision = pair.partition(">")
    if not sign or not arrow:
        raise InputError(f"{option} must be TRUE>DECISION=NUMBER, such as 'malignant>benign=10', got {text!r}.")
    return (true.strip(), decision.strip()), _number(value, option)


def _class_share(text: str) -> tuple[str, float]:
    name, sign, share = text.rpartition("=")
    if not sign:
        raise InputError(f"--at-least must be CLASS=SHARE, such as 'nine=0.95', got {text!r}.")
    return name.strip(), _number(share, "--at-least")


def _priors(text: str | None) -> Any:
    if text is None:
        return None
    parts = text.split(",")
    if not any("=" in part for part in parts):
        return [_number(part, "--priors") for part in parts]
    pairs = [part.rpartition("=") for part in parts]
    return {name.strip(): _number(value, "--priors") for name, _, value in pairs}


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} must hold numbers, got {text!r}.") from None
