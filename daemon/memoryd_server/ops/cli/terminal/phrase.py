"""Short texts for sizes, durations and values."""

import re
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from memoryd_server.ops.limit import PREVIEW_CHARACTERS_MAX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoryd import ContextMessage, Message, RecordKind, ServerComponent

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_LINE_BREAK = re.compile(r"[\r\n]+[ \t]*")


def message_text(message: "Message | ContextMessage") -> str:
    """Return a message as text: its words, and a line for each call of a tool."""
    from memoryd import ToolCall

    calls = [f"{part.name}({part.arguments_json})" for part in message.parts if isinstance(part, ToolCall)]
    return "\n".join(each for each in (message.text, *calls) if each)


def duration(seconds: float) -> str:
    """Return a duration in its largest unit: ``12s``, ``3m``, ``5h``, ``8d``; at least ``0s``."""
    whole = max(0, int(seconds))
    for length, unit in _UNITS:
        if whole >= length:
            return f"{whole // length}{unit}"
    return f"{whole}s"


def age(moment: datetime, now: datetime) -> str:
    """Return the time since a moment, such as ``3m``."""
    return duration((now - moment).total_seconds())


def local_time(moment: datetime) -> str:
    """Return a moment in the time zone of this machine, such as ``2026-05-20 14:30:05``."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def remaining(moment: datetime | None, now: datetime) -> str:
    """Return the time until a moment, such as ``in 3m``; empty for None."""
    return "" if moment is None else f"in {duration((moment - now).total_seconds())}"


def size(count: int) -> str:
    """Return a number of bytes with two or three digits: ``17 B``, ``1.2 KiB``, ``340 MiB``."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1000:
            return f"{count} B" if unit == "B" else f"{amount:.{1 if amount < 10 else 0}f} {unit}"
        amount /= 1024
    return f"{amount:.{1 if amount < 10 else 0}f} TiB"


def plain(text: str) -> str:
    """Return the text with characters escaped that would move the cursor, break the line or turn its direction.

    They are escaped as in JSON, so that a JSON value stays valid.
    """
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(value_json: str) -> str:
    """Return JSON text on one line. Only whitespace changes: a JSON string contains no raw line break."""
    return _LINE_BREAK.sub(" ", value_json)


def preview(value_json: str) -> str:
    """Return the beginning of a value on one line, for a table."""
    return plain(one_line(value_json[:PREVIEW_CHARACTERS_MAX]))


def laid_out(value_json: str) -> str:
    """Return JSON text with its structure indented, and its numbers and strings verbatim."""
    return "\n".join(plain(line) for line in msgspec.json.format(value_json, indent=2).split("\n"))


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 entry``, ``2 entries``, ``3 links``."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def component_text(found: "ServerComponent", now: datetime) -> str:
    """Return the state of a component, and its fault with its age: ``degraded for 5m: the store is full``."""
    return f"{found.state} for {age(found.start_time, now)}: {found.reason}" if found.reason else str(found.state)


def plural(kind: str) -> str:
    """Return the words for several records of a kind: ``entity windows`` for ``entity_window``."""
    words = kind.replace("_", " ")
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"


def counted_kinds(counts: "Mapping[RecordKind, int] | Mapping[str, int]") -> str:
    """Return numbers of records by kind: ``1 entry, 2 memories``, or ``no records``."""
    words = (counted(count, kind.replace("_", " "), plural(kind)) for kind, count in counts.items() if count)
    return ", ".join(words) or "no records"
