"""Page tokens and resume tokens that are foreign, cut, flipped or old."""

import base64
import hashlib
from collections.abc import Callable, Iterator

import grpc
import msgspec
import pytest
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, refused

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1.event_pb2 import EventFilter
from memoryd.v1.listing_pb2 import LIST_ORDER_CREATE_TIME_DESCENDING


def damaged(token: str) -> Iterator[str]:
    """Yield the token cut at every character, changed at every character, and other invalid tokens."""
    for length in range(1, len(token)):
        yield token[:length]
    for index, letter in enumerate(token):
        yield token[:index] + ("A" if letter != "A" else "B") + token[index + 1 :]
    yield from ("x", "====", "é", "\x00", token + "A", token * 2, "A" * 600, base64.b64encode(bytes(31)).decode())


def resume(agent: Memory, token: str) -> object:
    return next(agent.wire.events.WatchEvents(event_pb.WatchEventsRequest(resume_token=token)))


@pytest.fixture
def token(agent: Memory) -> str:
    """A resume token of the shared daemon."""
    agent.set("key")
    with Watcher(agent.wire, agent.id).opened() as watcher:
        return watcher.token


def test_a_damaged_resume_token_is_refused(agent: Memory, token: str) -> None:
    for bad in damaged(token):
        refusal = refused(lambda bad=bad: resume(agent, bad))  # type: ignore[misc]
        assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT, bad
        assert refusal.reason in ("INVALID_RESUME_TOKEN", "INVALID_FIELD"), bad
        assert refusal.own_metadata == {"field": "resume_token"}


def test_a_resume_token_of_another_store_is_refused(small_wire: Wire, token: str) -> None:
    refusal = refused(lambda: resume(small_wire.agent(), token))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "FOREIGN_RESUME_TOKEN")
    assert refusal.own_metadata == {}


def test_a_page_token_is_no_resume_token_nor_the_reverse(agent: Memory, token: str) -> None:
    agent.write({"a": 1, "b": 2})
    page_token = agent.list(page_size=1).next_page_token
    assert refused(lambda: resume(agent, page_token)).reason == "INVALID_RESUME_TOKEN"
    assert refused(lambda: agent.list(page_token=token)).reason == "INVALID_PAGE_TOKEN"


@pytest.fixture
def listings(agent: Memory) -> dict[str, Callable[[str], str]]:
    """Return each kind of listing as a function from a page token to the next page token."""
    wire, prefix = agent.wire, agent.id
    for name in ("1", "2", "3"):
        agent.set(name)
        agent.scope(name)
        other = wire.agent(f"{prefix}/{name}")
        other.set("key")
        wire.snapshots.CreateSnapshot(snapshot_pb.CreateSnapshotRequest(agent_id=prefix))
    filters = [EventFilter(agent_ids=[prefix])]

    def agents(page_token: str) -> str:
        request = agent_pb.ListAgentsRequest(agent_ids=[f"{prefix}*"], page_size=1, page_token=page_token)
        return wire.agents.ListAgents(request).next_page_token

    def events(page_token: str) -> str:
        request = event_pb.ListEventsRequest(filters=filters, page_size=1, page_token=page_token)
        return wire.events.ListEvents(request).next_page_token

    def snapshots(page_token: str) -> str:
        request = snapshot_pb.ListSnapshotsRequest(agent_ids=[prefix], page_size=1, page_token=page_token)
        return wire.snapshots.ListSnapshots(request).next_page_token

    return {
        "entries": lambda page_token: agent.list(page_size=1, page_token=page_token).next_page_token,
        "scopes": lambda page_token: agent.scopes(page_size=1, page_token=page_token).next_page_token,
        "agents": agents,
        "events": events,
        "snapshots": snapshots,
    }


@pytest.mark.parametrize("kind", ["entries", "scopes", "agents", "events", "snapshots"])
def test_a_page_token_that_is_damaged_or_of_another_listing_is_refused(
    agent: Memory, listings: dict[str, Callable[[str], str]], kind: str
) -> None:
    listing = listings[kind]
    token = listing("")
    assert token
    assert listing(token)
    foreign = [other("") for name, other in listings.items() if name != kind]
    revision = agent.revision
    for bad in [*list(damaged(token))[::3], *foreign]:
        refusal = refused(lambda bad=bad: listing(bad))  # type: ignore[misc]
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_PAGE_TOKEN"), bad
        assert refusal.own_metadata == {"field": "page_token"}
    assert agent.revision == revision


def test_a_page_token_is_bound_to_the_request_but_not_to_its_page_size(agent: Memory) -> None:
    agent.write({"a": 1, "b": 2, "c": 3})
    token = agent.list(page_size=1).next_page_token
    assert (
        refused(lambda: agent.list(page_token=token, filter={"entry": {"key_prefixes": ["b"]}})).reason
        == "INVALID_PAGE_TOKEN"
    )
    assert refused(lambda: agent.wire.agent().list(page_token=token)).reason == "INVALID_PAGE_TOKEN"
    assert [entry.key for entry in agent.list(page_token=token, page_size=5).entries] == ["b", "c"]


def test_a_page_token_that_is_too_old_is_refused_as_expired(agent: Memory) -> None:
    agent.write({"a": 1, "b": 2})
    token = agent.list(page_size=1).next_page_token
    agent.set("c")
    other = agent.wire.agent()
    other.write({"a": 1, "b": 2})
    for index in range(130):
        other.list(page_size=1)
        other.set("a", index)
    refusal = refused(lambda: agent.list(page_size=1, page_token=token))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.OUT_OF_RANGE, "PAGE_TOKEN_EXPIRED")
    assert refusal.own_metadata == {}


def forged(token: str, body: Callable[[bytes], bytes]) -> str:
    """Return a token with another body behind its kind and its owner, as anybody can make it who knows the format."""
    whole = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))[:-6]
    changed = whole[:9] + body(whole[9:])
    checksum = hashlib.blake2b(changed, digest_size=6, key=b"memoryd").digest()
    return base64.urlsafe_b64encode(changed + checksum).decode().rstrip("=")


@pytest.mark.parametrize("place", ["x a", "\u0661 a", f"{2**63} a", "-1 a", "", f"{'9' * 5_000} a"])
def test_a_forged_place_among_the_agents_is_refused(agent: Memory, place: str) -> None:
    for name in ("1", "2"):
        agent.wire.agent(f"{agent.id}/{name}").set("key")
    request = agent_pb.ListAgentsRequest(agent_ids=[f"{agent.id}/*"], page_size=1)
    request.page_token = forged(agent.wire.agents.ListAgents(request).next_page_token, lambda _: place.encode())
    assert refused(lambda: agent.wire.agents.ListAgents(request)).reason in ("INVALID_PAGE_TOKEN", "INVALID_FIELD")


def test_a_forged_place_behind_the_events_of_a_commit_is_at_their_end(agent: Memory) -> None:
    agent.write({"a": 1, "b": 2})
    filters = [EventFilter(agent_ids=[agent.id])]
    request = event_pb.ListEventsRequest(filters=filters, page_size=1, order=LIST_ORDER_CREATE_TIME_DESCENDING)
    page = agent.wire.events.ListEvents(request)

    def behind(data: bytes) -> bytes:
        ((point,),) = msgspec.msgpack.decode(data)
        return msgspec.msgpack.encode([[[*point[:2], 1_000, *point[3:]]]])

    request.page_token = forged(page.next_page_token, behind)
    assert agent.wire.events.ListEvents(request).events == page.events
