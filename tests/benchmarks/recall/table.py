"""The daemon's own table of vectors, for the contenders that are compared with the daemon."""

from typing import TYPE_CHECKING

from memoryd_server.models.embedding.static import DEFAULT_TABLE

if TYPE_CHECKING:
    from model2vec import StaticModel

DIMENSIONS = 256


def load_table() -> "StaticModel":
    """Load the table, and return it; nothing is downloaded."""
    from model2vec import StaticModel

    return StaticModel.from_pretrained(DEFAULT_TABLE)
