"""The daemon's own table of vectors, for whoever is compared with it."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model2vec import StaticModel

TABLE = Path(__file__).parents[3] / "daemon" / "memoryd_server" / "retrieval" / "embedding" / "table"
DIMENSIONS = 256


def load_table() -> "StaticModel":
    """The table, loaded; nothing is downloaded."""
    from model2vec import StaticModel

    return StaticModel.from_pretrained(TABLE)
