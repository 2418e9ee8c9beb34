"""Messages written for Python, in the words of the page."""

import re

__all__ = ["for_visitors"]

WHERE = 'under "More to say"'
WORDS = (
    (r"say pos_label=(.+?) or (?:pos_label=)?(.+?)\.", rf"name the positive one {WHERE}: \1 or \2."),
    (r"say missing='drop' to leave such rows out", f"tick {WHERE} that rows with missing values are left out"),
    (r"(?:in|with|as) (?:the order of )?labels=\[\.\.\.\]", f"{WHERE}, the classes in order"),
)


def for_visitors(message: str) -> str:
    """What to do next, for somebody who sees the form and not the call.

    >>> print(for_visitors("auc needs to know the positive class; say pos_label='dog' or 'cat'."))
    auc needs to know the positive class; name the positive one under "More to say": 'dog' or 'cat'.
    """
    for call, words in WORDS:
        message = re.sub(call, words, message)
    return message
