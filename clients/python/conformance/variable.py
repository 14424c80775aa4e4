"""The names of a scenario, and what they stand for."""

import re
from typing import Any

from conformance.comparison import ABSENT, PRESENT
from conformance.document import ScenarioError

_NAME = re.compile(r"\$\{(\w+)\}")


class Variables:
    """What ``${name}`` stands for. Tasks have copies."""

    def __init__(self, values: dict[str, str]) -> None:
        self._values = values

    def extended(self, **values: str) -> "Variables":
        """Answer a copy that knows more."""
        return Variables({**self._values, **values})

    def save(self, name: str, path: str, message: Any) -> None:
        """Keep a part of a message: a path of names and indexes, with dots between."""
        found = message
        for step in path.split("."):
            try:
                found = found[int(step)] if isinstance(found, list) else found[step]
            except (KeyError, IndexError, ValueError, TypeError):
                raise ScenarioError(f"the response has no {path}") from None
        self._values[name] = str(found)

    def filled(self, value: Any) -> Any:
        """Answer the value with all names replaced."""
        match value:
            case dict():
                return {key: self.filled(item) for key, item in value.items()}
            case list():
                return [self.filled(item) for item in value]
            case str() if value not in (PRESENT, ABSENT):
                return _NAME.sub(lambda match: self._known(match[1]), value)
        return value

    def _known(self, name: str) -> str:
        if name not in self._values:
            raise ScenarioError(f"there is no variable {name}")
        return self._values[name]
