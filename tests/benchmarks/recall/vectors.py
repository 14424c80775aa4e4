"""Meaning only: the cosine between the question and every text, by the daemon's own table."""

import importlib.metadata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from tests.benchmarks.recall.contender import LIMIT, Answer, timed
from tests.benchmarks.recall.table import DIMENSIONS, load_table
from tests.conversation import Conversation


class Vectors:
    """A ``Contender``: a matrix for each conversation."""

    name = "vectors"
    about = (
        f"the daemon's table ({DIMENSIONS} dimensions) by model2vec {importlib.metadata.version('model2vec')},"
        f" exact cosine by NumPy {np.__version__}"
    )

    def __init__(self) -> None:
        self._table = load_table()
        self._matrices: dict[str, npt.NDArray[np.float32]] = {}

    def store(self, conversation: Conversation) -> None:
        """Store all turns of a conversation."""
        self._matrices[conversation.name] = self._table.encode([turn.content for turn in conversation.turns])

    def recall(self, conversation: Conversation, question: str) -> Answer:
        """Return the turns that match best."""
        return timed(lambda: self.found(conversation, question, LIMIT))

    def found(self, conversation: Conversation, question: str, limit: int) -> Sequence[str]:
        """Return the ids of the turns that match best, at most ``limit``."""
        cosines = self._matrices[conversation.name] @ self._table.encode([question])[0]
        best = np.argsort(-cosines, kind="stable")[:limit]
        return [conversation.turns[number].id for number in best]
