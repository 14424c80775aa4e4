"""A folder with a static table, as model2vec saves it: which files there are, and what identifies them."""

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
    """The identity of a folder's table. Its version is a digest of the vectors and the tokenizer.

    Reads the files without what model2vec needs to load them, which takes many times longer. Raises ValueError that
    says what is missing, and OSError.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise ValueError(f"{folder} is no folder of model2vec: it has no {', '.join(missing)}")
    digest = hashlib.blake2b(digest_size=_VERSION_BYTES)
    for name in (TOKENIZER_FILE, VECTORS_FILE):
        with (folder / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, hashlib.blake2b).digest())
    return EmbeddingIdentity(model, digest.hexdigest(), _dimensions(folder / VECTORS_FILE))


def _dimensions(path: Path) -> int:
    """How long the vectors are, by the header of the file: eight bytes for its length, then JSON."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = file.read(min(length, EMBEDDER_HEADER_BYTES_MAX))
    try:
        _, dimensions = json.loads(header)["embeddings"]["shape"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} holds no table of model2vec") from error
    if not isinstance(dimensions, int) or dimensions < 1:
        raise ValueError(f"{path} holds no table of model2vec")
    return dimensions
