"""The daemon as a contender, through its public API: an agent for each conversation."""

from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.recall.contender import LIMIT, Answer, timed
from tests.conversation import Conversation, memory_drafts, message_drafts

from memoryd.v1 import conversation_service_pb2 as conversation_pb
from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.conversation_service_pb2_grpc import ConversationServiceStub
from memoryd.v1.long_term_memory_service_pb2_grpc import LongTermMemoryServiceStub

_BATCH_MEMORIES = 500
_TALK = "talk"


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


class Ingesting(Daemon):
    """The same, which also makes memories of what people state: such a memory finds the turn that it was made of."""

    def __init__(self, name: str, about: str, process: DaemonProcess) -> None:
        super().__init__(name, about, process)
        self._conversations = ConversationServiceStub(process.channel)
        self.turn_ids: dict[tuple[str, str], str] = {}
        """The turns of the memories that were made, by the names of their conversations and their ids."""

    def store(self, conversation: Conversation) -> None:
        """Create a memory for each turn, and ingest the turns as messages of their speakers."""
        super().store(conversation)
        drafts = message_drafts(conversation)
        for start in range(0, len(drafts), _BATCH_MEMORIES):
            together = drafts[start : start + _BATCH_MEMORIES]
            self._conversations.AppendMessages(
                conversation_pb.AppendMessagesRequest(
                    agent_id=conversation.name, conversation_id=_TALK, drafts=together
                )
            )
        ingesting = pb.IngestConversationRequest(agent_id=conversation.name, conversation_id=_TALK)
        left = len(drafts)
        while left:
            done = self._memories.IngestConversation(ingesting)
            left = done.remaining_count
            for memory in (each.memory for each in done.results if each.created):
                turn = conversation.turns[memory.provenance.message_number - 1]
                self.turn_ids[conversation.name, memory.memory_id] = turn.id

    def recall(self, conversation: Conversation, question: str) -> Answer:
        """Return the turns that match best, each once, by the best of its memories."""
        answer = super().recall(conversation, question)
        ids = (self.turn_ids.get((conversation.name, each), each) for each in answer.turn_ids)
        return Answer(list(dict.fromkeys(ids)), answer.seconds)
