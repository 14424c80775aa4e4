"""Long-term memories of two daemons on one store: a change that one acknowledged is visible at the other."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.integration.long_term_memory import CREATED, LongTermMemories
from tests.integration.shared.pair import Pair
from tests.integration.watcher import Watcher

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb

SECRET = "zebracorn"


def memories_of(pair: Pair) -> tuple[LongTermMemories, LongTermMemories]:
    """Return the memories of one agent, as each daemon serves them."""
    here, there = pair.agents()
    return LongTermMemories(here), LongTermMemories(there)


@pytest.mark.whole
def test_a_created_updated_or_forgotten_memory_is_recalled_so_at_the_other_daemon(pair: Pair) -> None:
    here, there = memories_of(pair)
    for number in range(10):
        memory_id = here.create(f"The thing n{number}", allow_duplicates=True, skip_contradictions=True)
        assert there.found(f"n{number}")[:1] == [f"The thing n{number}"]
        there.update(memory_id, content=f"The other m{number}")
        assert here.found(f"m{number}")[:1] == [f"The other m{number}"]
        here.forget(memory_id)
        assert f"The other m{number}" not in there.found(f"m{number}")
        here, there = there, here


def test_vectors_links_and_earlier_versions_are_the_same_at_both_daemons(pair: Pair) -> None:
    here, there = memories_of(pair)
    puppy, invoice = here.create("Ann adopted a puppy"), there.create("The invoice is due")
    here.link(puppy, invoice)
    created = here.get(puppy).create_time
    there.update(puppy, content="Ann sold her boat")
    assert (
        here.get(puppy, read_time=created).content
        == there.get(puppy, read_time=created).content
        == "Ann adopted a puppy"
    )
    for each in (here, there):
        assert each.found("sailing vessel")[0] == "Ann sold her boat"
        assert each.get(invoice).link_count == 1
    assert here.get(puppy, include_embedding=True).embedding == there.get(puppy, include_embedding=True).embedding


def test_eight_writers_and_eight_readers_at_both_daemons_find_every_acknowledged_memory(pair: Pair) -> None:
    both = memories_of(pair)

    def write(writer: int) -> None:
        for number in range(4):
            name = f"w{writer}n{number}"
            both[writer % 2].create(f"The thing {name}", allow_duplicates=True, skip_contradictions=True)
            for each in both:
                assert each.found(name)[:1] == [f"The thing {name}"]

    def read(reader: int) -> None:
        seen = 0
        for _ in range(10):
            total = both[reader % 2].recall("thing").match_count
            assert total >= seen
            seen = total

    with ThreadPoolExecutor(16) as pool:
        reading = [pool.submit(read, number) for number in range(8)]
        list(pool.map(write, range(8)))
        for each in reading:
            each.result()
    assert [each.recall("thing").match_count for each in both] == [32, 32]


def test_a_memory_that_both_daemons_create_at_once_is_stored_once(pair: Pair) -> None:
    both = memories_of(pair)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: both[n % 2].created("Ann lives in Oslo").outcome, range(8)))
    assert made.count(CREATED) == 1
    assert both[1].listed().memories[0].reinforce_count == 7


def test_a_memory_that_one_daemon_purged_is_returned_by_neither(pair: Pair) -> None:
    here, there = memories_of(pair)
    stays = here.create("stays")
    secret = here.create(f"the {SECRET}", tags=[SECRET])
    assert f"the {SECRET}" in there.found(SECRET)
    there.update(secret, content=f"another {SECRET}")
    snapshot = snapshot_pb.CreateSnapshotRequest(agent_id=here.agent.id)
    snapshot_id = here.agent.wire.snapshots.CreateSnapshot(snapshot).snapshot.snapshot_id
    there.purge(secret, block_reimport=True)
    for each in (here, there):
        assert each.contents() == ["stays"]
        with Watcher(each.agent.wire, each.agent.id, after_revision=0).opened() as watcher:
            assert not [event for event in watcher.until_events(4) if SECRET in str(event)]
    restore = snapshot_pb.RestoreSnapshotRequest(snapshot_id=snapshot_id, agent_id=here.agent.id)
    here.agent.wire.snapshots.RestoreSnapshot(restore)
    assert there.contents() == ["stays"]
    assert there.get(stays).link_count == 0
    assert here.created(f"another {SECRET}").outcome == pb.CREATE_MEMORY_OUTCOME_BLOCKED
