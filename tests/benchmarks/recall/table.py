"""The daemon's own table of vectors, for the contenders that are compared with the daemon."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model2vec import StaticModel

DIMENSIONS = 256

_TABLE = Path(__file__).parents[3] / "daemon/memoryd_server/models/embedding/table"
"""Not imported from the daemon, whose libraries the processes of the contenders do not have."""


def load_table() -> "StaticModel":
    """Load the table, and return it; nothing is downloaded."""
    from model2vec import StaticModel

    return StaticModel.from_pretrained(_TABLE)
