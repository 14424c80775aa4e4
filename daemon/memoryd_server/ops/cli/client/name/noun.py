"""The nouns whose names the daemon can list."""

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from memoryd import Client, Memory


class Owner(NamedTuple):
    """The owner of names: an agent and, for keys, one of its scopes. Empty for none."""

    client: "Client"
    agent_id: str = ""
    scope_id: str = ""


class Noun(NamedTuple):
    """A kind of named things.

    ``names`` yields the names, of those that begin with a text if the daemon can choose them. ``get`` returns the one
    of an id, and raises NotFound; None for a noun that short ids do not stand for.
    """

    names: Callable[[Owner, str], Iterator[str]]
    get: Callable[[Owner, str], Any] | None = None


def _keys(owner: Owner, prefix: str) -> Iterator[str]:
    agent = owner.client.agent(owner.agent_id)
    entries = agent.attach(owner.scope_id) if owner.scope_id else agent
    return entries.keys(inherited=bool(owner.scope_id), key_prefix=prefix, all_users=True)


def _memories(owner: Owner, _prefix: str) -> Iterator[str]:
    memories = owner.client.agent(owner.agent_id).memories
    known: Iterator[Memory] = itertools.chain(
        memories.list(all_users=True, statuses=("active", "archived", "superseded")),
        memories.list(all_users=True, forgotten_only=True),
    )
    return (each.memory_id for each in known)


def _of_agent(collection: str, field: str) -> Noun:
    def names(owner: Owner, _prefix: str) -> Iterator[str]:
        listed = getattr(owner.client.agent(owner.agent_id), collection).list(all_users=True)
        return (getattr(each, field) for each in listed)

    def get(owner: Owner, record_id: str) -> Any:
        return getattr(owner.client.agent(owner.agent_id), collection).get(**{field: record_id})

    return Noun(names, get)


NOUNS = {
    "agent": Noun(lambda owner, prefix: (each.agent_id for each in owner.client.agents(f"{prefix}*"))),
    "key": Noun(_keys),
    "conversation": _of_agent("conversations", "conversation_id"),
    "document": _of_agent("documents", "document_id"),
    "fragment": _of_agent("fragments", "fragment_id"),
    "memory": Noun(
        _memories,
        lambda owner, each: owner.client.agent(owner.agent_id).memories.get(each, include_forgotten=True),
    ),
    "note": _of_agent("notes", "note_id"),
    "plan": _of_agent("plans", "plan_id"),
    "proposal": Noun(
        lambda owner, _: (
            each.memory_proposal_id
            for each in owner.client.agent(owner.agent_id).memories.list_proposals(all_users=True)
        ),
    ),
    "scope": Noun(
        lambda owner, _: (each.scope_id for each in owner.client.agent(owner.agent_id).scopes(all_users=True)),
        lambda owner, each: owner.client.agent(owner.agent_id).attach(each).info(),
    ),
    "snapshot": Noun(
        lambda owner, _: (each.snapshot_id for each in owner.client.snapshots()),
        lambda owner, each: owner.client.get_snapshot(each),
    ),
    "operation": Noun(
        lambda owner, _: (each.operation_id for each in owner.client.operations.list()),
        lambda owner, each: owner.client.operations.get(each),
    ),
}
