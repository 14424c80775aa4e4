"""An embedder with a static table: the vector of a text is the weighted mean of its tokens' vectors."""

import asyncio
import logging
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd_server.models.embedding.familiarity import familiarity_of
from memoryd_server.models.embedding.folder import identity_of
from memoryd_server.models.limit import EMBEDDED_CHARACTERS_TOGETHER, EMBEDDED_TEXTS_TOGETHER, EMBEDDED_TOKENS_MAX
from memoryd_server.ports.retrieval import EmbedderUnavailable, Familiarity, WordTable

if TYPE_CHECKING:
    import numpy as np
    from model2vec import StaticModel
    from numpy.typing import NDArray

log = logging.getLogger("memoryd.embedding")


DEFAULT_TABLE = Path(__file__).with_name("table")
_DEFAULT_MODEL = "all-MiniLM-L6-v2/static"


class StaticEmbedder:
    """Implements ``ports.retrieval.Embedder`` with a model2vec folder, by default the one in the distribution.

    A vector has length 1, or is zero for a text without a token of the table. It does not depend on the other texts of
    the call. The table is loaded at the first use, in a thread, which takes most of a second and about 110 MB. Nothing
    is ever downloaded. Raises OSError, and ValueError that says why a folder cannot be used.
    """

    is_immediate = True

    def __init__(self, folder: Path | None = None) -> None:
        # Absolute, because model2vec takes a missing relative path for the name of a model, and downloads it.
        self._folder = (folder or DEFAULT_TABLE).absolute()
        self.identity = identity_of(self._folder, self._folder.name if folder else _DEFAULT_MODEL)
        self._model: StaticModel | None = None
        self._token_weights: NDArray[np.float32] | None = None
        self._loading: asyncio.Task[StaticModel] | None = None
        self._lock = threading.Lock()

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return the vectors of texts. Raises EmbedderUnavailable if the table cannot be loaded."""
        model = self._model or await self._loaded()
        vectors: list[bytes] = []
        portions = list(_portions(texts))
        for together in portions:
            if len(portions) == 1:
                vectors.extend(_vectors(model, together))
            else:
                vectors.extend(await asyncio.to_thread(_vectors, model, together))
        return vectors

    def familiarity_of(self, text: str) -> Familiarity:
        """Return how well the table knows the words of a text. Before the table is loaded, all count as known."""
        model = self._model
        if model is None:
            return Familiarity()
        if self._token_weights is None:
            self._token_weights = _token_weights(model)
        cut = text[:EMBEDDED_CHARACTERS_TOGETHER]
        return familiarity_of(model.tokenizer.encode(cut, add_special_tokens=False), cut, self._token_weights)

    def word_table(self) -> WordTable:
        """Return the vectors of the table's words; see ``WordVectors``. Raises EmbedderUnavailable."""
        return _word_table(self._loaded_now())

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    async def _loaded(self) -> "StaticModel":
        if self._loading is None:
            self._loading = asyncio.create_task(self._load(), name="static table")
        # Loading continues if this caller is cancelled. Otherwise callers with short deadlines would never get it done.
        return await asyncio.shield(self._loading)

    async def _load(self) -> "StaticModel":
        try:
            return await asyncio.to_thread(self._loaded_now)
        finally:
            self._loading = None

    def _loaded_now(self) -> "StaticModel":
        with self._lock:
            if self._model is None:
                try:
                    self._model = _load(self._folder)
                except Exception as error:
                    log.exception("embedding table cannot be loaded", extra={"folder": str(self._folder)})
                    raise EmbedderUnavailable("the embedding table cannot be loaded") from error
            return self._model


def _load(folder: Path) -> "StaticModel":
    # Imported here because it takes longer than the rest of the daemon, which may never need it.
    from model2vec import StaticModel

    return StaticModel.from_pretrained(folder)


def _word_table(model: "StaticModel") -> WordTable:
    import numpy as np

    numbers = model.tokenizer.get_vocab()
    words, equivalents, first = list[str](), dict[str, int](), dict[int, int]()
    for word in sorted(numbers, key=numbers.__getitem__):
        row = numbers[word] if model.token_mapping is None else int(model.token_mapping[numbers[word]])
        if row in first:
            equivalents[word] = first[row]
        else:
            first[row] = len(words)
            words.append(word)
    rows = model.embedding[np.fromiter(first, np.intp, len(first))]
    if rows.dtype != np.int8:
        greatest = float(np.max(np.abs(rows), initial=0.0))
        rows = np.rint(rows * (127 / greatest if greatest else 0.0)).astype(np.int8)
    return WordTable(words, np.ascontiguousarray(rows).data.cast("B"), equivalents)


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


def _vectors(model: "StaticModel", texts: list[str]) -> list[bytes]:
    import numpy as np

    means = model.encode(texts, max_length=EMBEDDED_TOKENS_MAX, normalize=False, use_multiprocessing=False).astype(
        np.float64
    )
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    # A vector that is infinite or undefined, because the table is damaged, becomes zero, too.
    unit = np.divide(means, lengths, out=np.zeros_like(means), where=(lengths > 0) & np.isfinite(lengths))
    return [row.tobytes() for row in unit.astype("<f4")]


def _token_weights(model: "StaticModel") -> "NDArray[np.float32]":
    """Return the length of each token's vector in a mean."""
    import numpy as np

    rows = model.embedding if model.token_mapping is None else model.embedding[model.token_mapping]
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float32))
    return np.asarray(lengths if model.weights is None else lengths * model.weights, np.float32)
