"""Meaning only: the cosine of the daemon's own table, compared with every text."""

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
        """Take in all turns."""
        self._matrices[conversation.name] = self._table.encode([turn.content for turn in conversation.turns])

    def recall(self, conversation: Conversation, question: str) -> Answer:
        """The turns that match best."""
        return timed(lambda: self.found(conversation, question, LIMIT))

    def found(self, conversation: Conversation, question: str, limit: int) -> Sequence[str]:
        """The ids of so many turns."""
        cosines = self._matrices[conversation.name] @ self._table.encode([question])[0]
        best = np.argsort(-cosines, kind="stable")[:limit]
        return [conversation.turns[number].id for number in best]
