"""Commands that forget a user in all kinds of memory."""

from collections import Counter
from collections.abc import Mapping

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.agents.agent import AGENT
from memoryd_server.domain.agents.agent_subject import AgentSubject
from memoryd_server.domain.erasures.erasure import Erasure, is_of_user
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.limit import FORGOTTEN_RECORDS_TOGETHER_MAX
from memoryd_server.domain.record_kind import RecordKind


class UserForgotten(Result, frozen=True, array_like=True, tag=True):
    """The result of ForgetUser: the number of removed live records, by kind.

    If ``is_complete`` is false, records of the user are left: the caller must repeat the command.
    """

    counts: dict[RecordKind, int]
    revision: int
    is_complete: bool = True

    @property
    def is_provisional(self) -> bool:
        """True if records of the user are left."""
        return not self.is_complete


class ForgetUser(Command[UserForgotten], frozen=True):
    """Remove a user's records of all kinds: a bounded number of them, so that it must be repeated until none is left.

    The user is the one with this digest; see ``Erasure``. ``counts`` has what was removed before. An erasure is left in
    the state, and an event in the journal, even if the user had no records: of such as were deleted before, the journal
    may still have the content.
    """

    erasure_id: str
    user_digest: bytes
    blocks_reimport: bool = False
    counts: Mapping[RecordKind, int] = {}

    def decide(self, transition: Transition) -> UserForgotten:
        """Remove records of the user, unless the agent does not exist."""
        state = transition.state
        if not state.exists:
            return UserForgotten(dict(self.counts), state.revision)
        is_of = is_of_user(self.erasure_id, self.user_digest)
        removal = UserRemoval(is_of, FORGOTTEN_RECORDS_TOGETHER_MAX, blocks_reimport=self.blocks_reimport)
        counts: Counter[RecordKind] = Counter()
        for part in PARTS:
            if part.name in state.parts and removal.is_complete:
                counts.update(transition.open(part).forget_user(removal))
        erasure = Erasure(
            self.erasure_id,
            self.user_digest,
            transition.now,
            transition.revision,
            removal.is_complete,
            self.blocks_reimport,
        )
        transition.open(ERASURES).put(erasure)
        subject = AgentSubject(
            dict(+counts),
            create_time=state.create_time,
            description=next(iter(state.part(AGENT)), None),
            erasure_id=self.erasure_id,
            user_digest=self.user_digest,
        )
        transition.emit(EventType.USER_FORGOTTEN, EventCause.REQUEST, subject)
        counts.update(self.counts)
        return UserForgotten(dict(+counts), transition.revision, removal.is_complete)


class ErasuresFinished(Result, frozen=True, array_like=True, tag=True):
    """The result of FinishErasures."""

    revision: int


class FinishErasures(Command[ErasuresFinished], frozen=True):
    """Record that the journal has nothing of these users any more; see ``Erasure``."""

    erasures: tuple[Erasure, ...]

    def decide(self, transition: Transition) -> ErasuresFinished:
        """Drop those of the erasures that are still as they are here."""
        editor = transition.open(ERASURES)
        for erasure in self.erasures:
            if editor.erasures.by_id.get(erasure.erasure_id) == erasure:
                editor.drop(erasure.erasure_id)
        transition.find_next_deadline()
        transition.keep_revision()
        return ErasuresFinished(transition.state.revision)


UserRemovalResult = UserForgotten | ErasuresFinished
