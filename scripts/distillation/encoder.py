"""The forward pass of a small BERT encoder in NumPy: as much as all-MiniLM-L6-v2 needs for single tokens."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

HEADS = 12
LAYER_NORM_EPSILON = np.float32(1e-12)


class Encoder:
    """An encoder with the tensors of a Hugging Face ``BertModel`` with 12 attention heads and any other sizes."""

    def __init__(self, tensors: Mapping[str, Array]) -> None:
        self._tensors = tensors
        self._layers = len({name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")})

    @property
    def vocabulary_size(self) -> int:
        return len(self._tensors["embeddings.word_embeddings.weight"])

    def encode(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return the mean of the last layer for each row of token ids. Rows have one length, so nothing is masked."""
        count, length = ids.shape
        embedding = "embeddings.{}.weight".format
        hidden = self._tensors[embedding("word_embeddings")][ids]
        hidden = hidden + self._tensors[embedding("position_embeddings")][:length]
        hidden = hidden + self._tensors[embedding("token_type_embeddings")][0]
        # One large product of matrices for all tokens is many times faster than one for each row.
        hidden = self._normalise(hidden.reshape(count * length, -1), "embeddings.LayerNorm")
        for number in range(self._layers):
            hidden = self._layer(hidden, length, f"encoder.layer.{number}")
        return np.asarray(hidden.reshape(count, length, -1).mean(axis=1))

    def _layer(self, hidden: Array, length: int, name: str) -> Array:
        attended = self._attention(hidden, length, f"{name}.attention.self")
        attended = self._linear(attended, f"{name}.attention.output.dense")
        hidden = self._normalise(hidden + attended, f"{name}.attention.output.LayerNorm")
        widened = gelu(self._linear(hidden, f"{name}.intermediate.dense"))
        return self._normalise(hidden + self._linear(widened, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, hidden: Array, length: int, name: str) -> Array:
        rows, width = hidden.shape
        shape = (rows // length, length, HEADS, width // HEADS)
        query, key, value = (
            self._linear(hidden, f"{name}.{part}").reshape(shape).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(np.float32(width // HEADS))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return np.asarray((weights @ value).transpose(0, 2, 1, 3).reshape(rows, width))

    def _linear(self, hidden: Array, name: str) -> Array:
        return np.asarray(hidden @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"])

    def _normalise(self, hidden: Array, name: str) -> Array:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + LAYER_NORM_EPSILON)
        return np.asarray(scaled * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"])


def gelu(values: Array) -> Array:
    return np.asarray(values * np.float32(0.5) * (1 + error_function(values / np.sqrt(np.float32(2)))))


def error_function(values: Array) -> Array:
    """Return erf by the approximation 7.1.26 of Abramowitz and Stegun: to 1.5e-7, about the precision of float32."""
    size = np.abs(values)
    part = 1 / (1 + np.float32(0.3275911) * size)
    polynomial = np.zeros_like(part)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        polynomial = (polynomial + np.float32(factor)) * part
    return np.asarray(np.sign(values) * (1 - polynomial * np.exp(-size * size)))
