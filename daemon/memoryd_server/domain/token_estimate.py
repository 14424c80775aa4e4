"""How many tokens a text has, about: for models whose tokenizer is not at hand.

Measured against o200k_base, the tokenizer of OpenAI's models since 2024: 8 % more on dialogue in English, 10 % more on
prose with markup, a quarter more on code, up to twice as many in other languages, an eighth less on bare timestamps.
"""

import re

_TOKEN = re.compile(r"[A-Za-z]{1,7}|[0-9]{1,3}|[\u00aa-\u1fff]{1,2}|\n+|\S")
_RARE = re.compile(r"[\U00010000-\U0010ffff]")
_SLICE_CHARACTERS = 16_384
"""So much is counted in a few milliseconds, after which other threads have their turn."""


def estimated_tokens(text: str) -> int:
    """The estimate.

    A token is up to 7 letters of an English word, 3 digits, 2 letters of another alphabet, a sign, a run of line
    breaks, or a character of Chinese, Japanese or Korean; emoji and other rare characters are 2. It takes up to a
    third of a second a million characters.
    """
    slices = (text[start : start + _SLICE_CHARACTERS] for start in range(0, len(text), _SLICE_CHARACTERS))
    return sum(len(_TOKEN.findall(each)) + (0 if each.isascii() else len(_RARE.findall(each))) for each in slices)
