"""TransactionService: decode the writes, prepare them, commit them together, encode their results."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from memoryd.v1 import transaction_service_pb2 as pb
from memoryd.v1.erasure_pb2 import ErasureReceipt
from memoryd_server.domain import validation
from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.commit import CommitWrites, WritesCommitted
from memoryd_server.domain.documents.document_change import CreateDocument, UpdateDocument
from memoryd_server.domain.error import InvalidField, Refusal, TooLarge
from memoryd_server.domain.lifecycle.erasing import Erased
from memoryd_server.domain.limit import WRITES_PER_COMMIT_MAX, Limits
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.lane import REQUESTS
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, Decode, Preparation, write_in_turn
from memoryd_server.transport.erasing import Erasing, erasing
from memoryd_server.transport.fields.view import viewed
from memoryd_server.transport.limit import PARSED_IN_LOOP_BYTES_MAX

_ITEMS = {
    "batch_write_entries": "operations",
    "batch_create_memories": "drafts",
    "batch_forget_memories": "memory_ids",
    "propose_memories": "drafts",
    "accept_memory_proposals": "memory_proposal_ids",
    "reject_memory_proposals": "memory_proposal_ids",
    "append_messages": "drafts",
    "add_entities": "entities",
    "set_entities": "entities",
}
"""The fields whose items count as writes, by the write that has them."""


class TransactionService:
    """Serves commits. ``decoders`` decode the request of each write, by the name of its field in ``Write``."""

    def __init__(self, agents: AgentCache, erasing: Erasing, decoders: Mapping[str, Decode], limits: Limits) -> None:
        self._agents = agents
        self._erasing = erasing
        self._decoders = decoders
        self._limits = limits

    async def commit(self, request: pb.CommitRequest, call: Call) -> pb.CommitResponse:
        """Make several changes as one."""
        agent_id = request.agent_id
        validation.within("writes", len(request.writes), 1, WRITES_PER_COMMIT_MAX)
        validation.within("writes", sum(map(_count_of, request.writes)), 1, WRITES_PER_COMMIT_MAX, " with their items")
        # Before the agent's id is added to the writes: a repeated request is known by its body.
        write = await write_in_turn(request, call)
        kinds = [each.WhichOneof("write") for each in request.writes]
        if call.request_bytes <= PARSED_IN_LOOP_BYTES_MAX:
            changes = self._all_decoded(kinds, request)
        else:
            changes = await REQUESTS.run(lambda: self._all_decoded(kinds, request))
        done: WritesCommitted[Any] | None = None
        if write.request is not None and any(_is_long(each) for each in changes):
            done = await self._agents.remembered(agent_id, write.request)  # type: ignore[assignment]
        if done is None:
            commands = await self._prepared(changes, kinds)
            writes = tuple(
                erasing(command) if change.erases else command
                for change, command in zip(changes, commands, strict=True)
            )
            try:
                done = await self._agents.submit(agent_id, CommitWrites(writes), write)
            except InvalidField as refusal:
                _refuse(refusal, int(refusal.metadata["write_index"]), kinds)
            for change, command, result in zip(changes, commands, done.results, strict=True):
                change.note(agent_id, command, result.result if isinstance(result, Erased) else result)
        receipts = await self._receipts(agent_id, changes, done, call)
        response = pb.CommitResponse(revision=done.revision)
        for index, (kind, change, result) in enumerate(zip(kinds, changes, done.results, strict=True)):
            await asyncio.sleep(0)
            of_write = result.result if isinstance(result, Erased) else result
            message: Any = viewed(await change.response_to(of_write), RecordView.WITHOUT_CONTENT)
            message.revision = done.revision
            if index in receipts:
                message.receipt.CopyFrom(receipts[index])
            getattr(response.results.add(), kind).CopyFrom(message)
        return response

    async def _receipts(
        self, agent_id: str, changes: Sequence[Change], done: WritesCommitted[Any], call: Call
    ) -> dict[int, ErasureReceipt]:
        """Complete the erasures of the writes, and return the receipt of each by the write's index."""
        erased = {index: result for index, result in enumerate(done.results) if isinstance(result, Erased)}
        if not erased:
            return {}
        # A write that erases names its records without any work: it has no Preparation.
        commands: list[Any] = [changes[index].command for index in erased]
        receipts = await self._erasing.complete(agent_id, list(zip(commands, erased.values(), strict=True)), call)
        return dict(zip(erased, receipts, strict=True))

    def _all_decoded(self, kinds: list[Any], request: pb.CommitRequest) -> list[Change]:
        return [self._decoded(index, kind, request) for index, kind in enumerate(kinds)]

    def _decoded(self, index: int, kind: str | None, request: pb.CommitRequest) -> Change:
        """Return the change of a write. Raises InvalidField and TooLarge, which name the write."""
        if kind is None:
            raise InvalidField(f"writes[{index}].write", "must be set")
        message = getattr(request.writes[index], kind)
        try:
            if message.agent_id not in ("", request.agent_id):
                raise InvalidField("agent_id", "must be empty, or that of the commit")
            if message.request_id:
                raise InvalidField("request_id", "must not be set: the commit has one for all writes")
            if message.HasField("agent_precondition"):
                raise InvalidField("agent_precondition", "must not be set: the commit has one for all writes")
            message.agent_id = request.agent_id
            return self._decoders[kind](message)
        except Refusal as refusal:
            _refuse(refusal, index, {index: kind})

    async def _prepared(self, changes: list[Change], kinds: list[Any]) -> list[Command]:
        """Return the command of each change, in turn: their texts together are bounded."""
        commands, text_bytes = list[Command](), 0
        for index, change in enumerate(changes):
            command = change.command
            try:
                if isinstance(command, Preparation):
                    command = await command.run(False)
                    # It may have waited for nothing, and embedded a long text on the event loop.
                    await asyncio.sleep(0)
                text_bytes += _text_bytes_of(command)
                if text_bytes > self._limits.document_text_bytes:
                    raise TooLarge("document_text_bytes", self._limits.document_text_bytes)
            except Refusal as refusal:
                _refuse(refusal, index, kinds)
            commands.append(command)
        return commands


def decoders_of(services: Mapping[Any, Any]) -> dict[str, Decode]:
    """Return the methods of services that decode the writes of a commit, by the name of the write."""
    names = [field.name for field in pb.Write.DESCRIPTOR.fields]
    return {name: getattr(service, name) for name in names for service in services.values() if hasattr(service, name)}


def _count_of(write: pb.Write) -> int:
    kind = write.WhichOneof("write")
    return max(1, len(getattr(getattr(write, kind), _ITEMS[kind]))) if kind in _ITEMS else 1


def _is_long(change: Change) -> bool:
    return isinstance(change.command, Preparation) and change.command.is_long


def _text_bytes_of(command: Command) -> int:
    if isinstance(command, CreateDocument):
        return command.content.text_bytes
    if isinstance(command, UpdateDocument) and command.content is not None:
        return command.content.text_bytes
    return 0


def _refuse(refusal: Refusal, index: int, kinds: Any) -> NoReturn:
    """Raise the refusal of a write, which names the write."""
    if isinstance(refusal, InvalidField):
        named = InvalidField(f"writes[{index}].{kinds[index]}.{refusal.field}", refusal.description)
        named.metadata["write_index"] = str(index)
        raise named from None
    raise refusal.at_write(index) from None
