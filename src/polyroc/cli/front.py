"""The command `front`: which errors can be traded for which."""

import json
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import data_file, formats, progress_bar, scores_from
from polyroc.cli.rendering import Format, Page, Row, as_csv, printable, render
from polyroc.errors import InputError
from polyroc.results.front import Front
from polyroc.results.result import number_text
from polyroc.results.volume import volume_shares

__all__ = ["front"]


@click.command(short_help="Which errors can be traded for which: the front of error rates, and its volume.")
@data_file
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
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of costs and points.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Store the front here: .npz or .json."
)
@formats
def front(
    file: Path,
    draws: int,
    alpha: tuple[str, ...],
    bound: tuple[str, ...],
    points: int,
    seed: int,
    out: Path | None,
    output: Format | None,
    **columns: Any,
) -> int:
    """Vary the costs of errors and keep the operating points that no other one beats in every error.

    The table has the generalised Gini coefficient G of each classifier's front (0: no better than chance, 1: no
    errors) and, for each other classifier, the volume that is dominated by this front and not by the other's.
    --csv gives the points themselves. Give cases that the classifiers have not seen.

    \b
    The front:      polyroc front irises.parquet --truth species --scores 'p_*' --out front.npz
    Known costs:    polyroc front p.csv --truth y --scores 'p_*' --bound 'sick>well:well>sick=2,10'
    Two models:     polyroc front wide.csv --truth y --scores rf=rf_* --scores lr=lr_*
    """
    from polyroc.fronts.sweeping import front as find

    alphas, bounds = _alphas(alpha), dict(_bound(text) for text in bound) or None
    with progress_bar() as progress:
        scores = scores_from(file, **columns)
        if out is not None and len(scores.classifiers) > 1:
            many = len(scores.classifiers)
            raise InputError(f"--out stores one front, but FILE holds {many} classifiers; give one with --scores.")
        made = find(scores, n=draws, alpha=alphas, bounds=bounds, rng=seed, progress=progress)
    found = {made.classifier: made} if isinstance(made, Front) else made
    if out is not None:
        next(iter(found.values())).save(out)
    if output == "csv":
        click.echo(as_csv([row for each in found.values() for row in each.rows()]))
        return 0
    volumes = _volumes(found, points, seed)
    if output == "json":
        records = [{**each.to_dict(), **volumes[name]} for name, each in found.items()]
        click.echo(json.dumps(records[0] if len(records) == 1 else records))
    else:
        click.echo(render(_page(found, volumes, file.name), output))
    return 0


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


def _volumes(found: dict[str, Front], points: int, seed: int) -> dict[str, dict[str, Any]]:
    """By classifier, G and the volumes that only its front dominates, all on the same random points."""
    table = volume_shares([each.rates for each in found.values()], points, seed)
    names, told = list(found), {}
    for a, name in enumerate(names):
        others = {other: table[a][b].value for b, other in enumerate(names) if b != a}
        gini = table[a][a]
        told[name] = {"gini": gini.value, "gini_standard_error": gini.standard_error, "exclusive": others}
    return told


def _page(found: dict[str, Front], volumes: dict[str, dict[str, Any]], source: str) -> Page:
    table: list[Row] = []
    for name, each in found.items():
        own = volumes[name]
        row = {
            "classifier": printable(name),
            "points": str(len(each)),
            "G": number_text(own["gini"]),
            "std. error": f"{own['gini_standard_error']:.2g}",
        }
        if not each.exact:
            row["G rose lately"] = number_text(each.growth.lately)
        for other in found if len(found) > 1 else ():
            row[f"not by {printable(other)}"] = number_text(own["exclusive"][other]) if other != name else ""
        table.append(row)
    if next(iter(found.values())).exact:
        notes = ["Every threshold was looked at; volumes are exact for these cases."]
    else:
        notes = [
            "G rose lately: over the second half of the draws; where it is not small, draw more (-n).",
            "The standard error is that of the random points alone, not of the cases.",
        ]
    return Page(f"{printable(source)}: fronts of error rates", table, notes)
