"""Pieces of sentences: lists of names, counted nouns, capital letters."""

from collections.abc import Sequence

__all__ = ["capitalised", "counted", "listed"]


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names as a sentence lists them; of many, the first ones and how many more there are.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a', 'a, b and c', 'a, b and 1 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "fit"), counted(3, "fit"), counted(2, "pass", "passes")
    ('1 fit', '3 fits', '2 passes')
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def capitalised(text: str) -> str:
    """A text with a capital first letter, the rest as it is.

    >>> capitalised("mean one-versus-all AUC")
    'Mean one-versus-all AUC'
    """
    return text[:1].upper() + text[1:]
