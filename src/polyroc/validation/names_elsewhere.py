"""Names of measures and options in papers and other packages, and what polyroc calls them.

The one table of these names: unknown measures and options are answered from it, and docs/concordance.md shows it.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

__all__ = [
    "CHOICE_NAMES",
    "MEASURE_NAMES",
    "OPTION_NAMES",
    "MeasureNames",
    "OptionNames",
    "OtherName",
    "measure_hint",
    "option_hint",
    "other_name",
]

PAGE = "docs/concordance.md"


class MeasureNames(NamedTuple):
    """A measure, or something that others call a measure, and its names.

    Attributes
    ----------
    section
        The heading under which docs/concordance.md lists it.
    polyroc
        The measure as it is written in polyroc; empty if polyroc does not have it as a measure.
    names
        The names in papers, as text for the page.
    elsewhere
        The functions of other packages, as Markdown for the page.
    aliases
        What users type; case, spaces and punctuation do not matter.
    complements
        Names of 1 minus the measure.
    instead
        Where polyroc has it under a verb, or who has it: the end of a sentence.
    """

    section: str
    polyroc: str
    names: str
    elsewhere: str = ""
    aliases: tuple[str, ...] = ()
    complements: tuple[str, ...] = ()
    instead: str = ""

    @property
    def page(self) -> str:
        """The page about it."""
        key = self.polyroc.partition("(")[0]
        return f"docs/measures/{key}.md" if key else PAGE


class OptionNames(NamedTuple):
    """An option of another package, where it is from, and what to write in polyroc."""

    option: str
    elsewhere: str
    polyroc: str


TWO, ANY = "Two classes", "Any number of classes"
ORDERED, UNORDERED = "Ordered classes, one score", "Three unordered classes, probabilities"
PROBABILITIES = "Proper scores of probabilities"
VERBS, ABSENT = "Not a measure but a verb", "Not in polyroc"

MEASURE_NAMES = (
    MeasureNames(
        TWO,
        "auc",
        "area under the ROC curve, AUROC, c-statistic, concordance, Mann-Whitney U/(n₊n₋), probability of "
        "superiority",
        "scikit-learn `roc_auc_score`; pROC `auc(roc(...))`; yardstick `roc_auc`",
        (
            *("auc", "roc_auc", "roc_auc_score", "auc_roc", "auroc", "roc", "aucroc", "a_z", "area"),
            *("c_statistic", "c_index", "c_stat", "concordance", "concordance_index", "cindex"),
            *("mann_whitney", "mann_whitney_u", "u_statistic", "wilcoxon", "probability_of_superiority"),
        ),
    ),
    MeasureNames(
        TWO,
        "gini",
        "Gini coefficient, accuracy ratio, Somers' D",
        "VUROCS `SomersD`",
        ("gini", "gini_coefficient", "accuracy_ratio", "somers_d", "somersd", "power_statistic"),
    ),
    MeasureNames(
        TWO,
        "partial_auc",
        "partial AUC; standardised after McClish",
        "scikit-learn `roc_auc_score(max_fpr=...)` (standardised, from 0); pROC `auc(partial.auc=, "
        "partial.auc.focus=, partial.auc.correct=)`",
        ("partial_auc", "pauc", "partial_area", "partial_roc_auc", "auc_partial"),
    ),
    MeasureNames(
        TWO,
        "sensitivity",
        "true positive rate, recall, hit rate; 1 - false negative rate",
        "scikit-learn `recall_score`; yardstick `sens`, `recall`; pROC `coords`, `ci.se`",
        (
            *("sensitivity", "sens", "se", "tpr", "true_positive_rate", "recall", "recall_score", "hit_rate"),
            *("detection_rate", "power"),
        ),
        complements=("fnr", "miss_rate", "false_negative_rate"),
    ),
    MeasureNames(
        TWO,
        "specificity",
        "true negative rate, 1 - false positive rate",
        "yardstick `spec`; pROC `coords`, `ci.sp`",
        ("specificity", "spec", "sp", "tnr", "true_negative_rate", "selectivity"),
        complements=("fpr", "false_positive_rate", "fall_out", "false_alarm_rate"),
    ),
    MeasureNames(
        TWO,
        "ppv",
        "positive predictive value, precision",
        "scikit-learn `precision_score`; yardstick `ppv`, `precision`",
        ("ppv", "precision", "precision_score", "positive_predictive_value"),
        complements=("fdr", "false_discovery_rate"),
    ),
    MeasureNames(
        TWO,
        "npv",
        "negative predictive value",
        "yardstick `npv`",
        ("npv", "negative_predictive_value"),
        complements=("false_omission_rate",),
    ),
    MeasureNames(
        TWO,
        "average_precision",
        "average precision, area under the precision-recall curve (by steps)",
        "scikit-learn `average_precision_score`; yardstick `average_precision`",
        (
            *("average_precision", "average_precision_score", "ap", "auprc", "pr_auc", "auc_pr", "aucpr", "prauc"),
            *("auc_prc", "map", "precision_recall", "precision_recall_auc", "area_under_pr_curve"),
        ),
    ),
    MeasureNames(TWO, "cost_area", "area under the cost curve", "", ("cost_area", "cost_curve", "aucc")),
    MeasureNames(
        TWO,
        "net_benefit(threshold=...)",
        "net benefit (Vickers & Elkin)",
        "dcurves `dca`",
        ("net_benefit", "nb", "dca", "decision_curve", "decision_curve_analysis"),
    ),
    MeasureNames(
        ANY,
        "hand_till",
        "Hand & Till's M, AU1U, multi-class AUC, one-vs-one macro AUC",
        'scikit-learn `roc_auc_score(multi_class="ovo")`, `roc_auc_ovo`; pROC `multiclass.roc` with a *matrix* of '
        "predictors; yardstick `roc_auc` (`hand_till`, its default for three classes or more); HandTill2001 "
        "`auc(multcap(...))`; mlr3measures `mauc_au1u`",
        (
            *("hand_till", "handtill", "m", "m_measure", "mauc", "multiclass_auc", "multi_class_auc", "auc_multi"),
            *("roc_auc_ovo", "ovo", "auc_ovo", "one_vs_one", "au1u", "mauc_au1u", "macro_ovo", "multiclass_roc"),
        ),
    ),
    MeasureNames(
        ANY,
        "ova",
        "mean one-versus-all (one-versus-rest) AUC, AUNU",
        'scikit-learn `roc_auc_score(multi_class="ovr")`, `roc_auc_ovr`; yardstick `roc_aunu`, '
        '`roc_auc(estimator="macro")`; mlr3measures `mauc_aunu`',
        (
            *("ova", "roc_auc_ovr", "ovr", "auc_ovr", "one_vs_rest", "one_vs_all", "aunu", "roc_aunu"),
            *("mauc_aunu", "macro_auc", "auc_macro", "roc_auc_macro", "macro_ovr"),
        ),
    ),
    MeasureNames(
        ANY,
        "accuracy",
        "proportion correct, C1 (Hand & Till), CCP; 1 - error rate",
        "scikit-learn `accuracy_score`; mcca `ccp`",
        ("accuracy", "acc", "accuracy_score", "ccp", "c1", "proportion_correct", "micro_f1", "f1_micro"),
        complements=("error", "error_rate", "misclassification_rate", "zero_one_loss"),
    ),
    MeasureNames(
        ANY,
        "macro_average",
        "MAVG, balanced accuracy, macro-averaged recall",
        "scikit-learn `balanced_accuracy_score`",
        (
            *("macro_average", "balanced_accuracy", "balanced_accuracy_score", "mavg", "bacc", "bac", "uar"),
            *("macro_recall", "recall_macro"),
        ),
        complements=("balanced_error_rate", "ber"),
    ),
    MeasureNames(ANY, "pairwise_accuracy", "C2 (Hand & Till)", "", ("pairwise_accuracy", "c2")),
    MeasureNames(ANY, "ht3", "HT3, modified Hand & Till (Ferri et al.)", "", ("ht3",)),
    MeasureNames(
        ANY,
        "pdi",
        "polytomous discrimination index",
        "mcca `pdi`",
        ("pdi", "polytomous_discrimination_index", "polytomous_discrimination"),
    ),
    MeasureNames(
        ORDERED,
        "vus",
        "volume under the ROC surface (Nakas & Yiannoutsos), HUM for more classes; Scurfield's first volume",
        "trinROC `emp.vus`; VUROCS `VUS`; its variance: VUROCS `VUSvar`, `VUScov` (another estimator, ties not "
        "counted); trinROC `trinVUS.test` (normal scores), `boot.test`",
        ("vus", "hum", "emp_vus", "hypervolume", "volume", "volume_under_the_surface", "vus_roc"),
    ),
    MeasureNames(
        ORDERED,
        "scurfield",
        "D, the six volumes of Scurfield",
        "",
        ("scurfield", "d", "scurfield_d"),
    ),
    MeasureNames(
        ORDERED,
        "umbrella",
        "umbrella volume (Nakas & Alonzo)",
        "",
        ("umbrella", "umbrella_volume", "umbrella_vus"),
    ),
    MeasureNames(UNORDERED, "he", "He's method, VUS of the ideal observer", "", ("he",)),
    MeasureNames(
        UNORDERED,
        'he(scoring="distance")',
        "Dreiseitl's rule; hypervolume under the manifold, HUM",
        "mcca `hum`, except for ties, which it counts as correct",
        ("dreiseitl", "hum", "hypervolume"),
    ),
    MeasureNames(UNORDERED, "mossman", "three-way ROC", "", ("mossman", "three_way_roc")),
    MeasureNames(UNORDERED, "sahiner", "normalised VUS", "", ("sahiner", "normalised_vus", "normalized_vus")),
    MeasureNames(
        PROBABILITIES,
        "brier",
        "Brier score, mean squared error of probabilities",
        "scikit-learn `brier_score_loss`",
        ("brier_score", "brier_score_loss", "mse", "neg_brier_score", "quadratic_score"),
    ),
    MeasureNames(
        PROBABILITIES,
        "brier_skill",
        "Brier skill score, scaled Brier score, index of prediction accuracy (IPA)",
        "scikit-learn `d2_brier_score`; riskRegression `Score`",
        ("bss", "scaled_brier", "ipa", "d2_brier_score", "brier_skill_score"),
    ),
    MeasureNames(
        PROBABILITIES,
        "log_loss",
        "log loss, cross-entropy, mean negative log-likelihood",
        "scikit-learn `log_loss`",
        ("neg_log_loss", "logloss", "cross_entropy", "nll", "logarithmic_score", "ignorance"),
    ),
    MeasureNames(
        PROBABILITIES,
        "spherical",
        "spherical score",
        "scoring rules in forecasting",
        ("spherical_score",),
    ),
    MeasureNames(
        VERBS,
        "",
        "Youden's J, informedness, Kolmogorov-Smirnov statistic of a score: the largest TPR - FPR",
        'pROC `coords(r, "best")`; R `ks.test`; yardstick `j_index`',
        (
            "youden",
            "youdens_j",
            "youden_index",
            "j",
            "j_index",
            "informedness",
            "ks",
            "ks_statistic",
            "kolmogorov",
        ),
        instead='operate(..., criterion="youden") chooses the threshold that maximises it and evaluates it there',
    ),
    MeasureNames(
        VERBS,
        "",
        "likelihood ratios, diagnostic odds",
        "epiR `epi.tests`",
        ("lr", "lr_plus", "lr_minus", "likelihood_ratio", "dlr", "dor", "diagnostic_odds_ratio"),
        instead="rates(..., threshold=...) has the likelihood ratios with intervals",
    ),
    MeasureNames(
        VERBS,
        "",
        "confusion matrix",
        "scikit-learn `confusion_matrix`",
        ("confusion_matrix", "confusion", "classification_report"),
        instead="rates(...) has the rates of all decisions with intervals",
    ),
    MeasureNames(
        VERBS,
        "",
        "ROC curve, ROC surface",
        "scikit-learn `roc_curve`; pROC `roc`",
        ("roc_curve", "precision_recall_curve", "det_curve", "surface", "roc_surface"),
        instead="curve(...) and surface(...) have them, with bands",
    ),
    MeasureNames(
        VERBS,
        "",
        "calibration slope and intercept, calibration-in-the-large, reliability diagram, Spiegelhalter's z",
        "scikit-learn `calibration_curve`; R `val.prob` of rms; reliabilitydiag",
        (
            *("calibration", "calibration_slope", "calibration_intercept", "calibration_in_the_large"),
            *("calibration_curve", "reliability", "reliability_curve", "spiegelhalter", "val_prob"),
        ),
        instead="calibration(...)",
    ),
    MeasureNames(
        VERBS,
        "",
        "reader studies (multi-reader multi-case, MRMC; Obuchowski-Rockette, Dorfman-Berbaum-Metz)",
        "MRMCaov `mrmc`; RJafroc `St`; iMRMC `doIMRMC`",
        ("mrmc", "reader_study", "readers", "obuchowski_rockette", "dbm", "imrmc", "doimrmc"),
        instead="reader_study(...)",
    ),
    MeasureNames(
        ABSENT,
        "",
        "one-versus-rest AUC weighted by class frequency (Provost & Domingos), AUNP",
        'scikit-learn `roc_auc_score(average="weighted")`; yardstick `roc_aunp`, `macro_weighted`; mlr3measures '
        "`mauc_aunp`",
        ("aunp", "roc_aunp", "roc_auc_ovr_weighted", "roc_auc_weighted", "weighted_auc", "roc_auc_ovo_weighted"),
        instead="scikit-learn has it, roc_auc_score(average='weighted'); 'ova' is the unweighted mean",
    ),
    MeasureNames(
        ABSENT,
        "",
        "F1 score, F-beta score, Dice coefficient",
        "scikit-learn `f1_score`; yardstick `f_meas`",
        ("f1", "f1_score", "f_measure", "f_meas", "f_score", "fbeta", "f2", "dice", "f1_macro", "f1_weighted"),
        instead="scikit-learn has it, f1_score; 'ppv' and 'sensitivity' are its two parts",
    ),
    MeasureNames(
        ABSENT,
        "",
        "Matthews correlation coefficient, phi",
        "scikit-learn `matthews_corrcoef`; yardstick `mcc`",
        ("mcc", "matthews", "matthews_corrcoef", "phi"),
        instead="scikit-learn has it, matthews_corrcoef; 'macro_average' is a measure of decisions that "
        "prevalence does not change",
    ),
    MeasureNames(
        ABSENT,
        "",
        "Cohen's kappa",
        "scikit-learn `cohen_kappa_score`; yardstick `kap`",
        ("kappa", "cohen_kappa", "cohen_kappa_score", "cohens_kappa", "kap", "quadratic_weighted_kappa", "qwk"),
        instead="scikit-learn has it, cohen_kappa_score",
    ),
    MeasureNames(
        ABSENT,
        "",
        "geometric mean of the rates",
        "imbalanced-learn `geometric_mean_score`",
        ("g_mean", "gmean", "geometric_mean", "geometric_mean_score"),
        instead="imbalanced-learn has it, geometric_mean_score; 'macro_average' is the arithmetic mean of the "
        "same rates",
    ),
    MeasureNames(
        ABSENT,
        "",
        "top-k accuracy",
        "scikit-learn `top_k_accuracy_score`",
        ("top_k", "top_k_accuracy", "top_k_accuracy_score", "top5"),
        instead="scikit-learn has it, top_k_accuracy_score",
    ),
    MeasureNames(
        ABSENT,
        "",
        "H measure (Hand 2009)",
        "hmeasure `HMeasure`",
        ("h", "h_measure", "hmeasure"),
        instead="the R package hmeasure has it; 'cost_area' also averages the least cost over all costs",
    ),
    MeasureNames(
        ABSENT,
        "",
        "expected calibration error (ECE), Hosmer-Lemeshow test",
        "torchmetrics `CalibrationError`; R `hoslem.test` of ResourceSelection",
        ("ece", "calibration_error", "expected_calibration_error", "hosmer_lemeshow", "mce", "ace"),
        instead="both depend on bins; calibration(...) has the error without bias, and tests without bins",
    ),
    MeasureNames(
        ABSENT,
        "",
        "net reclassification improvement, integrated discrimination improvement",
        "PredictABEL `reclassification`; mcca `nri`, `idi`",
        ("nri", "idi"),
        instead="the R packages PredictABEL and mcca have it; compare(..., measure='auc') or "
        "'net_benefit(threshold=...)' tests whether a model is better",
    ),
    MeasureNames(
        ABSENT,
        "",
        "concordance index of censored survival times; time-dependent AUC",
        "scikit-survival `concordance_index_censored`; timeROC",
        ("harrell_c", "harrells_c", "uno_c", "survival_c_index", "time_dependent_auc"),
        instead="scikit-survival (concordance_index_censored) and the R package timeROC have it",
    ),
)

OPTION_NAMES = (
    OptionNames(
        "multi_class",
        "scikit-learn `roc_auc_score`",
        "choose the measure: 'hand_till' is multi_class='ovo', 'ova' is multi_class='ovr'",
    ),
    OptionNames(
        "average",
        "scikit-learn `roc_auc_score`",
        "all averages are unweighted ('macro'); with average=None, see the parts of the estimate",
    ),
    OptionNames("max_fpr", "scikit-learn `roc_auc_score`", "choose the measure 'partial_auc(fpr=(0, 0.1))'"),
    OptionNames("scoring", "scikit-learn `cross_val_score`", "write measure=..."),
    OptionNames("metric", "tidymodels, R", "write measure=..."),
    OptionNames("metrics", "tidymodels, R", "write measure=[...]"),
    OptionNames("random_state", "scikit-learn", "it is rng, of the method that draws: method=Bootstrap(rng=0)"),
    OptionNames("seed", "R, numpy", "it is rng, of the method that draws: method=Bootstrap(rng=0)"),
    OptionNames("n_bootstraps", "various", "write method=Bootstrap(n=2000)"),
    OptionNames("n_resamples", "scipy", "write method=Bootstrap(n=2000)"),
    OptionNames("confidence_level", "scipy", "the result has every level: result.confidence_interval(0.9)"),
    OptionNames("conf_level", "pROC", "the result has every level: result.confidence_interval(0.9)"),
    OptionNames(
        "direction", "pROC", "high scores indicate the positive class; change the sign of a score that falls"
    ),
    OptionNames("levels", "pROC", "write labels=[...], in order, and pos_label=..."),
    OptionNames("y_pred", "scikit-learn", "it is y_score, also for decisions given as labels"),
    OptionNames("y_prob", "scikit-learn", "it is y_score"),
    OptionNames("sample_weights", "various", "it is sample_weight"),
    OptionNames("weights", "various", "it is sample_weight"),
    OptionNames("paired", "pROC", "a dict of scores is paired; a dict of Scores, one per name, is unpaired"),
)

# Values of options: the other name, and polyroc's.
CHOICE_NAMES = (
    ("ovr", "ova"),
    ("one_vs_rest", "ova"),
    ("one_vs_all", "ova"),
    ("one_vs_one", "ovo"),
    ("precision_recall", "pr"),
    ("bh", "benjamini-hochberg"),
    ("fdr", "benjamini-hochberg"),
    ("fdr_bh", "benjamini-hochberg"),
)


def measure_hint(name: str) -> str | None:
    """What polyroc calls a measure of this name, or who has it; None for an unknown name.

    >>> measure_hint("AUC")
    "in polyroc it is 'auc' (docs/measures/auc.md)."
    >>> measure_hint("f1")
    "polyroc does not have it: scikit-learn has it, f1_score; 'ppv' and 'sensitivity' are its two parts ..."
    """
    meanings = dict(_entries_by_name().get(_plain(name), []))
    if not meanings:
        return None
    known = [entry for entry in meanings if entry.polyroc]
    if known:
        subject = "1 minus it" if meanings[known[0]] else "it"
        parts = [f"'{entry.polyroc}'{_of(entry, len(known))} ({entry.page})" for entry in known]
        return f"in polyroc {subject} is {', or '.join(parts)}."
    (entry,) = meanings
    start = "it is not a measure in polyroc: " if entry.section == VERBS else "polyroc does not have it: "
    return f"{start}{entry.instead} ({PAGE})."


class OtherName(NamedTuple):
    """A measure that was written by another name with options.

    Attributes
    ----------
    key, options
        The measure and the options in polyroc.
    is_complement
        True if the name is that of 1 minus the measure.
    page
        The page about the measure.
    """

    key: str
    options: dict[str, Any]
    is_complement: bool
    page: str


def other_name(name: str, options: Mapping[str, Any]) -> OtherName | None:
    """The measure that another name with options denotes; None without options, or if it is not clear.

    Options that are rates have their other names, too. Whether the measure has these options is for it to say.

    >>> other_name("TPR", {"fpr": 0.1})
    OtherName(key='sensitivity', options={'fpr': 0.1}, is_complement=False, page='docs/measures/sensitivity.md')
    >>> other_name("fpr", {"recall": 0.9})[:3]
    ('specificity', {'sensitivity': 0.9}, True)
    """
    if not options:
        return None
    entries = _entries_by_name().get(_plain(name), [])
    if len(entries) != 1:
        return None
    ((entry, is_complement),) = entries
    key = entry.polyroc.partition("(")[0]
    if not key or (key == name and all(_is_own(option) for option in options)):
        return None
    renamed = dict(_option(option, value) for option, value in options.items())
    if len(renamed) < len(options):  # two names of one option
        return None
    return OtherName(key, renamed, is_complement, entry.page)


# Rates that are options of measures: the entry, and the option that is 1 minus it, if the measures have one.
RATE_OPTIONS = {"sensitivity": None, "specificity": "fpr"}


def _option(option: str, value: Any) -> tuple[str, Any]:
    """An option and its value as polyroc writes them; options that are no rates stay as they are."""
    if _is_own(option):
        return option, value
    for entry, is_complement in _entries_by_name().get(_plain(option), []):
        if entry.polyroc in RATE_OPTIONS and not is_complement:
            return entry.polyroc, value
        if entry.polyroc in RATE_OPTIONS:
            other = RATE_OPTIONS[entry.polyroc]
            complement = round(1.0 - value, 12) if isinstance(value, float) else value
            return (entry.polyroc, complement) if other is None else (other, value)
    return option, value


def _is_own(option: str) -> bool:
    """True if polyroc writes an option so."""
    return option in (*RATE_OPTIONS, "fpr", "tpr")


@cache
def _entries_by_name() -> dict[str, list[tuple[MeasureNames, bool]]]:
    """By plain name, the measures that it may denote, and whether it is 1 minus the measure."""
    entries: dict[str, list[tuple[MeasureNames, bool]]] = {}
    for entry in MEASURE_NAMES:
        for is_complement, names in ((False, entry.aliases), (True, entry.complements)):
            for name in {_plain(name) for name in names}:
                entries.setdefault(name, []).append((entry, is_complement))
    return entries


def option_hint(name: str) -> str | None:
    """What to write in polyroc for an option of another package; None for an unknown name.

    >>> option_hint("max_fpr")
    "choose the measure 'partial_auc(fpr=(0, 0.1))' (docs/concordance.md)."
    """
    entry = next((entry for entry in OPTION_NAMES if _plain(entry.option) == _plain(name)), None)
    return None if entry is None else f"{entry.polyroc} ({PAGE})."


def _of(entry: MeasureNames, among: int) -> str:
    """What it is for, where a name has several meanings."""
    return f" for {entry.section[0].lower()}{entry.section[1:]}" if among > 1 else ""


def _plain(name: str) -> str:
    """The letters and digits of a name, without their case."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())
