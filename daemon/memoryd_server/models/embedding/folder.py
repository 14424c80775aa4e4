"""A folder with a static table in the format of model2vec: its files, and the table's identity."""

import hashlib
import json
from pathlib import Path

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.models.limit import EMBEDDER_HEADER_BYTES_MAX

VECTORS_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
FILES = ("config.json", TOKENIZER_FILE, VECTORS_FILE)

_VERSION_BYTES = 8


def identity_of(folder: Path, model: str) -> EmbeddingIdentity:
    """Return the identity of a folder's table. Its version is a digest of the vectors and the tokenizer.

    Raises OSError, and ValueError that says what is missing.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise ValueError(f"{folder} is not a model2vec folder: it lacks {', '.join(missing)}")
    digest = hashlib.blake2b(digest_size=_VERSION_BYTES)
    for name in (TOKENIZER_FILE, VECTORS_FILE):
        with (folder / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, hashlib.blake2b).digest())
    return EmbeddingIdentity(model, digest.hexdigest(), _dimensions(folder / VECTORS_FILE))


def _dimensions(path: Path) -> int:
    """Return the length of the vectors from the header of the file: eight bytes for its length, then JSON."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = file.read(min(length, EMBEDDER_HEADER_BYTES_MAX))
    try:
        _, dimensions = json.loads(header)["embeddings"]["shape"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} contains no model2vec table") from error
    if not isinstance(dimensions, int) or dimensions < 1:
        raise ValueError(f"{path} contains no model2vec table")
    return dimensions
