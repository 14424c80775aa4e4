import json
from collections.abc import Callable

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def link(command: Command, agent: memoryd.Agent) -> Command:
    """Runs ``memoryd memory link``, or another command, from the memory ``one`` to the memory ``two``."""
    for memory_id in ("one", "two"):
        agent.memories.remember(
            f"This is {memory_id}", user_id="ada", memory_id=memory_id, allow_duplicates=True, skip_contradictions=True
        )
    return lambda *flags, verb="link": command("memory", verb, agent.agent_id, "one", "two", *flags)


def test_a_link_is_made_and_given_another_strength(link: Command, agent: memoryd.Agent) -> None:
    assert link() == (0, "the link (related) from one to two was created at revision 3\n", "")
    assert link("--strength", "0.9") == (0, "the link (related) from one to two was updated at revision 4\n", "")
    assert link("--strength", "0.9")[1] == (
        "the link (related) from one to two has this strength already at revision 4\n"
    )
    assert [found.strength for found in agent.memories.links(all_users=True)] == [0.9]


def test_what_supersedes_another_changes_its_status_and_removing_it_too(link: Command, agent: memoryd.Agent) -> None:
    link()
    made = "the link (supersedes) from one to two was created at revision 4\n"
    assert link("--type", "supersedes") == (0, made, "")
    assert agent.memories.get("two").status == "superseded"
    deleted = "deleted the links of the type supersedes from one to two\n"
    assert link("--type", "supersedes", verb="unlink") == (0, deleted, "")
    assert agent.memories.get("two").status == "active"
    assert link(verb="unlink") == (0, "deleted the links from one to two\n", "")


def test_a_link_that_is_not_there_ends_with_1(link: Command) -> None:
    missing = "memoryd: there is no link{} from 'one' to 'two'\n"
    assert link(verb="unlink") == (1, "", missing.format(""))
    assert link("--type", "reinforces", verb="unlink") == (1, "", missing.format(" of the type reinforces"))


def test_all_links_are_removed_at_once(link: Command, agent: memoryd.Agent) -> None:
    for kind in ("related", "contradicts"):
        link("--type", kind)
    assert json.loads(link("--json", verb="unlink")[1])["deleted"] is True
    assert list(agent.memories.links(all_users=True)) == []
