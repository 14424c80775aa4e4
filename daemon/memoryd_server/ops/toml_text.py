"""The reading of TOML that somebody wrote by hand."""

import tomllib
from typing import Any


def parse_toml(text: str) -> dict[str, Any]:
    """Return the values of a text. Raises ValueError with the problem."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("values are nested too deeply") from None
