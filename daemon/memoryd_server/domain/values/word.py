"""Words: what a text is found by."""

import re

_RUN = re.compile(r"[^\W_]+")


def words_of(text: str) -> frozenset[str]:
    """The words of a text: its runs of letters and digits (Unicode), with the differences of case folded away."""
    return frozenset(_RUN.findall(text.casefold()))
