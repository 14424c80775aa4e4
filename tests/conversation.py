"""Conversations, and questions about them with the turns that people named as evidence; memories made of the turns.

A file of them is JSON: ``{"conversations": [{"name", "speakers", "turns": [...], "questions": [...]}]}``.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import msgspec
from google.protobuf.timestamp_pb2 import Timestamp

from memoryd.v1.conversation_pb2 import MESSAGE_ROLE_USER, MessageDraft
from memoryd.v1.long_term_memory_service_pb2 import MemoryDraft
from memoryd.v1.memory_pb2 import Provenance

TIME_FORMAT = "%I:%M %p on %d %B, %Y"


class Turn(msgspec.Struct, frozen=True):
    """One utterance. ``time`` is its session's, such as ``1:56 pm on 8 May, 2023``, interpreted as UTC.

    ``caption`` describes the picture that was sent with it. A fact that nobody says has no ``speaker``.
    """

    id: str
    session: int
    time: str
    speaker: str
    text: str
    caption: str = ""

    @property
    def content(self) -> str:
        """The text that is remembered."""
        said = f"{self.speaker}: {self.text}" if self.speaker else self.text
        return said + (f" [{self.caption}]" if self.caption else "")


class Question(msgspec.Struct, frozen=True):
    """A question, and the ids of the turns that a person needs to answer it."""

    question: str
    category: str
    evidence: tuple[str, ...]


class Conversation(msgspec.Struct, frozen=True):
    """A conversation of two people over several sessions, in order, and the questions about it."""

    name: str
    speakers: tuple[str, ...]
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


class _File(msgspec.Struct, frozen=True):
    conversations: tuple[Conversation, ...]


def read_conversations(path: Path) -> Sequence[Conversation]:
    """Return the conversations of a file. Raises OSError, and ValueError that names the place of a format error."""
    conversations = msgspec.json.decode(path.read_bytes(), type=_File).conversations
    for conversation in conversations:
        turn_ids = {turn.id for turn in conversation.turns}
        for question in conversation.questions:
            if unknown := set(question.evidence) - turn_ids:
                raise ValueError(f"{conversation.name}: {question.question!r} names no turn by {sorted(unknown)}")
    return conversations


def memory_drafts(conversation: Conversation) -> Sequence[MemoryDraft]:
    """Return a memory for each turn, under the turn's id.

    The user is the conversation's name, each session is a conversation, and its turns have positions from 1.
    """
    return [
        MemoryDraft(
            memory_id=turn.id,
            content=turn.content,
            user_id=conversation.name,
            provenance=Provenance(conversation_id=f"session-{session}", position=position),
            occur_time=_timestamp(turn.time),
            allow_duplicates=True,
            skip_contradictions=True,
        )
        for session, turns in groupby(conversation.turns, key=lambda each: each.session)
        for position, turn in enumerate(turns, 1)
    ]


def message_drafts(conversation: Conversation) -> Sequence[MessageDraft]:
    """Return a message of a person for each turn, with the name of its speaker."""
    return [
        MessageDraft(
            role=MESSAGE_ROLE_USER,
            name=turn.speaker,
            content=turn.text or turn.caption,
            create_time=_timestamp(turn.time),
        )
        for turn in conversation.turns
    ]


def _timestamp(time: str) -> Timestamp:
    seconds = datetime.strptime(time, TIME_FORMAT).replace(tzinfo=UTC).timestamp()
    return Timestamp(seconds=int(seconds))
