"""The data of a release: records of every kind, earlier versions, events, results, unfinished removals."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock
from uuid import uuid4

from google.protobuf.duration_pb2 import Duration
from tests.integration.kind_of_record import KINDS, METHODS, Request, call, numbered
from tests.integration.long_term_memory import UNRELATED, LongTermMemories
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, refused

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.stores.sqlite.commits.behind import Behind
from memoryd_server.stores.sqlite.limit import LARGE_COMMIT_ROWS_MIN
from memoryd_server.stores.sqlite.store import SqliteStore

KINDS_AGENT, PEOPLE_AGENT, ENDED_AGENT, PURGED_AGENT, CLEARED_AGENT = "kinds", "people", "ended", "purged", "cleared"
SECRET = "the code of the safe is 4711"
DAY = Duration(seconds=86_400)


def fill(wire: Wire) -> str:
    """Write everything that a store of any kind can have. Return a resume token from amidst the events of ``kinds``."""
    agent = wire.agent(KINDS_AGENT)
    # The other end of the links.
    LongTermMemories(agent).create("memory 9", memory_id="m9", **UNRELATED)
    for number in range(2):
        for kind in KINDS:
            for method, request in kind.changes:
                _call_identified(agent, method, numbered(request, number))
    with Watcher(wire, KINDS_AGENT).opened() as watcher:
        token = watcher.token
    # Backwards, since a link is removed before its memories are. Messages go with their conversation.
    for kind in reversed([kind for kind in KINDS if kind.removal and kind.field != "message"]):
        method, request = kind.removal or ("", {})
        _call_identified(agent, method, numbered(request, 1))
    _scopes(agent)
    _people(wire.agent(PEOPLE_AGENT))
    call(wire.agent(PEOPLE_AGENT), "AgentService.UpdateAgent", {"draft": {"tier": "free"}, "update_mask": "tier"})
    ended = wire.agent(ENDED_AGENT)
    ended.set("last", "words")
    call(ended, "AgentService.EndAgent", {})
    return token


@contextmanager
def unfinished(wire: Wire) -> Iterator[None]:
    """Leave a purge that has not reached the journal, and a removal whose rows are not deleted, in a with block.

    Nothing may be written within it, as the next commit would finish the removal.
    """
    purged = LongTermMemories(wire.agent(PURGED_AGENT))
    memory_id = purged.create(SECRET)
    purged.create("Ann has a safe", allow_duplicates=True)
    cleared = wire.agent(CLEARED_AGENT)
    scope_id = cleared.scope("many")
    keys = [f"key-{number}" for number in range(LARGE_COMMIT_ROWS_MIN + 1)]
    for start in range(0, len(keys), 500):
        cleared.write(dict.fromkeys(keys[start : start + 500], 1), scope_id)
    cleared.set("stays", 1)
    with mock.patch.object(SqliteStore, "rewrite_journal", side_effect=StoreUnavailable):
        assert refused(lambda: purged.purge(memory_id)).reason == "STORE_UNAVAILABLE"
        with mock.patch.object(Behind, "carry_out", side_effect=RuntimeError("interrupted")):
            cleared.clear(scope_id)
            yield


def _call_identified(agent: Memory, method: str, request: Request) -> None:
    """Call a method with a request id, so that its result is stored, too."""
    if "request_id" in METHODS[method].input_type.fields_by_name:
        request = {**request, "request_id": uuid4().hex}
    call(agent, method, request)


def _scopes(agent: Memory) -> None:
    outer = agent.scope("outer", idle_ttl=DAY)
    inner = agent.scope("inner", outer)
    agent.write({"a": 1, "текст": [1.5, None, {"b": "☃"}]}, inner)
    agent.set("expires", {"n": 2**60}, ttl=DAY, type_name="T", importance=0.9, tags=["x"], metadata={"a": [1, None]})
    agent.reserve("reserved", lease_duration=Duration(seconds=60))
    agent.dispose(agent.scope("gone"))


def _people(agent: Memory) -> None:
    memories = LongTermMemories(agent)
    tea = memories.create("Ada prefers tea over coffee", "ada", tags=["drink"], importance=0.8)
    memories.create("Ada moved to Lisbon in May 2024", "ada")
    memories.create("Bob repairs old bicycles", "bob", aliases=["bike mechanic"])
    memories.update(tea, content="Ada prefers green tea over coffee")
    memories.forget(memories.create("Bob is allergic to cats", "bob"))
    memories.create("Eve sells maps", "eve")
    call(agent, "AgentService.ForgetUser", {"user_id": "eve", "block_reimport": True})
    draft = {"document_id": "manual", "title": "Safe"}
    text = "# Opening\n\nTurn the wheel twice.\n\n# Closing\n\nPush the door until it clicks.\n"
    call(agent, "DocumentService.CreateDocument", {"draft": draft, "text": text})
