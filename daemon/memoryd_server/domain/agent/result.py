"""Results of commands. They are kept under request ids, so their fields are stored in their order."""

from typing import Generic, TypeVar

import msgspec

RESULT_BYTES = 256
"""What a result, or one item in it, takes in memory beside the records and texts that it carries."""


class Result(msgspec.Struct, frozen=True, array_like=True):
    """What a command returns. Subclasses have a tag."""

    @property
    def revision(self) -> int:
        """The agent's revision after the command."""
        raise NotImplementedError

    @property
    def is_provisional(self) -> bool:
        """Whether the caller has to wait and repeat the command: such a result is not kept under its request id."""
        return False

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the result takes while it is kept under its request id."""
        return RESULT_BYTES


R = TypeVar("R")


class RecordPut(Result, Generic[R], frozen=True, array_like=True, tag=True):
    """The result of a command that puts one record of a collection: the record as it is now, and whether it changed."""

    record: R
    changed: bool
    revision: int

    @property
    def memory_bytes(self) -> int:
        """The size of the record counts, too."""
        return RESULT_BYTES + int(getattr(self.record, "size_bytes", 0))


class RecordRemoved(Result, frozen=True, array_like=True, tag=True):
    """The result of a command that removes records of a collection."""

    count: int
    revision: int
