"""Commands by which a daemon ingests conversations by itself: it leases them, and releases or settles them."""

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.conversations.conversation import CONVERSATION, CONVERSATION_KEY, MESSAGE
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS, DueIngestion
from memoryd_server.domain.limit import INGESTION_LEASE_NS_MAX, INGESTION_LEASE_NS_MIN


class IngestionsLeased(Result, frozen=True, array_like=True, tag=True):
    """The result of LeaseIngestions: the conversations, the first that was due first."""

    conversation_ids: tuple[str, ...]
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, where each conversation counts as a result."""
        return RESULT_BYTES * (1 + len(self.conversation_ids))


class LeaseIngestions(Command[IngestionsLeased], frozen=True):
    """Lease at most ``count_max`` of the conversations that are due to be ingested.

    They are due again when the lease ends, unless they were ingested. Each lease is twice as long as the one before, so
    that what fails is tried less and less often.
    """

    count_max: int

    def decide(self, transition: Transition) -> IngestionsLeased:
        """Postpone the conversations by the duration of their leases. No event reports it: the revision stays."""
        transition.keep_revision()
        editor = transition.open(DUE_INGESTIONS)
        leased = tuple(editor.due.deadlines.due(transition.now, self.count_max))
        for conversation_id in leased:
            attempts = editor.due.by_id[conversation_id].attempts
            editor.put(DueIngestion(conversation_id, transition.now + lease_ns(attempts), attempts + 1))
        transition.find_next_deadline()
        return IngestionsLeased(leased, transition.revision)


class IngestionsReleased(Result, frozen=True, array_like=True, tag=True):
    """The result of ReleaseIngestions."""

    revision: int


class ReleaseIngestions(Command[IngestionsReleased], frozen=True):
    """End the leases of conversations that were not ingested because the daemon stops: they are due at once.

    The attempt does not count.
    """

    conversation_ids: tuple[str, ...]

    def decide(self, transition: Transition) -> IngestionsReleased:
        """Let those that are still leased be due now. No event reports it, so that the revision stays."""
        transition.keep_revision()
        editor = transition.open(DUE_INGESTIONS)
        for conversation_id in self.conversation_ids:
            before = editor.due.by_id.get(conversation_id)
            if before is not None and before.attempts and before.due_time > transition.now:
                editor.put(DueIngestion(conversation_id, transition.now, before.attempts - 1))
        return IngestionsReleased(transition.revision)


class IngestionSettled(Result, frozen=True, array_like=True, tag=True):
    """The result of SettleIngestion."""

    revision: int


class SettleIngestion(Command[IngestionSettled], frozen=True):
    """Let a conversation be no longer due, if it has no messages left to read."""

    conversation_id: str

    def decide(self, transition: Transition) -> IngestionSettled:
        """Remove what is due of the conversation. No event reports it, so that the revision stays."""
        transition.keep_revision()
        conversation = transition.open(CONVERSATION).records.find(self.conversation_id, CONVERSATION_KEY)
        messages = transition.open(MESSAGE).records.group(self.conversation_id).values()
        if conversation is None or all(each.number <= conversation.ingested_number for each in messages):
            transition.open(DUE_INGESTIONS).drop(self.conversation_id)
        return IngestionSettled(transition.revision)


def lease_ns(attempts: int) -> int:
    """Return the duration in nanoseconds of a lease that follows a number of earlier ones."""
    # The exponent is bounded: a number of attempts is not.
    return min(INGESTION_LEASE_NS_MIN << min(attempts, 16), INGESTION_LEASE_NS_MAX)
