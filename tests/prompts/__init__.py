"""Texts that try to leave their section of a prompt."""

from pathlib import Path
from typing import Any

import yaml

_READ: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("attacks.yaml").read_text("utf-8"))

ATTACKS: tuple[tuple[str, str], ...] = tuple(
    (text, safe) for group in _READ["attacks"].values() for text, safe in group
)
"""Texts, and how they are rendered."""
HARMLESS: tuple[str, ...] = tuple(_READ["harmless"])
"""Texts that are rendered as they are."""
