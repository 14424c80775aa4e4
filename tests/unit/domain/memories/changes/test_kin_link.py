from tests.unit.domain.sample import Agent

from memoryd_server.domain.memories.changes.memory_change import MemoryChanged, MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.memory_link import LinkType
from memoryd_server.domain.memories.memory_part import MEMORIES


def test_a_new_content_is_linked_with_what_it_contradicts_and_no_longer_with_what_it_agrees_with() -> None:
    agent = Agent()
    for name in ("old", "new", "m1"):
        agent.create(name, memory_id=name)
    agent.link("m1", "old", LinkType.CONTRADICTS)
    agent.link("m1", "old", LinkType.RELATED)
    agent.link("new", "m1", LinkType.CONTRADICTS)
    agent.take_events()
    patch = MemoryPatch(content="fox")
    changing = UpdateMemory(
        "m1", patch, agent.policy, contradicts=(("new", 0.5), ("gone", 0.5)), agrees_with=("old", "new")
    )
    assert agent.do(changing).contradicts == ("new",)
    left = {(each.from_id, each.to_id, each.type) for each in agent.state.part(MEMORIES).links_of("m1")}
    assert left == {("m1", "old", LinkType.RELATED), ("m1", "new", LinkType.CONTRADICTS)}
    assert agent.do(changing) == MemoryChanged(agent.memory("m1"), False, agent.state.revision)


def test_an_update_without_a_new_content_keeps_all_contradictions() -> None:
    agent = Agent()
    for name in ("old", "m1"):
        agent.create(name, memory_id=name)
    agent.link("m1", "old", LinkType.CONTRADICTS)
    agent.do(UpdateMemory("m1", MemoryPatch(importance=1.0), agent.policy, agrees_with=("old",)))
    assert len(agent.state.part(MEMORIES).links_of("m1")) == 1
