"""Every registered measure that needs no option, and some with options: the plan of tests over all of them."""

import polyroc as pr
from polyroc.measures.registry import MEASURES

VARIANTS = [
    "partial_auc(fpr=(0.13, 0.77))",
    "partial_auc(tpr=(0.4, 0.9))",
    "partial_auc(fpr=(0.1, 0.6), standardised=False)",
    "sensitivity(threshold=0.5)",
    "specificity(threshold=0.5)",
    "ppv(threshold=0.5, prevalence=0.2)",
    "npv(threshold=0.25)",
    "expected_cost(threshold=0.5, prevalence=0.3, false_positive=2.0, false_negative=5.0)",
    "expected_cost(costs={(0, 1): 3.0})",
    "expected_cost(costs={(1, 0): 3.0}, rule='bayes')",
    "net_benefit(threshold=0.4)",
    "net_benefit(threshold=0.3, prevalence=0.1)",
    "sensitivity(specificity=0.7)",
    "sensitivity(fpr=0.1)",
    "specificity(sensitivity=0.8)",
    "sahiner(malignant=1)",
    "log_loss(clip=0.2)",
]
ALL = [
    pr.measure(key)
    for key in [*(key for key, known in MEASURES.items() if not known.roles + known.required), *VARIANTS]
]


def at_fixed_rate(measure):
    """Whether it is the sensitivity or specificity where the other one is fixed."""
    return measure.key in ("sensitivity", "specificity") and measure.needs == "score"
