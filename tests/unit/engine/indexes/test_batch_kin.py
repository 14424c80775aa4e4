from collections.abc import Sequence

from tests.unit.domain.sample import memory_draft
from tests.unit.engine.remembering import create
from tests.unit.engine.world import World

from memoryd_server.domain.memories.kinship.kinship import content_of
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryType
from memoryd_server.engine.indexes.batch_kin import with_earlier_drafts
from memoryd_server.engine.limit import CONTRADICTIONS_MAX


def contradictions(*drafts: MemoryDraft) -> Sequence[Sequence[str]]:
    """Return the ids that each draft contradicts, where the id of the first one is "0"."""
    found = with_earlier_drafts(drafts, [str(number) for number in range(len(drafts))], content_of)
    return [[memory_id for memory_id, _ in draft.contradicts] for draft in found]


def test_a_draft_contradicts_those_before_it_the_nearest_first() -> None:
    oslo, acme, bergen, rome = (
        memory_draft(f"Ann {does}") for does in ("lives in Oslo", "works for Acme", "moved to Bergen", "lives in Rome")
    )
    assert contradictions(oslo, acme, bergen, rome) == [[], [], ["0"], ["2", "0"]]


def test_a_draft_contradicts_only_facts_of_its_owner_that_are_created() -> None:
    rome = memory_draft("Ann lives in Rome")
    assert contradictions(memory_draft("Ann lives in Oslo", "bob"), rome) == [[], []]
    assert contradictions(memory_draft("Ann lives in Oslo", project_id="p"), rome) == [[], []]
    assert contradictions(memory_draft("Ann lives in Oslo", duplicate_of="m"), rome) == [[], []]
    skipping = memory_draft("Ann lives in Rome", skip_contradictions=True)
    assert contradictions(memory_draft("Ann lives in Oslo"), skipping) == [[], []]
    assert contradictions(MemoryDraft("Ann lives in Oslo", "ann", MemoryType.EPISODIC), rome) == [[], []]


def test_a_draft_contradicts_as_many_as_without_a_batch() -> None:
    cities = ("Oslo", "Bergen", "Rome", "Paris", "Vienna")
    *_, last = contradictions(*(memory_draft(f"Ann lives in {city}") for city in cities))
    assert last == ["3", "2", "1"]
    known = memory_draft("Ann lives in Lima", contradicts=(("a", 0.5), ("b", 0.5), ("c", 0.5)))
    assert contradictions(memory_draft("Ann lives in Oslo"), known)[1] == ["a", "b", "c"]
    assert len(last) == CONTRADICTIONS_MAX


async def test_memories_that_are_created_together_contradict_each_other() -> None:
    async with World() as world:
        oslo, rome = await create(world, memory_draft("Ann lives in Oslo"), memory_draft("Ann lives in Rome"))
        assert (oslo.contradicts, rome.contradicts) == ((), (oslo.memory_id,))
