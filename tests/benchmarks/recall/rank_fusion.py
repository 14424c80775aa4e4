"""Words and meaning by reciprocal rank fusion with equal weights, the usual way to join two lists."""

from collections import defaultdict
from collections.abc import Sequence

from tests.benchmarks.recall.contender import LIMIT, Answer, timed
from tests.benchmarks.recall.fts5 import Fts5
from tests.benchmarks.recall.vectors import Vectors
from tests.conversation import Conversation

_RANK_OFFSET = 60
"""The constant of the paper that introduced the method (Cormack, Clarke and Büttcher, 2009)."""
_DEPTH = 100


class RankFusion:
    """A ``Contender``: joins the first hundred of each list."""

    name = "rank fusion"
    about = f"FTS5 and vectors as above, each 1/({_RANK_OFFSET} + rank)"

    def __init__(self) -> None:
        self._lists = (Fts5(), Vectors())

    def store(self, conversation: Conversation) -> None:
        """Store all turns of a conversation."""
        for each in self._lists:
            each.store(conversation)

    def recall(self, conversation: Conversation, question: str) -> Answer:
        """Return the turns that match best."""
        return timed(lambda: fused([each.found(conversation, question, _DEPTH) for each in self._lists])[:LIMIT])


def fused(lists: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return the ids of several ranked lists as one list, the best first."""
    scores: defaultdict[str, float] = defaultdict(float)
    for each in lists:
        for rank, turn_id in enumerate(each, 1):
            scores[turn_id] += 1 / (_RANK_OFFSET + rank)
    return sorted(scores, key=lambda turn_id: -scores[turn_id])
