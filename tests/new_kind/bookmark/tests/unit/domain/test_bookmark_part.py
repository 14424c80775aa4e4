import pytest
from tests.unit.domain.sample import Agent, at

from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.bookmarks.bookmark import BOOKMARK, Bookmark
from memoryd_server.domain.bookmarks.bookmark_change import CreateBookmark, DeleteBookmark
from memoryd_server.domain.error import LimitExceeded, RecordExists, RevisionMismatch
from memoryd_server.domain.limit import Limits

URL, TITLE = "https://example.org", "Tëst"


def test_a_bookmark_counts_its_texts() -> None:
    agent = Agent()
    expected = Bookmark("b", URL, TITLE, agent.now, 1, len((URL + TITLE).encode()))
    assert agent.do(CreateBookmark("b", URL, TITLE)) == RecordPut(expected, changed=True, revision=1)
    assert agent.state.size_bytes == expected.size_bytes


def test_an_id_is_given_once() -> None:
    agent = Agent()
    agent.do(CreateBookmark("b", URL, TITLE))
    with pytest.raises(RecordExists) as refused:
        agent.do(CreateBookmark("b", URL, TITLE))
    assert refused.value.metadata == {"kind": "bookmark", "record_id": "b"}


def test_there_are_at_most_so_many() -> None:
    agent = Agent(Limits(bookmarks_per_agent=1))
    agent.do(CreateBookmark("b", URL, TITLE))
    with pytest.raises(LimitExceeded) as refused:
        agent.do(CreateBookmark("c", URL, TITLE))
    assert refused.value.metadata == {"limit": "bookmarks_per_agent", "value": "1"}


def test_only_what_is_there_and_as_expected_is_removed() -> None:
    agent = Agent()
    assert agent.do(DeleteBookmark("b")) == RecordRemoved(0, 0)
    agent.do(CreateBookmark("b", URL, TITLE))
    with pytest.raises(RevisionMismatch):
        agent.do(DeleteBookmark("b", at(2)))
    assert agent.do(DeleteBookmark("b", at(1))) == RecordRemoved(1, 2)
    assert not agent.state.part(BOOKMARK)
