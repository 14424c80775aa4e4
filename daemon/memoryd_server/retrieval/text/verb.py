"""English words with forms that no stemmer knows: each is indexed as its base."""

from pathlib import Path

_LINES = Path(__file__).with_name("data").joinpath("irregular.txt").read_text(encoding="utf-8").splitlines()

IRREGULAR = {form: base for base, *forms in map(str.split, _LINES) for form in forms if form != base}
"""The base of each irregular form of a verb, and of each irregular plural.

Forms that are also words of their own, such as "left", "saw", "found" and "felt", are not among them.
"""
