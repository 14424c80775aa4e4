"""Scenario files: YAML with the scalars of JSON."""

import json
from pathlib import Path
from typing import Any

import yaml


class ScenarioError(Exception):
    """The file is not a scenario that this program understands."""


def read(file: str) -> dict[str, Any]:
    """Return the content of a scenario file. Raises ScenarioError, OSError."""
    try:
        node = yaml.compose(Path(file).read_text("utf-8"), Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise ScenarioError(f"file is not YAML: {error}") from error
    document = None if node is None else _value(node)
    if not isinstance(document, dict) or document.keys() != {"scenario", "rows", "steps"}:
        raise ScenarioError("file must have the keys scenario, rows and steps, and no others")
    return document


def _value(node: yaml.Node) -> Any:
    match node:
        case yaml.MappingNode():
            return {_value(key): _value(value) for key, value in node.value}
        case yaml.SequenceNode():
            return [_value(item) for item in node.value]
        case yaml.ScalarNode(style=None):
            return _plain(node.value)
        case yaml.ScalarNode():
            return node.value
    raise ScenarioError(f"file has an unsupported YAML node {node.tag}")


def _plain(text: str) -> Any:
    """Return a plain scalar as JSON would decode it. YAML 1.1 also converts yes, 1_000 and 12:30:00, for example."""
    try:
        return json.loads(text)
    except ValueError:
        return text
