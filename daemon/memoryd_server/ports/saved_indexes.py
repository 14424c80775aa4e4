"""The port of saved indexes: files from which an index is made faster than from the records alone.

They are derived, and may be missing at any time. All methods block, are called outside of the event loop and may be
called by several threads at a time. They never raise: what fails is logged.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol

import msgspec


class SavedIndex(msgspec.Struct, frozen=True):
    """The file of one agent's index, which has the items that the agent had at a revision."""

    agent_id: str
    revision: int


class Draft(msgspec.Struct, frozen=True):
    """The permission to save an agent's index. A later ``remove`` of the agent's file withdraws it."""

    agent_id: str
    removals: int


class SavedIndexes(Protocol):
    """The saved indexes of one part of the agents, at most one of each agent."""

    def open(self) -> None:
        """Find the files that exist, and remove the remains of interrupted writes."""

    def read(self, agent_id: str) -> AbstractContextManager[BinaryIO | None]:
        """Return a context manager of an agent's file, open to be read; None if there is none."""
        ...

    def begin(self, agent_id: str) -> Draft:
        """Permit to save an agent's index. To be called before the saved items are chosen. It does not block."""
        ...

    def write(self, draft: Draft, revision: int, save: Callable[[BinaryIO], None]) -> int:
        """Replace an agent's file by what ``save`` writes. Return its size in bytes; 0 if it was not saved.

        Nothing is saved if the draft was withdrawn, or if the disk is nearly full.
        """
        ...

    def confirm(self, agent_id: str, revision: int) -> None:
        """Note that an agent's file has the items of this revision, too."""

    def remove(self, agent_id: str) -> None:
        """Remove an agent's file, and withdraw the drafts of the agent. Nothing of it is left in the file system."""

    def remove_all(self) -> None:
        """Remove all files, to make room."""

    def older_than(self, age_s: float) -> Sequence[SavedIndex]:
        """Return the files that were written or confirmed longer ago than this."""
        ...
