"""The daemon as a contender, through its public API: an agent for each conversation."""

from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.recall.contender import LIMIT, Answer, timed
from tests.conversation import Conversation, memory_drafts

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.long_term_memory_service_pb2_grpc import LongTermMemoryServiceStub

_BATCH_MEMORIES = 500


class Daemon:
    """A ``Contender``: the running daemon, until it is restarted."""

    def __init__(self, name: str, about: str, process: DaemonProcess) -> None:
        self.name = name
        self.about = about
        self._memories = LongTermMemoryServiceStub(process.channel)

    def store(self, conversation: Conversation) -> None:
        """Create a memory for each turn, for the agent of the conversation's name."""
        drafts = memory_drafts(conversation)
        for start in range(0, len(drafts), _BATCH_MEMORIES):
            together = drafts[start : start + _BATCH_MEMORIES]
            request = pb.BatchCreateMemoriesRequest(agent_id=conversation.name, drafts=together)
            self._memories.BatchCreateMemories(request)

    def recall(self, conversation: Conversation, question: str) -> Answer:
        """Return the turns that match best."""
        every = {"all_users": True}
        request = pb.RecallMemoriesRequest(agent_id=conversation.name, query=question, limit=LIMIT, filter=every)
        return timed(lambda: [each.memory.memory_id for each in self._memories.RecallMemories(request).memories])
