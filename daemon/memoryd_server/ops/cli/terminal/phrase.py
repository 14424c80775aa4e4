"""Sizes, lengths of time and texts in as few signs as a person needs."""

import re
from datetime import datetime

import msgspec

PREVIEW_MAX = 400
"""How many characters of a value are worth looking at in a table: no terminal is wider."""

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_LINE_BREAK = re.compile(r"[\r\n]+[ \t]*")


def duration(seconds: float) -> str:
    """A length of time in its largest unit: ``12s``, ``3m``, ``5h``, ``8d``; never less than ``0s``."""
    whole = max(0, int(seconds))
    for length, unit in _UNITS:
        if whole >= length:
            return f"{whole // length}{unit}"
    return f"{whole}s"


def age(moment: datetime, now: datetime) -> str:
    """How long ago it was."""
    return duration((now - moment).total_seconds())


def remaining(moment: datetime | None, now: datetime) -> str:
    """How long it takes to come; empty for never."""
    return "" if moment is None else f"in {duration((moment - now).total_seconds())}"


def size(count: int) -> str:
    """A number of bytes with two or three digits: ``17 B``, ``1.2 KiB``, ``340 MiB``."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1000:
            return f"{count} B" if unit == "B" else f"{amount:.{1 if amount < 10 else 0}f} {unit}"
        amount /= 1024
    return f"{amount:.{1 if amount < 10 else 0}f} TiB"


def plain(text: str) -> str:
    """The text without what would move a terminal's cursor, break a line or turn its direction.

    That is escaped as JSON does it, so that a JSON value stays one.
    """
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(value_json: str) -> str:
    """JSON text on one line and otherwise as it is: a string in it cannot hold a line break."""
    return _LINE_BREAK.sub(" ", value_json)


def preview(value_json: str) -> str:
    """The beginning of a value, for a table."""
    return plain(one_line(value_json[:PREVIEW_MAX]))


def laid_out(value_json: str) -> str:
    """JSON text on as many lines as its structure has, digit for digit as it is."""
    return "\n".join(plain(line) for line in msgspec.json.format(value_json, indent=2).split("\n"))
