"""An embedder with a static table: the vector of a text is the weighted mean of its tokens' vectors."""

import asyncio
import logging
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd_server.models.embedding.familiarity import familiarity_of
from memoryd_server.models.embedding.folder import identity_of
from memoryd_server.models.limit import EMBEDDED_CHARACTERS_TOGETHER, EMBEDDED_TEXTS_TOGETHER
from memoryd_server.ports.retrieval import EmbedderUnavailable, Familiarity, WordTable

if TYPE_CHECKING:
    from memoryd_server.models.embedding.token_table import TokenTable

log = logging.getLogger("memoryd.embedding")


DEFAULT_TABLE = Path(__file__).with_name("table")
_DEFAULT_MODEL = "all-MiniLM-L6-v2/static"


class StaticEmbedder:
    """Implements ``ports.retrieval.Embedder`` with a model2vec folder, by default the one in the distribution.

    A vector has length 1, or is zero for a text without a token of the table. It does not depend on the other texts of
    the call. The table is loaded at the first use, in a thread, which takes a quarter of a second and about 70 MB.
    Raises OSError, and ValueError that says why a folder cannot be used.
    """

    is_immediate = True

    def __init__(self, folder: Path | None = None) -> None:
        # Absolute, because the table is read later, and the working directory may be another one then.
        self._folder = (folder or DEFAULT_TABLE).absolute()
        self.identity = identity_of(self._folder, self._folder.name if folder else _DEFAULT_MODEL)
        self._table: TokenTable | None = None
        self._loading: asyncio.Task[TokenTable] | None = None
        self._lock = threading.Lock()

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return the vectors of texts. Raises EmbedderUnavailable if the table cannot be loaded."""
        table = self._table or await self._loaded()
        vectors: list[bytes] = []
        portions = list(_portions(texts))
        for together in portions:
            if len(portions) == 1:
                vectors.extend(_vectors(table, together))
            else:
                vectors.extend(await asyncio.to_thread(_vectors, table, together))
        return vectors

    def familiarity_of(self, text: str) -> Familiarity:
        """Return how well the table knows the words of a text. Before the table is loaded, all count as known."""
        table, cut = self._table, text[:EMBEDDED_CHARACTERS_TOGETHER]
        return Familiarity() if table is None else familiarity_of(table.encoded(cut), cut, table.lengths)

    def word_table(self) -> WordTable:
        """Return the vectors of the table's words; see ``WordVectors``. Raises EmbedderUnavailable."""
        return self._loaded_now().word_table()

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    async def _loaded(self) -> "TokenTable":
        if self._loading is None:
            self._loading = asyncio.create_task(self._load(), name="static table")
        # Loading continues if this caller is cancelled. Otherwise callers with short deadlines would never get it done.
        return await asyncio.shield(self._loading)

    async def _load(self) -> "TokenTable":
        try:
            return await asyncio.to_thread(self._loaded_now)
        finally:
            self._loading = None

    def _loaded_now(self) -> "TokenTable":
        with self._lock:
            if self._table is None:
                try:
                    self._table = _load(self._folder)
                except Exception as error:
                    log.exception("embedding table cannot be loaded", extra={"folder": str(self._folder)})
                    raise EmbedderUnavailable("the embedding table cannot be loaded") from error
            return self._table


def _load(folder: Path) -> "TokenTable":
    # Imported here because it takes a tenth of a second, and the daemon may never need it.
    from memoryd_server.models.embedding.token_table import TokenTable

    return TokenTable(folder)


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, in portions that are embedded together."""
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


def _vectors(table: "TokenTable", texts: list[str]) -> list[bytes]:
    import numpy as np

    means = table.means_of(texts)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    # A vector that is infinite or undefined, because the table is damaged, becomes zero, too.
    unit = np.divide(means, lengths, out=np.zeros_like(means), where=(lengths > 0) & np.isfinite(lengths))
    return [row.tobytes() for row in unit.astype("<f4")]
