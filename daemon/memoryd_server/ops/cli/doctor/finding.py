"""The outcome of a check."""

from typing import Literal

import msgspec

State = Literal["ok", "warn", "fail"]


class Finding(msgspec.Struct, frozen=True):
    """The outcome of a check: what was found and, unless it is ok, what to do about it."""

    check: str
    state: State
    found: str
    remedy: str = ""


def ok(check: str, found: str) -> Finding:
    """Return a finding that needs no remedy."""
    return Finding(check, "ok", found)
