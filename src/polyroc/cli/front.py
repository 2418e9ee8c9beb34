"""The command `front`: the Pareto front of error rates, and its volume."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import hypot
from pathlib import Path
from typing import Any, TypeAlias

import click

from polyroc.cli.help import Command
from polyroc.cli.options import (
    feature_matrix,
    features_from,
    formats,
    name_of,
    one_or_all,
    optional_data_file,
    out_option,
    print_result,
    progress_bar,
    require_truth,
    rng_option,
    scores_from,
)
from polyroc.errors import InputError
from polyroc.fronts.held_out import HeldOut
from polyroc.fronts.result import Front
from polyroc.output.numbers import number_text
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format
from polyroc.scores import Scores

__all__ = ["front", "is_front", "needs_data"]

INTERRUPTED = 130  # exit code after ctrl-C, as that of a shell
Searched: TypeAlias = tuple[dict[str, Front], dict[str, HeldOut]]
POINTS, FEW_POINTS = 10**6, 10**5  # random points; and with many classes
MANY = 6  # classes, beyond which volumes take long and errors over cases longer
HEAD = 200  # the kind of a stored result is within the first bytes of its JSON


@click.command(cls=Command)
@optional_data_file
@click.option(
    "-n",
    "--draws",
    type=click.IntRange(1),
    help="Number of cost vectors; by default 10,000 up to six classes, and more for more.",
)
@click.option(
    "--concentration",
    multiple=True,
    metavar="TRUE>DECISION=ALPHA",
    help="Draw costs from a Dirichlet distribution only, with this parameter of the cost of an error, such as "
    "'malignant>benign=20'; give it again for more (others have 1). One bare number is for all errors.",
)
@click.option(
    "--bounds",
    multiple=True,
    metavar="TRUE>DECISION:TRUE>DECISION=LOW,HIGH",
    help="Range of the ratio of two costs, such as 'sick>well:well>sick=2,10'; give it again for more.",
)
@click.option(
    "--points",
    type=click.IntRange(1),
    help="Random points for the Monte Carlo volumes; by default 1,000,000, from seven classes on 100,000.",
)
@click.option("--exact", is_flag=True, help="Exact volumes: for three classes, or small fronts of more.")
@rng_option
@out_option("FRONT", "Store the front here: .npz or .json.")
@click.option("--force", is_flag=True, help="Overwrite the front that --out names.")
@click.option(
    "--family",
    type=click.Choice(["logistic", "neighbours"]),
    help="Search over the parameters of a family of classifiers too; FILE then holds features, not predictions.",
)
@click.option(
    "--features",
    multiple=True,
    metavar="COLUMNS",
    help="With --family: columns of the features, by name or glob ('x_*'); give it again for more.",
)
@click.option(
    "--generations",
    default=2000,
    show_default=True,
    type=click.IntRange(0),
    help="With --family: number of generations of the search.",
)
@click.option(
    "--replicates",
    default=200,
    show_default=True,
    type=click.IntRange(2),
    help="With --test: groups of cases, left out in turn for the standard errors.",
)
@click.option(
    "--test",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Other cases, with the same columns: G of the same points there.",
)
@click.option(
    "--against",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FRONT",
    help="A stored front to compare with; give it again for more.",
)
@formats
def front(
    file: Path | None,
    out: Path | None,
    test: Path | None,
    against: tuple[Path, ...],
    points: int | None,
    exact: bool,
    rng: int,
    force: bool,
    output: Format | None,
    **options: Any,
) -> int:
    """Vary the costs of errors and keep the operating points that no other one dominates.

    The table has the generalised Gini coefficient G of each classifier's front (0: no better than chance, 1: no
    errors) and, for each other front, the volume that is dominated by this one and not by the other. FILE may be a
    stored front: then there is no search. --csv gives the points themselves. Use cases that the classifiers were
    not trained on.

    \b
    The front:      polyroc front irises.parquet --truth species --scores "p_*" -o front.npz
    Known costs:    polyroc front p.csv --truth y --scores "p_*" --bounds "sick>well:well>sick=2,10"
    Two models:     polyroc front wide.csv --truth y --scores rf=rf_* --scores lr=lr_*
    Optimism:       polyroc front train.csv --truth y --scores "p_*" --test test.csv
    A family:       polyroc front cases.csv --truth y --family logistic --features "x_*"
    Stored fronts:  polyroc front forest.npz --against logit.npz
    """
    _check_out(out, force)
    _check_family(**options)
    chosen = None if exact else points or POINTS
    others = {path.stem: Front.load(path) for path in against}
    if file is not None and is_front(file):
        if out is not None or test is not None:
            raise InputError("--out and --test go with a data file, but FILE is a stored front.")
        fronts, held_out = {file.stem: Front.load(file)}, dict[str, HeldOut]()
    else:
        file = needs_data(file, options)
        fronts, held_out = _search(file, out, test, chosen, rng, **options)
    if taken := sorted(set(fronts) & set(others)):
        raise InputError(f"Two fronts are called {taken[0]!r}; rename a file.")
    if out is not None:
        next(iter(fronts.values())).save(out)
    title, every = f"{name_of(file)}: fronts of error rates", {**fronts, **others}
    # --csv prints the points of the searched fronts and needs no volumes, which may take long
    chosen = FEW_POINTS if points is None and not exact and _many_classes(every) else chosen
    volumes = {} if output == "csv" else _volumes(every, held_out, chosen, rng)
    print_result(
        output,
        record=lambda: one_or_all([{**front.to_dict(), **volumes[name]} for name, front in every.items()]),
        rows=lambda: [row for front in fronts.values() for row in front.rows()],
        table=lambda: _table(title, every, volumes),
    )
    return INTERRUPTED if any(front.interrupted for front in fronts.values()) else 0


def _check_out(out: Path | None, force: bool) -> None:
    """Raise an error before the search; a stored front is overwritten by --force only, another file never."""
    if out is None:
        return
    if not out.parent.is_dir():
        raise InputError(f"--out: there is no folder {str(out.parent)!r} to store a front in; make it first.")
    if out.exists() and not is_front(out):
        raise InputError(f"--out: {str(out)!r} exists and is not a stored front; give another name.")
    if out.exists() and not force:
        raise InputError(f"--out: {str(out)!r} exists; give --force to overwrite it, or another name.")


def _check_family(family: str | None, features: tuple[str, ...], scores: tuple[str, ...], **_: Any) -> None:
    """Raise an error if --features and --family are not given together."""
    if family is None and features:
        raise InputError("--features are for a search over classifiers; give --family logistic or neighbours.")
    if family is not None and not features:
        raise InputError("--family needs the columns of the features; give --features, such as 'x_*'.")
    if family is not None and scores != ("*",):
        raise InputError("--family makes its own predictions; give --features instead of --scores.")


def _search(
    file: Path,
    out: Path | None,
    test: Path | None,
    points: int | None,
    rng: int,
    *,
    draws: int | None,
    concentration: tuple[str, ...],
    bounds: tuple[str, ...],
    family: str | None,
    features: tuple[str, ...],
    generations: int,
    replicates: int,
    **columns: Any,
) -> Searched:
    """The front of each classifier in the file or of a family, and its evaluation on other cases."""
    alphas, limits = _alphas(concentration), dict(_bound(text) for text in bounds) or None
    if family is not None:
        read: Callable[[Path], Any] = partial(features_from, features=features, **columns)
        run: Callable[..., Any] = partial(_search_family, family, generations=generations, draws=draws)
    else:
        from polyroc.fronts.front import front as of_predictions

        read, run = partial(scores_from, **columns), partial(of_predictions, draws=draws)
    with progress_bar() as progress:
        cases = read(file)
        others = None if test is None else read(test)
        if out is not None and family is None and len(cases.classifiers) > 1:
            many = len(cases.classifiers)
            raise InputError(f"--out stores one front, but FILE holds {many} classifiers; give one with --scores.")
        result = run(cases, concentration=alphas, bounds=limits, rng=rng, progress=progress)
        fronts = {result.classifier: result} if isinstance(result, Front) else result
        if others is None:
            return fronts, {}
        return fronts, {
            name: _evaluated(front, cases, others, name, points, replicates, rng) for name, front in fronts.items()
        }


def _search_family(family: str, cases: Scores, *, draws: int | None, **options: Any) -> Front:
    """The front of a family, searched on features."""
    from polyroc.fronts.families.logistic import LogisticFamily
    from polyroc.fronts.families.neighbours import NearestNeighbours
    from polyroc.fronts.search import search_front

    if draws is not None:
        raise InputError("-n is for the front of predictions; with --family, give --generations.")
    made = LogisticFamily() if family == "logistic" else NearestNeighbours()
    X, y = feature_matrix(cases)
    if options["concentration"] is None:
        del options["concentration"]
    return search_front(made, X, y, labels=cases.labels, sample_weight=cases.sample_weight, **options)


def _evaluated(
    front: Front, cases: Scores, others: Scores, name: str, points: int | None, replicates: int, rng: int
) -> HeldOut:
    """The front on other cases, with standard errors over the cases of both."""
    if front.search is not None:
        lacking = [feature for feature in cases.values if feature not in others.values]
        if lacking:
            raise InputError(f"--test has no feature {lacking[0]!r}.")
        held_out = front.on(*feature_matrix(others), sample_weight=others.sample_weight, n_points=points, rng=rng)
        mine, theirs = (front.decided(*feature_matrix(part), part.sample_weight) for part in (cases, others))
        return held_out.with_errors(mine, theirs, replicates, rng)
    if name not in others.values:
        raise InputError(f"--test has no scores of {name!r}, only of {', '.join(map(repr, others.classifiers))}.")
    own, other = (sample._replace(values={name: sample.values[name]}) for sample in (cases, others))
    held_out = front.evaluated(other, n_points=points, rng=rng)
    return held_out.with_errors(front.decided(own), front.decided(other), replicates, rng)


def _alphas(texts: tuple[str, ...]) -> Any:
    if not texts:
        return None
    if len(texts) == 1 and ">" not in texts[0]:
        return _number(texts[0], "--concentration")
    return {
        _error(error, "--concentration"): _number(value, "--concentration")
        for error, _, value in map(_split, texts)
    }


def _bound(text: str) -> tuple[Any, Any]:
    errors, _, ends = _split(text)
    pair, range_ = errors.split(":"), ends.split(",")
    if len(pair) != 2 or len(range_) != 2:
        raise InputError(f"--bounds must be TRUE>DECISION:TRUE>DECISION=LOW,HIGH, got {text!r}.")
    one, two = (_error(error, "--bounds") for error in pair)
    return (one, two), tuple(_number(end, "--bounds") for end in range_)


def _split(text: str) -> tuple[str, str, str]:
    return text.rpartition("=")


def _error(text: str, option: str) -> tuple[str, str]:
    true, sign, decision = text.partition(">")
    if not sign:
        raise InputError(f"{option} must name errors as TRUE>DECISION, got {text!r}.")
    return true.strip(), decision.strip()


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} must give numbers, got {text!r}.") from None


def _volumes(
    fronts: dict[str, Front], held_out: dict[str, HeldOut], points: int | None, rng: int
) -> dict[str, dict[str, Any]]:
    """By front, G and the volumes that only it dominates, on the same random points; and G on other cases."""
    from polyroc.fronts.volume_table import front_volumes

    table = front_volumes(fronts, n_points=points, rng=rng)
    volumes: dict[str, dict[str, Any]] = {}
    for name in fronts:
        gini = table.gini(name)
        volumes[name] = {
            "gini": gini.value,
            "gini_monte_carlo_error": gini.standard_error,
            **_errors(fronts[name], held_out.get(name), rng),
            "exclusive": {other: table.exclusive(name, other).value for other in fronts if other != name},
        }
        if name in held_out:
            one = held_out[name]
            volumes[name]["held_out"] = {
                "gini": one.gini.value,
                "standard_error": one.standard_error,
                "apparent_standard_error": one.apparent_standard_error,
                "optimism": one.optimism,
                "optimism_standard_error": one.optimism_standard_error,
            }
    return volumes


def _errors(front: Front, held_out: HeldOut | None, rng: int) -> dict[str, float | None]:
    """The standard errors of G over cases and between searches; None where the cases do not give one."""
    cases, search = (None if held_out is None else held_out.apparent_standard_error), replace(front, scores=None)
    if cases is None and len(front.classes) <= MANY:
        with suppress(InputError):  # too few or too many cases
            cases = front.gini_errors(rng=rng).cases
    return {"gini_case_error": cases, "gini_search_error": search.gini_errors().search}


def _table(title: str, fronts: dict[str, Front], volumes: dict[str, dict[str, Any]]) -> Table:
    exact = all(front.exact for front in fronts.values())
    rows = [_row(name, front, volumes, exact) for name, front in fronts.items()]
    notes = ["Every threshold was tried; volumes are exact for these cases."]
    if not exact:
        notes = [f"{name}: {_convergence(front)}" for name, front in fronts.items()]
        notes += [f"{name}: {front.dimension_note}" for name, front in fronts.items() if front.dimension_note]
        notes.append(
            "over searches: the standard error of G between searches with other seeds, that of the random points "
            "included."
        )
    if any(volume["gini_case_error"] is not None for volume in volumes.values()):
        notes.append(
            "over cases: the standard error of G of these rules, by the jackknife. On the cases of the search G "
            "is too large besides; --test evaluates the points on others."
        )
    if len(fronts) > 1:
        notes += _together(fronts)
        notes.append(
            "not by: the share of the region below chance that this front dominates and the other does not."
        )
    if any("held_out" in volume for volume in volumes.values()):
        notes.append(
            "G on test: of the same points on the other cases; optimism: by how much it is smaller. Numbers after "
            "+- are standard errors over the cases, by the jackknife."
        )
    return Table.of(title, rows, notes)


def _together(fronts: dict[str, Front]) -> list[str]:
    """What fronts of the same cases reach together; with many classes hardly any point dominates another."""
    from polyroc.fronts.joint import joint_front

    if _many_classes(fronts):
        return []
    try:
        joint = joint_front(fronts)
    except InputError:  # stored fronts of other cases
        return []
    parts = ", ".join(f"{name} {size}" for name, size in joint.sizes.items())
    return [f"Together, without dominated points: {len(joint)} ({parts}), G {number_text(joint.gini())}."]


def _many_classes(fronts: dict[str, Front]) -> bool:
    return any(len(front.classes) > MANY for front in fronts.values())


def _convergence(front: Front) -> str:
    """Whether the search has converged, with the option that prolongs it."""
    text = front.convergence.replace("more of them", "more (-n)")
    return text.replace("run more generations (resume=...)", "run more (--generations)")


def _row(name: str, front: Front, volumes: dict[str, dict[str, Any]], exact: bool) -> Row:
    volume = volumes[name]
    row = {
        "classifier": name,
        "points": str(len(front)),
        "G": number_text(volume["gini"]),
        "over cases": "" if volume["gini_case_error"] is None else f"{volume['gini_case_error']:.2g}",
    }
    if not exact:
        row["over searches"] = f"{hypot(volume['gini_search_error'], volume['gini_monte_carlo_error']):.2g}"
    if any("held_out" in other for other in volumes.values()):
        held_out = volume.get("held_out", {})
        for column, entry, error in (
            ("G on test", "gini", "standard_error"),
            ("optimism", "optimism", "optimism_standard_error"),
        ):
            row[column] = f"{number_text(held_out[entry])} +- {held_out[error]:.2g}" if held_out else ""
    for other in volumes if len(volumes) > 1 else ():
        row[f"not by {other}"] = number_text(volume["exclusive"][other]) if other != name else ""
    return row


def is_front(file: Path) -> bool:
    """True if a file looks like a stored front, by its ending or by the kind in its JSON."""
    if file.suffix == ".npz":
        return True
    try:
        with file.open("rb") as text:
            return file.suffix == ".json" and b'"kind": "Front"' in text.read(HEAD)
    except OSError:
        return False  # reading it raises the error


def needs_data(file: Path | list[Path] | None, columns: dict[str, Any]) -> Any:
    """The file; FILE and --truth are required unless there is a stored front."""
    context = click.get_current_context()
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.", context)
    require_truth(file, columns)
    return file
