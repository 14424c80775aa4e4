"""Requests that take long, carried out by the server while the caller does something else."""

from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar, Unpack

from memoryd.aio.channel import Channel
from memoryd.aio.connection import RpcError
from memoryd.model.agent import Ended, ForgottenUser
from memoryd.model.conversation import Compacted, CompactionStrategy
from memoryd.model.document import Document
from memoryd.model.memory_change import Reembedding
from memoryd.model.operation import OperationInfo
from memoryd.model.snapshot import Restored, Snapshot
from memoryd.protocol import agent as agent_calls
from memoryd.protocol import conversation as conversation_calls
from memoryd.protocol import document as document_calls
from memoryd.protocol import memory as memory_calls
from memoryd.protocol import operation as calls
from memoryd.protocol import snapshot as snapshot_calls
from memoryd.protocol.call import Call, new_request_id
from memoryd.protocol.document import DocumentChanges, DocumentOptions
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.memory import REEMBED_LIMIT
from memoryd.protocol.method import WATCH_OPERATION
from memoryd.protocol.operation import Deadline, OperationListOptions, Progressing
from memoryd.v1 import operation_service_pb2 as pb

Result = TypeVar("Result")


class Operation(Generic[Result]):
    """One operation. It goes on when this process ends: ``client.operations.get`` finds it again by its id.

    ``info`` is the operation as this object last saw it.
    """

    def __init__(self, channel: Channel, known: Progressing[Result]) -> None:
        self._channel = channel
        self._known = known

    @property
    def operation_id(self) -> str:
        """The id of the operation."""
        return self._known.operation_id

    @property
    def info(self) -> OperationInfo:
        """The operation as it was last seen."""
        return self._known.info

    async def refresh(self) -> OperationInfo:
        """Return the operation as it is now. Raises OperationNotFound."""
        self._known = await self._channel.run(calls.get_operation(self.operation_id))
        return self.info

    async def wait(self, seconds: float | None = None) -> Result:
        """Wait for the end, and return the result.

        Raises the error of the operation, Cancelled if it was cancelled, TimeoutError if it still runs after
        ``seconds``, and OperationNotFound if the server has restarted since.
        """
        deadline = Deadline(seconds)
        while not self._known.ended:
            self._known = await self._channel.run(calls.wait_operation(self.operation_id, deadline.next_wait()))
            if not self._known.ended and deadline.over:
                raise TimeoutError(f"operation {self.operation_id!r} still runs")
        return self._known.result()

    async def cancel(self) -> bool:
        """Ask the operation to stop; ``wait`` waits until it has. Return False if it had ended or been asked before.

        What was done stays done.
        """
        self._known, changed = await self._channel.run(calls.cancel_operation(self.operation_id))
        return changed

    async def watch(self) -> AsyncIterator[OperationInfo]:
        """Yield the operation now and after changes of its state or progress, until it has ended."""
        request = pb.WatchOperationRequest(operation_id=self.operation_id)
        stream = self._channel.download(WATCH_OPERATION, request, None)
        try:
            async for answer in stream:
                self._known = Progressing(answer.operation)
                yield self.info
        except RpcError as error:
            raise self._channel.failure(error) from None
        finally:
            stream.cancel()


