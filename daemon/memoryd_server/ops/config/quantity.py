"""Sizes and durations as text: ``512MiB``, ``30s``, ``7d``."""

import re

SIZE_MAX = 2**63 - 1
DURATION_MAX = 100 * 366 * 86_400.0

_QUANTITY = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>[A-Za-z]*)", re.ASCII)
_SIZE_UNITS = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_DURATION_UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


def parse_size(text: str) -> int:
    """Return a size in bytes. Without a unit, the number is bytes. Raises ValueError with the problem."""
    match = _QUANTITY.fullmatch(text.strip())
    factor = _SIZE_UNITS.get(match["unit"].lower()) if match else None
    if match is None or factor is None:
        raise ValueError(f"{text!r} is not a size such as 512MiB or 4096")
    size = (float if "." in match["number"] else int)(match["number"]) * factor
    if size > SIZE_MAX:
        raise ValueError(f"{text!r} is too large")
    return int(size)


def format_size(size: int) -> str:
    """Return the shortest exact text, in binary units."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        factor = _SIZE_UNITS[unit.lower()]
        if size and size % factor == 0:
            return f"{size // factor}{unit}"
    return f"{size}B"


def parse_duration(text: str) -> float:
    """Return a duration in seconds. Without a unit, the number is seconds. Raises ValueError with the problem."""
    match = _QUANTITY.fullmatch(text.strip())
    factor = _DURATION_UNITS.get(match["unit"].lower()) if match else None
    if match is None or factor is None:
        raise ValueError(f"{text!r} is not a duration such as 250ms, 30s or 7d")
    seconds = float(match["number"]) * factor
    if seconds > DURATION_MAX:
        raise ValueError(f"{text!r} is longer than 100 years")
    return seconds


def format_duration(seconds: float) -> str:
    """Return the shortest exact text."""
    for unit in ("d", "h", "m", "s"):
        if seconds and seconds % _DURATION_UNITS[unit] == 0:
            return f"{int(seconds / _DURATION_UNITS[unit])}{unit}"
    return f"{seconds:g}s"
