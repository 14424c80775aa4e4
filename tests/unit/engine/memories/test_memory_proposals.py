from collections.abc import Sequence

import pytest
from tests.unit.domain.sample import memory_draft
from tests.unit.engine.remembering import change, found, remember, state
from tests.unit.engine.world import World, request

from memoryd_server.domain.error import RecordNotFound
from memoryd_server.domain.memories.changes.memory_creation import CreateMemoryOutcome, MemoriesCreated
from memoryd_server.domain.memories.changes.proposal_change import ProposeMemories, RejectProposals
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_proposal import MEMORY_PROPOSAL
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write


async def propose(world: World, *contents: str, user_id: str = "ann") -> list[str]:
    drafts = tuple(memory_draft(each, user_id) for each in contents)
    done = await change(world, ProposeMemories(drafts, world.new_id()))
    return [each.memory_proposal_id for each in done.proposed]


async def accept(world: World, *proposal_ids: str, write: Write = UNCONDITIONAL) -> MemoriesCreated:
    command = await world.engine.proposals.accept_command("a", proposal_ids)
    return await world.engine.memories.change("a", command, write)


def pending(world: World) -> Sequence[str]:
    return sorted(each.content for each in state(world).part(MEMORY_PROPOSAL))


async def test_what_waits_is_found_once_it_is_accepted() -> None:
    async with World() as world:
        (proposal_id,) = await propose(world, "Ann lives in Oslo")
        assert await found(world, "Oslo") == []
        await accept(world, proposal_id)
        assert await found(world, "Oslo") == ["Ann lives in Oslo"]
        assert pending(world) == []


async def test_what_is_accepted_is_compared_with_the_memories_of_then() -> None:
    async with World() as world:
        duplicate, rival = await propose(world, "Ann likes tea", "Ann lives in Rome")
        known = await remember(world, "Ann likes tea.")
        oslo = await remember(world, "Ann lives in Oslo")
        first, second = (await accept(world, duplicate, rival)).created
        assert (first.outcome, first.memory_id) == (CreateMemoryOutcome.REINFORCED, known)
        assert (second.outcome, second.contradicts) == (CreateMemoryOutcome.CREATED, (oslo,))


async def test_proposals_that_are_accepted_together_are_compared_with_each_other() -> None:
    async with World() as world:
        rome, oslo = await propose(world, "Ann lives in Rome", "Ann lives in Oslo")
        first, second = (await accept(world, rome, oslo)).created
        assert second.contradicts == (first.memory_id,)


async def test_one_that_is_gone_refuses_all_and_a_repeated_request_is_not_refused() -> None:
    async with World() as world:
        one, two = await propose(world, "one", "two")
        done = await accept(world, one, write=request("r"))
        assert await accept(world, one, write=request("r")) == done
        with pytest.raises(RecordNotFound):
            await accept(world, two, one)
        assert pending(world) == ["two"]
        await change(world, RejectProposals((two,)))
        with pytest.raises(RecordNotFound):
            await accept(world, two)
        assert len(state(world).part(MEMORIES)) == 1


async def test_two_reviewers_make_one_memory() -> None:
    async with World() as world:
        (proposal_id,) = await propose(world, "one")
        commands = [await world.engine.proposals.accept_command("a", (proposal_id,)) for _ in range(2)]
        await change(world, commands[0])
        with pytest.raises(RecordNotFound):
            await change(world, commands[1])
        (memory,) = state(world).part(MEMORIES).memories.values()
        assert memory.reinforce_count == 0


async def test_a_forgotten_user_has_no_proposals() -> None:
    async with World() as world:
        await propose(world, "of ann")
        await propose(world, "of bob", user_id="bob")
        await world.engine.agents.forget_user("a", "ann", UNCONDITIONAL, blocks_reimport=False)
        assert pending(world) == ["of bob"]
