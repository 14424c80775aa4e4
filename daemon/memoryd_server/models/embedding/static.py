"""Embeds by a static table: the vector of a text is the weighted mean of its tokens' vectors."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd_server.models.embedding.folder import identity_of
from memoryd_server.models.limit import EMBEDDED_CHARACTERS_TOGETHER, EMBEDDED_TEXTS_TOGETHER, EMBEDDED_TOKENS_MAX
from memoryd_server.ports.retrieval import EmbedderUnavailable

if TYPE_CHECKING:
    from model2vec import StaticModel

log = logging.getLogger("memoryd.embedding")


DEFAULT_TABLE = Path(__file__).with_name("table")
_DEFAULT_MODEL = "all-MiniLM-L6-v2/static"


class StaticEmbedder:
    """Implements ``ports.retrieval.Embedder`` with a folder of model2vec: the one of the distribution unless named.

    A vector has length 1, or is zero for a text without a token that the table knows. The same text has the same
    vector, whatever it is embedded together with. The table is loaded at the first use, in a thread: that takes most of
    a second, and some 70 MB. Nothing is ever downloaded. Raises ValueError that says why a folder is of no use, and
    OSError.
    """

    is_immediate = True

    def __init__(self, folder: Path | None = None) -> None:
        # Absolute, since model2vec would take another path that is not there for a name, and ask a hub for it.
        self._folder = (folder or DEFAULT_TABLE).absolute()
        self.identity = identity_of(self._folder, self._folder.name if folder else _DEFAULT_MODEL)
        self._model: StaticModel | None = None
        self._loading: asyncio.Task[StaticModel] | None = None

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """The vectors of texts. Raises EmbedderUnavailable when the table cannot be loaded."""
        model = self._model or await self._loaded()
        vectors: list[bytes] = []
        portions = list(_portions(texts))
        for together in portions:
            if len(portions) == 1:
                vectors.extend(_vectors(model, together))
            else:
                vectors.extend(await asyncio.to_thread(_vectors, model, together))
        return vectors

    async def close(self) -> None:
        """Nothing is held open."""

    async def _loaded(self) -> "StaticModel":
        if self._loading is None:
            self._loading = asyncio.create_task(self._load(), name="static table")
        # It goes on when this one waits no longer: else none who has less time than it takes would ever be answered.
        return await asyncio.shield(self._loading)

    async def _load(self) -> "StaticModel":
        try:
            self._model = await asyncio.to_thread(_load, self._folder)
        except Exception as error:
            log.exception("The static table cannot be loaded", extra={"folder": str(self._folder)})
            raise EmbedderUnavailable("the static table cannot be loaded") from error
        finally:
            self._loading = None
        return self._model


def _load(folder: Path) -> "StaticModel":
    # It takes longer than the rest of the daemon, which may never need it.
    from model2vec import StaticModel

    return StaticModel.from_pretrained(folder)


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts that are embedded together, in order."""
    together: list[str] = []
    characters = 0
    for text in texts:
        if together and (
            len(together) == EMBEDDED_TEXTS_TOGETHER or characters + len(text) > EMBEDDED_CHARACTERS_TOGETHER
        ):
            yield together
            together, characters = [], 0
        together.append(text)
        characters += len(text)
    if together:
        yield together


def _vectors(model: "StaticModel", texts: list[str]) -> list[bytes]:
    import numpy as np

    means = model.encode(texts, max_length=EMBEDDED_TOKENS_MAX, normalize=False, use_multiprocessing=False).astype(
        np.float64
    )
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    # What a damaged table leaves infinite or undefined is no vector either.
    unit = np.divide(means, lengths, out=np.zeros_like(means), where=(lengths > 0) & np.isfinite(lengths))
    return [row.tobytes() for row in unit.astype("<f4")]
