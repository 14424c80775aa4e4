"""Results of commands. They are stored under request ids, so that their fields have a fixed order."""

from typing import Generic, TypeVar

import msgspec

RESULT_BYTES = 256
"""Memory that a result, or one item in it, takes besides the records and texts that it carries."""


class Result(msgspec.Struct, frozen=True, array_like=True):
    """The result of a command. Subclasses have a tag."""

    @property
    def revision(self) -> int:
        """The agent's revision after the command."""
        raise NotImplementedError

    @property
    def is_provisional(self) -> bool:
        """True if the caller must repeat the command later: such a result is not stored under its request id."""
        return False

    @property
    def remembered(self) -> "Result":
        """The result as it is stored under its request id: without what the repeated request has itself."""
        return self

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the result takes while it is stored under its request id."""
        return RESULT_BYTES


R = TypeVar("R")


class RecordPut(Result, Generic[R], frozen=True, array_like=True, tag=True):
    """The result of a command that puts a record: the record as it is now, and whether the command changed it."""

    record: R
    changed: bool
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the record."""
        return RESULT_BYTES + int(getattr(self.record, "size_bytes", 0))


class RecordRemoved(Result, frozen=True, array_like=True, tag=True):
    """The result of a command that removes records of a collection."""

    count: int
    revision: int
