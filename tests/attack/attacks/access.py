"""Every method with another caller's agents, ids and tokens: what is read is a leak, what changes is damage."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from tests.attack.attack import Attack, Outcomes, Target, bearer
from tests.attack.channel import channel_to, upload
from tests.attack.outcome import ANSWERS, OK, outcome
from tests.integration.contract import METHODS, Method
from tests.integration.sample import child_of, fill, paths

_VICTIM, _OWN = "victim", "attacker-access"
_SECRET = "zyzzogeton"
_TIMEOUT_S = 60.0
_WAIT_S = 1.0  # time: some wait until somebody else does something
_MESSAGES_MAX = 4
_AT_A_TIME = 32
_ODD_IDS = ("victim", "VICTIM", " victim", "victim\0", "attacker-1,victim", "*", "victim*", "vict*", "../victim", "")
_SEEDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("WorkingMemoryService/SetEntry", {"key": "key", "value_json": f'"{_SECRET}"', "tags": [_SECRET]}),
    ("WorkingMemoryService/CreateScope", {"name": _SECRET}),
    ("FragmentService/CreateFragment", {"draft": {"content": _SECRET}}),
    ("LongTermMemoryService/CreateMemory", {"draft": {"content": f"{_SECRET} likes tea", "user_id": "ada"}}),
    ("ConversationService/AppendMessages", {"conversation_id": "talk", "drafts": [{"role": 1, "content": _SECRET}]}),
    ("NoteService/CreateNote", {"draft": {"title": _SECRET, "content": _SECRET}}),
    ("PlanService/CreatePlan", {"draft": {"conversation_id": "talk", "goal": _SECRET, "steps": []}}),
    ("DocumentService/CreateDocument", {"draft": {"title": _SECRET}, "text": f"{_SECRET} is here"}),
    ("SnapshotService/CreateSnapshot", {"label": _SECRET}),
    ("WorkingMemoryService/ListEntries", {"page_size": 1}),
    ("EventService/ListEvents", {"page_size": 1, "filters": [{"agent_ids": [_VICTIM]}]}),
    ("AgentService/GetAgent", {}),
)


async def _access(target: Target, times: int) -> Outcomes:
    """Call ``times`` methods with the wrong agent, and with foreign ids; compare the victim before and after."""
    outcomes: Outcomes = Counter()
    async with channel_to(target.address) as channel:
        ids = await _seed(channel, bearer(target.operator))
        before = await _revision(channel, target)
        gate = asyncio.Semaphore(_AT_A_TIME)

        async def attempt(method: Method, data: bytes, metadata: Any) -> None:
            async with gate:
                what, responses = await _answers(channel, method, data, metadata)
            # What the caller sent itself may come back, such as an id within an error.
            leaks = any(_SECRET.encode() in each for each in responses)
            outcomes["leak" if leaks else what] += 1

        attempts = [
            attempt(method, data, metadata)
            for method in METHODS[:times]
            for data, metadata in _requests(method, ids, target)
        ]
        await asyncio.gather(*attempts)
        if await _revision(channel, target) != before:
            outcomes["the victim's memory has changed"] += 1
    return outcomes


def _requests(method: Method, ids: list[str], target: Target) -> Iterator[tuple[bytes, Any]]:
    """Yield requests that a caller has no right to, with the metadata to send them with."""
    for metadata in (target.bearer, (), bearer("wrong")):
        for agent_id in _ODD_IDS:
            request = _sample(method, agent_id)
            yield request.SerializeToString(), metadata
    for path in paths(method.request_type.DESCRIPTOR):
        field = path[-1]
        if field.type != FieldDescriptor.TYPE_STRING or any(each.message_type and _is_map(each) for each in path):
            continue
        if not field.name.endswith(("_id", "_ids", "token")) or (field.name == "agent_id" and len(path) == 1):
            continue
        for value in ids:
            request = _sample(method, _OWN)
            parent, _ = child_of(request, path)
            if field.is_repeated:
                getattr(parent, field.name)[:] = [value]
            else:
                setattr(parent, field.name, value)
            yield request.SerializeToString(), target.bearer


def _sample(method: Method, agent_id: str) -> Any:
    """Return a request with what is required, for an agent. A method of events gets a filter for it."""
    request = method.request_type()
    fill(request)
    names = request.DESCRIPTOR.fields_by_name
    if "agent_id" in names:
        request.agent_id = agent_id
    elif "header" in names and "agent_id" in names["header"].message_type.fields_by_name:
        request.header.agent_id = agent_id
    elif method.name.startswith("EventService/"):
        request.filters.add(agent_ids=[agent_id])
    return request


def _is_map(field: FieldDescriptor) -> bool:
    return bool(field.message_type.GetOptions().map_entry)


async def _answers(channel: Any, method: Method, data: bytes, metadata: Any) -> tuple[str, list[bytes]]:
    """Call a method, and return the outcome and the first responses."""
    path = f"/{method.descriptor.containing_service.full_name}/{method.descriptor.name}"
    responses: list[bytes] = []
    timeout_s = _WAIT_S if method.descriptor.server_streaming or "wait" in str(_fields(method)) else _TIMEOUT_S
    options = {"timeout": timeout_s, "metadata": metadata}

    async def call() -> None:
        if method.descriptor.client_streaming:
            responses.append(await upload(channel, path, [data], **options))
        elif method.descriptor.server_streaming:
            stream = channel.unary_stream(path)(data, **options)
            async for message in stream:
                responses.append(message)
                if len(responses) == _MESSAGES_MAX:
                    stream.cancel()
                    return
        else:
            responses.append(await channel.unary_unary(path)(data, **options))

    what = await outcome(call())
    # A watch that was open until the timeout was answered.
    return (OK if what == "DEADLINE_EXCEEDED" and timeout_s == _WAIT_S else what), responses


def _fields(method: Method) -> list[str]:
    return [field.name for field in method.descriptor.input_type.fields]


async def _seed(channel: Any, metadata: Any) -> list[str]:
    """Let the victim have a record of each kind with the secret, and return the ids and tokens of all responses."""
    methods = {method.name: method for method in METHODS}
    found: set[str] = set()
    for name, fields in _SEEDS:
        request = methods[name].request_type(**fields)
        if "agent_id" in request.DESCRIPTOR.fields_by_name:
            request.agent_id = _VICTIM
        path = f"/{methods[name].descriptor.containing_service.full_name}/{methods[name].descriptor.name}"
        data = await channel.unary_unary(path)(request.SerializeToString(), timeout=_TIMEOUT_S, metadata=metadata)
        response: Any = _response(methods[name])
        response.ParseFromString(data)
        found |= set(_ids(response))
    return sorted(found - {_VICTIM, "talk", "key"})


def _response(method: Method) -> Message:
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(method.descriptor.output_type)()


def _ids(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.message_type is not None:
            if not _is_map(field):
                for each in value if field.is_repeated else [value]:
                    yield from _ids(each)
        elif field.type == FieldDescriptor.TYPE_STRING and field.name.endswith(("_id", "token")):
            yield value


async def _revision(channel: Any, target: Target) -> bytes:
    """Return the victim's description, which has its revision and changes with it."""
    (method,) = [method for method in METHODS if method.name == "AgentService/GetAgent"]
    what, responses = await _answers(
        channel, method, method.request_type(agent_id=_VICTIM).SerializeToString(), bearer(target.operator)
    )
    assert what == OK, what
    return responses[0]


ATTACKS = (
    Attack(
        "access",
        "{times} methods with agents, ids and tokens of somebody else, with a token, a wrong one, and none",
        _access,
        len(METHODS),
        8,
        ANSWERS,
    ),
)
