"""A batch of operations, collected until they are sent together."""

from typing import Any, Unpack

from memoryd.model.entry import BatchResult
from memoryd.protocol.call import Call
from memoryd.protocol.entry import Place, remove_operation, set_operation, write_batch
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.option import SetOptions
from memoryd.v1.working_memory_service_pb2 import EntryOperation


@checks_keywords
class Batch:
    """Sets and removes of one scope that happen together or not at all: 1 to 1,000, each key at most once.

    ``result`` is None until the batch has been sent, and stays None if the batch is empty.
    """

    def __init__(self, place: Place, *, erase: bool = False) -> None:
        self.result: BatchResult | None = None
        self._place = place
        self._erases = erase
        self._operations: list[EntryOperation] = []

    def set(self, key: str, value: Any, **options: Unpack[SetOptions]) -> None:
        """Store a value when the batch is sent. Raises UnsupportedValue at once if JSON cannot represent it."""
        self._operations.append(set_operation(key, value, options))

    def remove(self, key: str, *, must_exist: bool = False, expected_revision: int | None = None) -> None:
        """Remove a key when the batch is sent. A key that has no entry is no error, unless the condition says so."""
        self._operations.append(remove_operation(key, must_exist=must_exist, expected_revision=expected_revision))

    def __len__(self) -> int:
        return len(self._operations)

    def pending(self) -> Call[BatchResult] | None:
        """Return the call that sends the batch; None if the batch is empty."""
        return write_batch(self._place, self._operations, erase=self._erases) if self._operations else None
