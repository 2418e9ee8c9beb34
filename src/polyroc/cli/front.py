"""The command `front`: which errors can be traded for which."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import click

from polyroc.cli.options import formats, optional_data_file, progress_bar, scores_from
from polyroc.cli.stored import is_front, needs_data
from polyroc.errors import InputError
from polyroc.fronts.held_out import HeldOut
from polyroc.fronts.result import Front
from polyroc.output.csv import as_csv
from polyroc.output.numbers import number_text
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format, render
from polyroc.scores import Scores

__all__ = ["front"]

STOPPED = 130  # the exit code of what ctrl-C has ended

Searched: TypeAlias = tuple[dict[str, Front], dict[str, HeldOut]]


@click.command(short_help="Which errors can be traded for which: the front of error rates, and its volume.")
@optional_data_file
@click.option("-n", "draws", default=10_000, show_default=True, type=click.IntRange(1), help="Cost vectors drawn.")
@click.option(
    "--alpha",
    multiple=True,
    metavar="TRUE>SAID=ALPHA",
    help="Dirichlet parameter of the cost of an error, such as 'malignant>benign=20'; give it again for more "
    "(others have 1). One bare number is for all errors.",
)
@click.option(
    "--bound",
    multiple=True,
    metavar="TRUE>SAID:TRUE>SAID=LOW,HIGH",
    help="Between what the cost of one error over that of another lies, such as 'sick>well:well>sick=2,10'; give "
    "it again for more.",
)
@click.option(
    "--points",
    default=10**6,
    show_default=True,
    type=click.IntRange(1),
    help="Random points volumes are counted on.",
)
@click.option("--exact", is_flag=True, help="Exact volumes instead: for three classes, or small fronts of more.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of costs and points.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FRONT", help="Store the front here: .npz or .json."
)
@click.option(
    "--test",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Other cases, with the same columns: what G is left of the front there.",
)
@click.option(
    "--against",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FRONT",
    help="A stored front to set beside it; give it again for more.",
)
@formats
def front(
    file: Path | None,
    out: Path | None,
    test: Path | None,
    against: tuple[Path, ...],
    points: int | None,
    exact: bool,
    seed: int,
    output: Format | None,
    **asked: Any,
) -> int:
    """Vary the costs of errors and keep the operating points that no other one beats in every error.

    The table has the generalised Gini coefficient G of each classifier's front (0: no better than chance, 1: no
    errors) and, for each other front, the volume that is dominated by this one and not by the other. FILE may be a
    stored front: then nothing is searched. --csv gives the points themselves. Give cases that the classifiers have
    not seen.

    \b
    The front:      polyroc front irises.parquet --truth species --scores 'p_*' -o front.npz
    Known costs:    polyroc front p.csv --truth y --scores 'p_*' --bound 'sick>well:well>sick=2,10'
    Two models:     polyroc front wide.csv --truth y --scores rf=rf_* --scores lr=lr_*
    Optimism:       polyroc front train.csv --truth y --scores 'p_*' --test test.csv
    Stored fronts:  polyroc front forest.npz --against logit.npz
    """
    _check_out(out)
    points = None if exact else points
    others = {path.stem: Front.load(path) for path in against}
    if file is not None and is_front(file):
        if out is not None or test is not None:
            raise InputError("--out and --test go with a data file, but FILE is a stored front.")
        made: Searched = {file.stem: Front.load(file)}, {}
    else:
        file = needs_data(file, asked)
        made = _search(file, out, test, points, seed, **asked)
    found, held = made
    short = [each for each in found.values() if each.interrupted]
    if taken := sorted(set(found) & set(others)):
        raise InputError(f"Two fronts are called {taken[0]!r}; rename a file.")
    if out is not None:
        next(iter(found.values())).save(out)
    if output == "csv":
        click.echo(as_csv([row for each in found.values() for row in each.rows()]))
        return STOPPED if short else 0
    found |= others
    volumes = _volumes(found, held, points, seed)
    if output == "json":
        records = [{**each.to_dict(), **volumes[name]} for name, each in found.items()]
        click.echo(json.dumps(records[0] if len(records) == 1 else records))
    else:
        click.echo(render(_table(found, volumes, file.name), output))
    return STOPPED if short else 0


def _check_out(out: Path | None) -> None:
    """Complain before the search; only a stored front is ever overwritten."""
    if out is None:
        return
    if not out.parent.is_dir():
        raise InputError(f"--out: there is no folder {str(out.parent)!r} to store a front in; make it first.")
    if out.exists() and not is_front(out):
        raise InputError(f"--out: {str(out)!r} exists and is no stored front; give another name.")


def _search(
    file: Path,
    out: Path | None,
    test: Path | None,
    points: int | None,
    seed: int,
    *,
    draws: int,
    alpha: tuple[str, ...],
    bound: tuple[str, ...],
    **columns: Any,
) -> Searched:
    """The front of each classifier in the file, and what is left of it on other cases."""
    from polyroc.fronts.fixed_classifier import fixed_front as find

    alphas, bounds = _alphas(alpha), dict(_bound(text) for text in bound) or None
    with progress_bar() as progress:
        scores = scores_from(file, **columns)
        others = None if test is None else scores_from(test, **columns)
        if out is not None and len(scores.classifiers) > 1:
            many = len(scores.classifiers)
            raise InputError(f"--out stores one front, but FILE holds {many} classifiers; give one with --scores.")
        made = find(scores, n=draws, alpha=alphas, bounds=bounds, rng=seed, progress=progress)
        found = {made.classifier: made} if isinstance(made, Front) else made
        if others is None:
            return found, {}
        return found, {name: _judged(each, others, name, points, seed) for name, each in found.items()}


def _judged(found: Front, others: Scores, name: str, points: int | None, seed: int) -> HeldOut:
    if name not in others.values:
        raise InputError(f"--test has no scores of {name!r}, only of {', '.join(map(repr, others.classifiers))}.")
    one = replace(others, values={name: others.values[name]})
    return found.evaluated(one, n_points=points, rng=seed)


def _alphas(given: tuple[str, ...]) -> Any:
    if len(given) == 1 and ">" not in given[0]:
        return _number(given[0], "--alpha")
    return {_error(error, "--alpha"): _number(value, "--alpha") for error, _, value in map(_split, given)}


def _bound(text: str) -> tuple[Any, Any]:
    errors, _, ends = _split(text)
    pair, range_ = errors.split(":"), ends.split(",")
    if len(pair) != 2 or len(range_) != 2:
        raise InputError(f"--bound must be TRUE>SAID:TRUE>SAID=LOW,HIGH, got {text!r}.")
    one, two = (_error(each, "--bound") for each in pair)
    return (one, two), tuple(_number(end, "--bound") for end in range_)


def _split(text: str) -> tuple[str, str, str]:
    return text.rpartition("=")


def _error(text: str, option: str) -> tuple[str, str]:
    true, sign, said = text.partition(">")
    if not sign:
        raise InputError(f"{option} must name errors as TRUE>SAID, got {text!r}.")
    return true.strip(), said.strip()


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} must give numbers, got {text!r}.") from None


def _volumes(
    found: dict[str, Front], held: dict[str, HeldOut], points: int | None, seed: int
) -> dict[str, dict[str, Any]]:
    """By front, G and the volumes that only it dominates, all on the same random points; and G on other cases."""
    from polyroc.fronts.volume_table import front_volumes

    table = front_volumes(found, n_points=points, rng=seed)
    told: dict[str, dict[str, Any]] = {}
    for name in found:
        gini = table.gini(name)
        told[name] = {
            "gini": gini.value,
            "gini_standard_error": gini.standard_error,
            "exclusive": {other: table.exclusive(name, other).value for other in found if other != name},
        }
        if name in held:
            told[name]["held_out"] = {"gini": held[name].gini.value, "optimism": held[name].optimism}
    return told


def _table(fronts: dict[str, Front], volumes: dict[str, dict[str, Any]], source: str) -> Table:
    exact = all(front.exact for front in fronts.values())
    rows = [_row(name, front, volumes, exact) for name, front in fronts.items()]
    notes = ["Every threshold was tried; volumes are exact for these cases."]
    if not exact:
        notes = [
            f"{name}: {front.convergence.replace('more of them', 'more (-n)')}" for name, front in fronts.items()
        ]
    if any(volume["gini_standard_error"] for volume in volumes.values()):
        notes.append("The standard error is that of the random points alone, not of the cases.")
    if len(fronts) > 1:
        notes.append(
            "not by: the share of the region below chance that this front dominates and the other does not."
        )
    if any("held_out" in volume for volume in volumes.values()):
        notes.append("G on test: of the same points on the other cases; optimism is how much less that is.")
    return Table.of(f"{source}: fronts of error rates", rows, notes)


def _row(name: str, front: Front, volumes: dict[str, dict[str, Any]], exact: bool) -> Row:
    volume = volumes[name]
    row = {
        "classifier": name,
        "points": str(len(front)),
        "G": number_text(volume["gini"]),
        "std. error": f"{volume['gini_standard_error']:.2g}",
    }
    if not exact:
        row["G rose lately"] = number_text(front.growth.lately)
    if any("held_out" in each for each in volumes.values()):
        held_out = volume.get("held_out", {})
        row["G on test"] = number_text(held_out["gini"]) if held_out else ""
        row["optimism"] = number_text(held_out["optimism"]) if held_out else ""
    for other in volumes if len(volumes) > 1 else ():
        row[f"not by {other}"] = number_text(volume["exclusive"][other]) if other != name else ""
    return row
