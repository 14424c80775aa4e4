"""The collection of a transaction's writes, and the results that they have after the commit."""

import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from memoryd.protocol import method
from memoryd.protocol.call import Call, call, new_request_id
from memoryd.protocol.option import Condition, condition_of
from memoryd.v1 import transaction_service_pb2 as pb

T = TypeVar("T")


class Written(Generic[T]):
    """A change that a transaction has collected. Its records have no content, which the caller has given."""

    def __init__(self, convert: Callable[[Any], T]) -> None:
        self._convert = convert
        self._response: Any = None

    @property
    def is_committed(self) -> bool:
        """True once the transaction is committed."""
        return self._response is not None

    @property
    def result(self) -> T:
        """The method's result, as outside of a transaction. Raises RuntimeError before the commit."""
        if self._response is None:
            raise RuntimeError("the transaction is not committed: read the result after its block")
        return self._convert(self._response)

    def _commit(self, response: Any) -> None:
        self._response = response


class Recorder:
    """The writes of a transaction, in their order."""

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id
        self._writes: list[pb.Write] = []
        self._written: list[Written[Any]] = []
        self._patience = 0.0
        self.revision: int | None = None

    def __len__(self) -> int:
        return len(self._writes)

    def add(self, change: Call[T]) -> Written[T]:
        """Add a change, and return its later result. Raises ValueError for a condition on the agent."""
        request = change.request
        if request.HasField("agent_precondition"):
            raise ValueError("the condition is the agent's: give it to transaction()")
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", change.method.name).lower()
        write = pb.Write()
        getattr(write, name).CopyFrom(request)
        for field in ("agent_id", "request_id"):
            getattr(write, name).ClearField(field)
        written = Written(change.convert)
        self._writes.append(write)
        self._written.append(written)
        self._patience += change.patience
        return written

    def pending(self, request_id: str, condition: Condition) -> Call[None] | None:
        """Return the call that commits the writes; None without writes. An empty id is replaced by a new one."""
        if not self._writes:
            return None
        request = pb.CommitRequest(
            agent_id=self._agent_id,
            request_id=request_id or new_request_id(),
            agent_precondition=condition_of(condition),
            writes=self._writes,
        )
        return call(method.COMMIT, request, self._commit, patience=self._patience)

    def _commit(self, response: pb.CommitResponse) -> None:
        self.revision = response.revision
        for written, result in zip(self._written, response.results, strict=True):
            written._commit(getattr(result, str(result.WhichOneof("result"))))
