"""The table of vectors that the daemon ships, for the libraries that are compared with it."""

from typing import TYPE_CHECKING

from memoryd_server.models.embedding.static import DEFAULT_TABLE

if TYPE_CHECKING:
    from model2vec import StaticModel

DIMENSIONS = 256


def load_table() -> "StaticModel":
    """The table, loaded; nothing is downloaded."""
    from model2vec import StaticModel

    return StaticModel.from_pretrained(DEFAULT_TABLE)