@checks_keywords
class Operations:
    """Starts operations, and finds those of the server. Every method takes what the blocking method of its name takes.

    ``operation_id`` names the operation, to find it again; by default the client chooses one. Every method raises
    Overloaded when too many operations run, and what its request is refused with before any work begins.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def create_snapshot(
        self,
        agent_id: str = "",
        snapshot_id: str = "",
        *,
        label: str = "",
        expected_revision: int | None = None,
        operation_id: str = "",
    ) -> Operation[Snapshot]:
        """Start to write an image of an agent, or of all agents for an empty id."""
        return await self._start(
            snapshot_calls.create_snapshot(agent_id, snapshot_id, label, expected_revision, 0.0), operation_id
        )

    async def restore_snapshot(
        self,
        snapshot_id: str,
        *,
        agent_id: str = "",
        as_agent_id: str = "",
        expected_revision: int | None = None,
        dry_run: bool = False,
        operation_id: str = "",
    ) -> Operation[Restored]:
        """Start to replace all records of agents by those in a snapshot."""
        restoring = snapshot_calls.restore_snapshot(
            snapshot_id,
            agent_id,
            0.0,
            as_agent_id=as_agent_id,
            expected_revision=expected_revision,
            dry_run=dry_run,
        )
        return await self._start(restoring, operation_id)

    async def end_agent(
        self,
        agent_id: str,
        *,
        snapshot: bool = False,
        expected_revision: int | None = None,
        operation_id: str = "",
        erase: bool = False,
    ) -> Operation[Ended]:
        """Start to remove an agent with all of its records, after a snapshot if ``snapshot`` is true.

        ``erase`` erases all that the agent ever had.
        """
        ending = agent_calls.end_agent(
            agent_id, snapshot=snapshot, expected_revision=expected_revision, patience=0.0, erase=erase
        )
        return await self._start(ending, operation_id)

    async def forget_user(
        self,
        agent_id: str,
        user_id: str,
        *,
        block_reimport: bool = False,
        expected_revision: int | None = None,
        operation_id: str = "",
    ) -> Operation[ForgottenUser]:
        """Start to remove and erase all records of a user."""
        forgetting = agent_calls.forget_user(
            agent_id, user_id, block_reimport=block_reimport, expected_revision=expected_revision, patience=0.0
        )
        return await self._start(forgetting, operation_id)

    async def reembed_memories(
        self,
        agent_id: str,
        *,
        limit: int = REEMBED_LIMIT,
        replace_client_embeddings: bool = False,
        operation_id: str = "",
    ) -> Operation[Reembedding]:
        """Start to embed up to ``limit`` memories (at most 1,000) that have no vector of the server's embedder."""
        reembedding = memory_calls.reembed_memories(
            agent_id, limit, replace_client_embeddings=replace_client_embeddings
        )
        return await self._start(reembedding, operation_id)

    async def compact_messages(
        self,
        agent_id: str,
        conversation_id: str,
        max_tokens: int,
        strategy: CompactionStrategy | None = None,
        *,
        keep_last: int | None = None,
        expected_revision: int | None = None,
        operation_id: str = "",
    ) -> Operation[Compacted]:
        """Start to delete messages of a conversation until the others have at most ``max_tokens``."""
        compacting = conversation_calls.compact_messages(
            agent_id,
            conversation_id,
            max_tokens,
            strategy,
            keep_last=keep_last,
            expected_revision=expected_revision,
        )
        return await self._start(compacting, operation_id)

    async def create_document(
        self,
        agent_id: str,
        text: str | None = None,
        *,
        data: bytes | None = None,
        url: str | None = None,
        operation_id: str = "",
        **options: Unpack[DocumentOptions],
    ) -> Operation[Document]:
        """Start to create a document from a text, a file's bytes or a URL, in one message of at most 16 MiB."""
        document_calls.check_contents(text, data, None, url, most="exactly one")
        creation = document_calls.Creation(agent_id, options)
        return await self._start(creation.call(document_calls.content_of(text, data, url)), operation_id)

    async def update_document(
        self,
        agent_id: str,
        document_id: str,
        *,
        text: str | None = None,
        data: bytes | None = None,
        url: str | None = None,
        expected_revision: int | None = None,
        operation_id: str = "",
        **changes: Unpack[DocumentChanges],
    ) -> Operation[Document]:
        """Start to change the given fields of a document, its content, or both."""
        document_calls.check_contents(text, data, None, url, most="at most one")
        update = document_calls.Update(agent_id, document_id, changes, expected_revision)
        return await self._start(update.call(document_calls.content_of(text, data, url)), operation_id)

    async def get(self, operation_id: str) -> Operation[Any]:
        """Return an operation. Raises OperationNotFound."""
        return Operation(self._channel, await self._channel.run(calls.get_operation(operation_id)))

    def list(self, **options: Unpack[OperationListOptions]) -> AsyncIterator[OperationInfo]:
        """Yield the operations of the server that run or have ended lately, the newest first."""
        return self._channel.pages(calls.list_operations(options))

    async def _start(self, described: Call[Any], operation_id: str) -> Operation[Any]:
        # An id makes the call safe to repeat.
        starting = calls.start_operation(described, operation_id or new_request_id())
        return Operation(self._channel, await self._channel.run(starting))
