"""The commands `reader-study` and `plan-reader-study`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import (
    add_options,
    column_options,
    formats,
    label_list,
    level_option,
    measure_option,
    method_from,
    method_options,
    opened,
    out_option,
    print_result,
    score_columns,
)
from polyroc.errors import InputError
from polyroc.output.text import Format

__all__ = ["plan_reader_study", "reader_study"]

DATA_ROLES = (
    "table",
    "decimal",
    "encoding",
    "sample_weight",
    "weight_kind",
    "groups",
    "sampling",
    "labels",
    "pos_label",
    "missing",
)
CELLS = (
    click.option("--truth", metavar="COLUMN", help="Column of the true classes."),
    click.option(
        "--scores",
        default=("*",),
        multiple=True,
        metavar="COLUMNS",
        help="Column of the ratings, or one column per class ('p_*'). One column per reader and modality: "
        "MODALITY:READER=COLUMNS for each.",
    ),
    click.option("--reader", metavar="COLUMN", help="Column of the reader; one row per reading."),
    click.option("--modality", metavar="COLUMN", help="Column of the modality; without it there is one."),
    click.option("--case", metavar="COLUMN", help="Column that identifies the case."),
    click.option("--standalone", metavar="NAME", help="The modality that is an algorithm without readers."),
    click.option(
        "--nested",
        type=click.Choice(["readers", "cases"]),
        help="Each reader reads with one modality (readers), or cases of their own (cases).",
    ),
    column_options(*DATA_ROLES),
)
FIXED = click.option(
    "--fixed",
    type=click.Choice(["readers", "cases"]),
    help="Conclusions are for these readers, or these cases, only; by default both are random.",
)
MARGIN = click.option("--margin", type=float, help="Margin of non-inferiority and equivalence.")


@click.command("reader-study", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@measure_option("The measure.", default="auc", show_default=True)
@add_options(*CELLS, FIXED, MARGIN)
@click.option(
    "--adjustment",
    "adjustment",
    default="holm",
    show_default=True,
    type=click.Choice(["holm", "bonferroni", "benjamini-hochberg", "none"]),
    callback=lambda _, __, value: None if value == "none" else value,
    help="Adjustment of p-values for the number of pairs of modalities.",
)
@out_option("PICTURE", "Also draw it: .png, .svg or .pdf.")
@click.option(
    "--kind",
    type=click.Choice(["forest", "differences", "roc"]),
    help="The picture: values by reader (default), differences by reader, or ROC curves.",
)
@method_options()
@level_option
@formats
def reader_study(
    file: Path,
    measure: str,
    fixed: Any,
    margin: float | None,
    adjustment: Any,
    out: Path | None,
    kind: str | None,
    method: str,
    replicates: int,
    rng: int,
    level: float,
    output: Format | None,
    **columns: Any,
) -> int:
    """Compare modalities that several readers used on the cases in FILE (multi-reader multi-case).

    Obuchowski & Rockette's analysis with Hillis' degrees of freedom, for any measure.

    \b
    One row per reading:  polyroc reader-study readings.csv --truth ill --scores rating --reader reader
                            --modality modality --case case
    Columns per cell:     polyroc reader-study wide.csv --truth ill --scores CT:Lee=ct_lee --scores CT:Kim=ct_kim
                            --scores MRI:Lee=mri_lee --scores MRI:Kim=mri_kim
    AI against readers:   polyroc reader-study readings.csv --truth ill --scores rating --reader reader
                            --modality modality --case case --standalone AI --margin 0.05
    """
    if kind is not None and out is None:
        raise InputError("--kind is for a picture; give its file with -o PICTURE, or leave it out.")
    standard_errors = method_from(method, replicates, rng)
    study = _study(file, columns, measure=measure, fixed=fixed, method=standard_errors, adjustment=adjustment)
    if out is not None:
        _draw(study, out, kind or "forest", level)
    tables = [study.to_table(level), study.difference_table(level), study.variance_table()]
    print_result(
        output,
        record=lambda: study.to_dict(level),
        rows=lambda: study.rows(level),
        table=lambda: [*tables, *([] if margin is None else [study.margin_table(margin, level)])],
    )
    return 0


def _study(file: Path, columns: dict[str, Any], **options: Any) -> Any:
    from polyroc.readers.reader_study import reader_study as compute

    long = columns["reader"] is not None
    patterns = score_columns(columns.pop("scores"))
    if columns["truth"] is None:
        raise InputError("--truth COLUMN is missing: the column of the true classes.")
    return compute(
        opened(file, columns["encoding"]),
        scores=patterns if long else _cells(patterns),
        labels=label_list(columns.pop("labels")),
        **columns,
        **options,
    )


def _cells(patterns: Any) -> dict[str, Any]:
    """Columns by modality and reader, from names such as MODALITY:READER."""
    names = patterns if isinstance(patterns, dict) else {}
    if not names:
        raise InputError(
            "--reader COLUMN is missing, with --modality and --case for one row per reading; or write --scores "
            "MODALITY:READER=COLUMN for every reader and modality."
        )
    table: dict[str, Any] = {}
    for name, columns in names.items():
        modality, sign, reader = name.partition(":")
        if sign:
            table.setdefault(modality, {})[reader] = columns
        else:
            table[modality] = columns
    return table


def _draw(result: Any, out: Path, kind: str, level: float | None = None) -> None:
    from polyroc.plots import require_matplotlib

    require_matplotlib()
    from polyroc.plots.dispatch import draw
    from polyroc.plots.picture import checked_name, save, without_windows

    checked_name(out)
    without_windows()
    options: dict[str, Any] = {} if level is None or kind == "roc" else {"level": level}
    save(draw(result, None, kind, **options).figure, out)


COMPONENTS = (
    click.option("--interaction", type=float, help="Variance of modality x reader."),
    click.option("--error", type=float, help="Variance of the error of a cell."),
    click.option("--cov1", type=float, help="Error covariance: same reader."),
    click.option("--cov2", type=float, help="Error covariance: same modality."),
    click.option("--cov3", type=float, help="Error covariance: neither."),
    click.option("--of-cases", type=click.IntRange(2), help="Number of cases that error and covariances are for."),
)


@click.command("plan-reader-study", cls=Command)
@click.option("--pilot", type=click.Path(path_type=Path), metavar="FILE", help="Pilot study, as for `readers`.")
@measure_option("The measure of the pilot study.", default="auc", show_default=True)
@click.option("--effect", type=float, help="The difference to be shown; by default that of the pilot.")
@click.option("--margin", type=float, help="Non-inferiority margin instead; then --effect is 0 by default.")
@click.option("--readers", "numbers", metavar="4,6,8", help="Numbers of readers.")
@click.option("--cases", metavar="100,200", help="Numbers of cases whose power is computed.")
@click.option("--power", type=float, default=0.8, show_default=True, help="Wanted power.")
@click.option("--alpha", type=float, help="Significance level; 0.05, or 0.025 with --margin.")
@add_options(FIXED, *COMPONENTS, *CELLS)
@out_option("PICTURE", "Also draw the power: .png, .svg or .pdf.")
@formats
def plan_reader_study(
    pilot: Path | None,
    measure: str,
    effect: float | None,
    margin: float | None,
    numbers: str | None,
    cases: str | None,
    power: float,
    alpha: float | None,
    fixed: Any,
    out: Path | None,
    output: Format | None,
    **columns: Any,
) -> int:
    """The numbers of readers and cases that a study of two modalities needs.

    From the variance components of a pilot study, or published ones (Hillis, Obuchowski & Berbaum 2011).

    \b
    From a pilot:     polyroc plan-reader-study --pilot readings.csv --truth ill --scores rating --reader reader
                        --modality modality --case case --effect 0.05
    From components:  polyroc plan-reader-study --effect 0.05 --interaction 0.0002 --error 0.0008 --cov1 0.00035
                        --cov2 0.00034 --cov3 0.00024 --of-cases 114
    """
    from polyroc.readers.plan import plan_reader_study as compute

    plan = compute(
        _variances(pilot, measure, columns),
        effect=effect,
        margin=margin,
        readers=_whole_numbers(numbers, "--readers"),
        cases=_whole_numbers(cases, "--cases"),
        power=power,
        alpha=alpha,
        fixed=fixed,
    )
    if out is not None:
        _draw(plan, out, "power")
    print_result(output, record=plan.to_dict, rows=plan.rows, table=plan.to_table)
    return 0


def _variances(pilot: Path | None, measure: str, columns: dict[str, Any]) -> Any:
    """The pilot study, or the components."""
    from polyroc.readers.power import ReaderVariances

    names = ("interaction", "error", "cov1", "cov2", "cov3", "of_cases")
    components = {name: columns.pop(name) for name in names}
    named = [f"--{name.replace('_', '-')}" for name, value in components.items() if value is not None]
    if pilot is not None:
        if named:
            raise InputError(f"{named[0]} is for planning without --pilot; leave out one of them.")
        return _study(pilot, columns, measure=measure)
    absent = [f"--{name.replace('_', '-')}" for name, value in components.items() if value is None]
    if absent:
        raise InputError(f"{', '.join(absent)} missing; give all variance components, or --pilot FILE.")
    return ReaderVariances(*(components[name] for name in names))


def _whole_numbers(text: str | None, name: str) -> Sequence[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{name} must be whole numbers such as 4,6,8, got {text!r}.") from None
