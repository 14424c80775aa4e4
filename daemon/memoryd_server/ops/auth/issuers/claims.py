"""The claims of a token, by the names that a policy gives them."""

from collections.abc import Mapping, Sequence
from typing import Any

from memoryd_server.domain.values.agent_pattern import WILDCARD

Accepted = str | bool | int

_WORDS = ("scope", "scp")
"""Claims that are a text of several words, by RFC 9068 and by custom."""


class Claims:
    """The claims of a token that was verified. ``paths`` has those that are not at its top, or whose names are long."""

    def __init__(self, claims: Mapping[str, Any], paths: Mapping[str, Sequence[str]]) -> None:
        self._claims = claims
        self._paths = paths

    def value(self, name: str) -> object:
        """Return the value of a claim; None if there is none."""
        found: object = self._claims
        for key in self._paths.get(name, (name,)):
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def has_one_of(self, name: str, accepted: Sequence[Accepted]) -> bool:
        """Return True if the claim is one of these values, or a list with one of them in it.

        An accepted text with ``*`` at its end stands for all that begin so.
        """
        found = self.value(name)
        if name in _WORDS and isinstance(found, str):
            found = found.split()
        values = found if isinstance(found, list) else [found]
        return any(_is_accepted(value, each) for value in values for each in accepted)


def _is_accepted(value: object, accepted: Accepted) -> bool:
    if isinstance(value, str) and isinstance(accepted, str) and accepted.endswith(WILDCARD):
        return value.startswith(accepted.removesuffix(WILDCARD))
    # True is 1 to Python.
    return type(value) is type(accepted) and value == accepted
