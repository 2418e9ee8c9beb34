"""The papers that measures name by author and year, as a reader finds them."""

from collections.abc import Iterable, Mapping

__all__ = ["PAPERS", "cited"]

PAPERS: Mapping[str, str] = {
    "Bradley (1997)": "Bradley, Pattern Recognition 30 (1997) 1145-1159",
    "Dodd & Pepe (2003)": "Dodd & Pepe, Biometrics 59 (2003) 614-623",
    "Ferri et al. (2003)": "Ferri, Hernández-Orallo & Salido, Machine Learning: ECML 2003, 108-120",
    "Hand & Till (2001)": "Hand & Till, Machine Learning 45 (2001) 171-186",
    "Hanley & McNeil (1982)": "Hanley & McNeil, Radiology 143 (1982) 29-36",
    "He & Frey (2008)": "He & Frey, IEEE Transactions on Medical Imaging 27 (2008) 577-588",
    "He et al. (2006)": ("He, Metz, Tsui, Links & Frey, IEEE Transactions on Medical Imaging 25 (2006) 571-581"),
    "McClish (1989)": "McClish, Medical Decision Making 9 (1989) 190-195",
    "Mossman (1999)": "Mossman, Medical Decision Making 19 (1999) 78-89",
    "Nakas & Alonzo (2007)": "Nakas & Alonzo, Biometrics 63 (2007) 603-609",
    "Nakas & Yiannoutsos (2004)": "Nakas & Yiannoutsos, Statistics in Medicine 23 (2004) 3437-3449",
    "Sahiner, Chan & Hadjiiski (2008)": (
        "Sahiner, Chan & Hadjiiski, IEEE Transactions on Medical Imaging 27 (2008) 215-227"
    ),
    "Sampat et al. (2009)": (
        "Sampat, Patel, Wang, Gupta, Kan, Bovik & Markey, IEEE Transactions on Information Technology in "
        "Biomedicine 13 (2009) 300-312"
    ),
    "Scurfield (1996)": "Scurfield, Journal of Mathematical Psychology 40 (1996) 253-269",
    "Scurfield (1996, 1998)": "Scurfield, Journal of Mathematical Psychology 40 (1996) 253-269 and 42 (1998) 5-31",
    "Van Calster, Van Belle, Vergouwe, Timmerman, Van Huffel & Steyerberg (2012)": (
        "Van Calster, Van Belle, Vergouwe, Timmerman, Van Huffel & Steyerberg, Statistics in Medicine 31 (2012) "
        "2610-2626"
    ),
}


def cited(named: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Each paper once, and what it is named for; of pairs of a name and papers by author and year.

    >>> cited([("Gini coefficient", "Hand & Till (2001)"), ("Hand & Till's M", "Hand & Till (2001)")])
    ("Hand & Till, Machine Learning 45 (2001) 171-186: Gini coefficient, Hand & Till's M.",)
    """
    found: dict[str, list[str]] = {}
    for name, papers in named:
        for paper in papers.split("; "):
            found.setdefault(PAPERS.get(paper, paper), []).append(name)
    return tuple(f"{paper}: {', '.join(dict.fromkeys(names))}." for paper, names in found.items())
