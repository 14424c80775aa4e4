"""The variables of a scenario."""

import json
import re
from typing import Any

from conformance.comparison import ABSENT, PRESENT
from conformance.document import ScenarioError

_NAME = re.compile(r"\$\{(\w+)\}")


class Variables:
    """The values of ``${name}`` by name. Each task has its own copy."""

    def __init__(self, values: dict[str, str]) -> None:
        self._values = values

    def extended(self, **values: str) -> "Variables":
        """Return a copy with further values."""
        return Variables({**self._values, **values})

    def save(self, name: str, path: str, message: Any) -> None:
        """Save the part of a message at a path, which is names and indexes separated by dots."""
        found = message
        for step in path.split("."):
            try:
                found = found[int(step)] if isinstance(found, list) else found[step]
            except (KeyError, IndexError, ValueError, TypeError):
                raise ScenarioError(f"response has no {path}") from None
        if not isinstance(found, str | int | float):
            raise ScenarioError(f"response has no text at {path}")
        self._values[name] = found if isinstance(found, str) else json.dumps(found)

    def filled(self, value: Any) -> Any:
        """Return the value with all names replaced."""
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
