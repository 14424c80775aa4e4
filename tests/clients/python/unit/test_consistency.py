"""Every read of the client may say how current it must be."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

import memoryd
from memoryd.protocol import method
from memoryd.protocol.call import Call
from memoryd.protocol.consistency import consistency_of, reading
from memoryd.protocol.entry import Listing, Place, list_entries
from memoryd.protocol.memory import BATCH_MAX, get_memories
from memoryd.v1 import long_term_memory_service_pb2 as memory_pb
from memoryd.v1 import working_memory_service_pb2 as pb

READS: dict[str, Callable[[memoryd.Agent, Any], object]] = {
    "get": lambda agent, options: agent.get("k", **options),
    "get_entry": lambda agent, options: agent.get_entry("k", **options),
    "get_many": lambda agent, options: agent.get_many(["k"], **options),
    "get_entries": lambda agent, options: agent.get_entries(["k"], **options),
    "contains": lambda agent, options: agent.contains("k", **options),
    "entries": lambda agent, options: agent.entries(**options),
    "keys": lambda agent, options: agent.keys(**options),
    "count": lambda agent, options: agent.count(**options),
    "scope.info": lambda agent, options: agent.attach("s").info(**options),
    "scope.scopes": lambda agent, options: agent.attach("s").scopes(**options),
    "scopes": lambda agent, options: agent.scopes(**options),
    "info": lambda agent, options: agent.info(**options),
    "stats": lambda agent, options: agent.stats(**options),
    "events": lambda agent, options: agent.events(**options),
    "client.agents": lambda agent, options: memoryd.Client(agent._channel).agents("*", **options),
    "client.events": lambda agent, options: memoryd.Client(agent._channel).events(**options),
    "compose": lambda agent, options: agent.compose("c", **options),
    "entity_windows": lambda agent, options: agent.entity_windows(**options),
    "entities.get": lambda agent, options: agent.entities("c").get(**options),
    "entities.prompt_text": lambda agent, options: agent.entities("c").prompt_text(**options),
    "entities.to_json": lambda agent, options: agent.entities("c").to_json(**options),
    "conversations.get": lambda agent, options: agent.conversations.get("c", **options),
    "conversations.list": lambda agent, options: agent.conversations.list(**options),
    "conversations.message": lambda agent, options: agent.conversations.message("c", 1, **options),
    "conversations.messages": lambda agent, options: agent.conversations.messages("c", **options),
    "documents.get": lambda agent, options: agent.documents.get("d", **options),
    "documents.text": lambda agent, options: agent.documents.text("d", **options),
    "documents.chunk": lambda agent, options: agent.documents.chunk("d", 1, **options),
    "documents.chunks": lambda agent, options: agent.documents.chunks("d", **options),
    "documents.list": lambda agent, options: agent.documents.list(**options),
    "documents.search": lambda agent, options: agent.documents.search("q", **options),
    "fragments.get": lambda agent, options: agent.fragments.get("f", **options),
    "fragments.search": lambda agent, options: agent.fragments.search("q", **options),
    "fragments.list": lambda agent, options: agent.fragments.list(**options),
    "fragments.count": lambda agent, options: agent.fragments.count(**options),
    "memories.get": lambda agent, options: agent.memories.get("m", **options),
    "memories.get_many": lambda agent, options: agent.memories.get_many(["m"], **options),
    "memories.list": lambda agent, options: agent.memories.list(**options),
    "memories.recall": lambda agent, options: agent.memories.recall("q", **options),
    "memories.get_link": lambda agent, options: agent.memories.get_link("m", "n", **options),
    "memories.links": lambda agent, options: agent.memories.links(**options),
    "memories.list_proposals": lambda agent, options: agent.memories.list_proposals(**options),
    "notes.get": lambda agent, options: agent.notes.get("n", **options),
    "notes.list": lambda agent, options: agent.notes.list(**options),
    "plans.get": lambda agent, options: agent.plans.get(plan_id="p", **options),
    "plans.prompt_text": lambda agent, options: agent.plans.prompt_text(plan_id="p", **options),
    "plans.list": lambda agent, options: agent.plans.list(**options),
}


class AskedError(Exception):
    pass


class Recorder:
    """A channel that keeps the last call instead of performing it."""

    last: Call[Any] | None = None

    def run(self, call: Call[Any]) -> None:
        self.last = call
        raise AskedError

    def pages(self, call: Call[Any]) -> Iterator[Any]:
        self.last = call
        return iter(())


def call_of(read: str, options: dict[str, Any]) -> Call[Any]:
    channel: Any = Recorder()
    with suppress(AskedError):
        READS[read](memoryd.Agent(channel, Place("a")), options)
    assert channel.last is not None
    call: Call[Any] = channel.last
    return call


@pytest.mark.parametrize("read", READS)
def test_a_read_sends_its_consistency(read: str) -> None:
    if read != "client.agents":  # its list is about no single agent
        assert call_of(read, {"min_revision": 7}).request.consistency.min_revision == 7
    assert call_of(read, {"max_staleness": 2}).request.consistency.max_staleness.seconds == 2
    assert not call_of(read, {}).request.HasField("consistency")


def test_no_read_is_left_out() -> None:
    methods = [each for each in vars(method).values() if isinstance(each, method.Method)]
    reads = {each.name for each in methods if "consistency" in each.request_type.DESCRIPTOR.fields_by_name}
    assert reads == {call_of(read, {}).method.name for read in READS}


def test_a_revision_of_0_is_sent() -> None:
    consistency = consistency_of({"min_revision": 0})
    assert consistency is not None
    assert consistency.WhichOneof("requirement") == "min_revision"


def test_a_staleness_is_a_number_of_seconds_or_a_timedelta() -> None:
    parts = consistency_of({"max_staleness": 1.5})
    assert parts == consistency_of({"max_staleness": timedelta(milliseconds=1_500)})


def test_a_read_has_one_requirement_at_most() -> None:
    assert consistency_of({"max_staleness": None, "min_revision": None}) is None
    with pytest.raises(ValueError, match="exclude each other"):
        consistency_of({"max_staleness": 1, "min_revision": 1})


def test_all_pages_of_a_listing_have_its_consistency() -> None:
    first = reading(list_entries(Place("a"), Listing()), {"min_revision": 7})
    following = first.convert(pb.ListEntriesResponse(next_page_token="more")).following
    assert following is not None
    assert following.request.consistency.min_revision == 7


def test_all_pages_of_many_memories_have_their_consistency() -> None:
    ids = [str(number) for number in range(BATCH_MAX + 1)]
    call = get_memories("a", ids, include_forgotten=True, include_embedding=False, view="full")
    first = reading(call, {"min_revision": 7})
    following = first.convert(memory_pb.BatchGetMemoriesResponse(remaining_memory_ids=["998"])).following
    assert following is not None
    assert following.request.consistency.min_revision == 7
    assert following.request.include_forgotten
    assert list(following.request.memory_ids) == ["998", str(BATCH_MAX)]
