"""A table of vectors of tokens with its tokenizer: what a folder in the format of model2vec contains."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Encoding, Tokenizer

from memoryd_server.models.embedding.folder import TOKENIZER_FILE, VECTORS_FILE
from memoryd_server.models.limit import EMBEDDED_TOKENS_MAX
from memoryd_server.ports.retrieval import WordTable


class TokenTable:
    """A row for each token, which is that at its ``mapping``, times its weight. ``lengths`` are those of the vectors.

    The vectors of texts are those that model2vec computes. Raises OSError, and errors of other kinds for a damaged
    folder.
    """

    def __init__(self, folder: Path) -> None:
        tensors = load_file(folder / VECTORS_FILE)
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(EMBEDDED_TOKENS_MAX)
        numbers = self._tokenizer.get_vocab()
        self._tokens = sorted(numbers, key=numbers.__getitem__)
        self._rows = tensors["embeddings"]
        self._weights: NDArray[np.float32] | None = tensors.get("weights")
        self._mapping: NDArray[np.int64] = tensors.get("mapping", np.arange(len(self._rows)))
        if len(self._mapping) != len(self._tokens):
            raise ValueError(f"{len(self._tokens)} tokens have {len(self._mapping)} vectors")
        squares = np.einsum("ij,ij->i", self._rows, self._rows, dtype=np.float32, casting="same_kind")
        self.lengths: NDArray[np.float32] = np.sqrt(squares)[self._mapping]
        if self._weights is not None:
            self.lengths *= self._weights
        self._unknown = _unknown_of(self._tokenizer)
        # Longer texts are cut before they are split into tokens. That may cut tokens off that would count.
        self._characters_max = EMBEDDED_TOKENS_MAX * int(np.median(list(map(len, self._tokens))))

    def means_of(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the means of the vectors of texts' tokens, one in each row; zero for a text without any."""
        cut = [text[: self._characters_max] for text in texts]
        means = np.zeros((len(cut), self._rows.shape[1]))
        for place, encoded in enumerate(self._tokenizer.encode_batch_fast(cut, add_special_tokens=False)):
            tokens = [token for token in encoded.ids if token != self._unknown]
            if tokens:
                rows = self._rows[self._mapping[tokens]]
                means[place] = (rows if self._weights is None else rows * self._weights[tokens][:, None]).mean(axis=0)
        return means

    def encoded(self, text: str) -> Encoding:
        """Return the tokens of a text, with their places in it."""
        return self._tokenizer.encode(text, add_special_tokens=False)

    def word_table(self) -> WordTable:
        """Return the vectors of the tokens. Those that share a row are equivalents of the first of them."""
        _, firsts, which = np.unique(self._mapping, return_index=True, return_inverse=True)
        first_of = firsts[which]
        is_first = first_of == np.arange(len(first_of))
        places = (np.cumsum(is_first) - 1)[first_of].tolist()
        words = [self._tokens[number] for number in np.flatnonzero(is_first).tolist()]
        equivalents = {self._tokens[number]: places[number] for number in np.flatnonzero(~is_first).tolist()}
        rows = self._rows[self._mapping[is_first]]
        if rows.dtype != np.int8:
            greatest = float(np.max(np.abs(rows), initial=0.0))
            rows = np.rint(rows * (127 / greatest if greatest else 0.0)).astype(np.int8)
        return WordTable(words, np.ascontiguousarray(rows).data.cast("B"), equivalents)


def _unknown_of(tokenizer: Tokenizer) -> int | None:
    """Return the number of the token that stands for unknown words; None if there is none."""
    model = tokenizer.model
    if hasattr(model, "unk_token"):
        return None if model.unk_token is None else tokenizer.token_to_id(model.unk_token)
    unknown: int | None = json.loads(tokenizer.to_str())["model"].get("unk_id")
    return unknown
