import pytest
from tests.unit.domain.sample import Agent, at, image

from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.bookmarks.bookmark import Bookmark
from memoryd_server.domain.bookmarks.bookmark_change import CreateBookmark, DeleteBookmark
from memoryd_server.domain.bookmarks.bookmark_part import BOOKMARKS
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RevisionMismatch
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, ExpireRecords, RestoreAgent
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.record_kind import RecordKind

URL, TITLE = "https://example.org", "Tëst"


def create(agent: Agent, bookmark_id: str, title: str = TITLE, ttl_ns: int | None = None) -> Bookmark:
    expire_time = None if ttl_ns is None else agent.now + ttl_ns
    return agent.do(CreateBookmark(bookmark_id, URL, title, expire_time)).record


def found(agent: Agent, query: str) -> list[str]:
    return [each.key for each in agent.state.part(BOOKMARKS).search(query, agent.now)]


def emitted(agent: Agent) -> list[tuple[str, str, str]]:
    return [(type_name, cause, key) for type_name, cause, _, key in agent.take_events()]


def test_the_size_of_a_bookmark_is_that_of_its_texts() -> None:
    agent = Agent()
    expected = Bookmark("b", URL, TITLE, None, agent.now, 1, len((URL + TITLE).encode()))
    assert agent.do(CreateBookmark("b", URL, TITLE)) == RecordPut(expected, changed=True, revision=1)
    assert agent.state.size_bytes == expected.size_bytes


def test_the_id_of_a_live_bookmark_is_refused() -> None:
    agent = Agent()
    create(agent, "b", ttl_ns=SECOND_NS)
    with pytest.raises(RecordExists) as refused:
        create(agent, "b")
    assert refused.value.metadata == {"kind": "bookmark", "record_id": "b", "revision": "1"}


def test_live_bookmarks_past_the_limit_are_refused() -> None:
    agent = Agent(Limits(bookmarks_per_agent=1))
    create(agent, "b", ttl_ns=SECOND_NS)
    with pytest.raises(QuotaExceeded) as refused:
        create(agent, "c")
    assert refused.value.metadata == {"limit": "bookmarks_per_agent", "value": "1"}
    agent.now += SECOND_NS
    create(agent, "c")


def test_a_bookmark_past_the_storage_limit_is_refused() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=len(URL)))
    with pytest.raises(QuotaExceeded, match="storage_bytes_per_agent"):
        create(agent, "b")


def test_a_bookmark_of_another_revision_is_not_deleted() -> None:
    agent = Agent()
    assert agent.do(DeleteBookmark("b")) == RecordRemoved(0, 0)
    create(agent, "b")
    with pytest.raises(RevisionMismatch):
        agent.do(DeleteBookmark("b", at(2)))
    assert agent.do(DeleteBookmark("b", at(1))) == RecordRemoved(1, 2)
    assert not agent.state.part(BOOKMARKS)


def test_a_bookmark_is_found_by_any_word_of_its_title_until_it_is_deleted() -> None:
    agent = Agent()
    create(agent, "b", "Green tea")
    create(agent, "c", "Black tea")
    assert (found(agent, "TEA"), found(agent, "green coffee"), found(agent, "gree")) == (["b", "c"], ["b"], [])
    assert found(agent, "") == ["b", "c"]
    agent.do(DeleteBookmark("b"))
    assert (found(agent, "tea"), found(agent, "green")) == (["c"], [])


def test_an_expired_bookmark_is_not_served_before_the_sweep_removes_it() -> None:
    agent = Agent()
    create(agent, "b", ttl_ns=SECOND_NS)
    create(agent, "c", ttl_ns=2 * SECOND_NS)
    assert agent.state.next_deadline == agent.now + SECOND_NS
    agent.now += SECOND_NS
    value = agent.state.part(BOOKMARKS)
    assert (value.find("b", agent.now), found(agent, TITLE), found(agent, "")) == (None, ["c"], ["c"])
    assert [each.subject.key for each in BOOKMARKS.initial_events(value, agent.now)] == ["c"]
    assert BOOKMARKS.live_counts(value, agent.now) == {RecordKind.BOOKMARK: 1}
    assert BOOKMARKS.statistics(value, agent.now).record_counts == {RecordKind.BOOKMARK: 1}
    assert agent.do(DeleteBookmark("b")).count == 0
    agent.take_events()
    assert agent.do(ExpireRecords()).counts == {"bookmarks": 1}
    assert emitted(agent) == [("BOOKMARK_DELETED", "EXPIRY", "b")]
    assert agent.state.next_deadline == agent.now + SECOND_NS


def test_the_id_of_an_expired_bookmark_is_free() -> None:
    agent = Agent()
    create(agent, "b", ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    agent.take_events()
    create(agent, "b", "Coffee")
    assert emitted(agent) == [("BOOKMARK_DELETED", "EXPIRY", "b"), ("BOOKMARK_CREATED", "REQUEST", "b")]
    assert (found(agent, "coffee"), found(agent, TITLE)) == (["b"], [])


def test_an_expired_bookmark_is_cleared_as_expired() -> None:
    agent = Agent()
    create(agent, "b", ttl_ns=SECOND_NS)
    create(agent, "c")
    agent.now += SECOND_NS
    agent.take_events()
    assert agent.do(ClearAgent(kinds=frozenset({RecordKind.BOOKMARK}))).counts == {RecordKind.BOOKMARK: 1}
    assert [each[:2] for each in emitted(agent)] == [("BOOKMARK_DELETED", "EXPIRY"), ("BOOKMARKS_CLEARED", "CLEAR")]


def test_a_restore_leaves_out_what_has_expired_and_reports_each_difference() -> None:
    agent = Agent()
    same, ending = create(agent, "same"), create(agent, "ending", ttl_ns=SECOND_NS)
    create(agent, "extra")
    other = Bookmark("other", URL, TITLE, None, agent.now, 1, 24)
    agent.now += SECOND_NS
    agent.take_events()
    agent.do(RestoreAgent(image(same, ending, other), "snapshot"))
    assert emitted(agent)[:-1] == [
        ("BOOKMARK_DELETED", "RESTORE", "ending"),
        ("BOOKMARK_DELETED", "RESTORE", "extra"),
        ("BOOKMARK_CREATED", "RESTORE", "other"),
    ]
