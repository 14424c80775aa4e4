"""Words, the units by which texts are found."""

import re

_RUN = re.compile(r"[^\W_]+")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text: its case-folded runs of Unicode letters and digits."""
    return frozenset(_RUN.findall(text.casefold()))
