"""Bookmarks through the wire."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest
from tests.daemon import Daemon
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, refused

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import bookmark_service_pb2 as pb
from memoryd.v1 import event_pb2, snapshot_service_pb2
from memoryd.v1.bookmark_service_pb2 import Bookmark
from memoryd.v1.bookmark_service_pb2_grpc import BookmarkServiceStub
from memoryd.v1.listing_pb2 import LIST_ORDER_ID, RECORD_VIEW_WITHOUT_CONTENT
from memoryd.v1.record_pb2 import RECORD_KIND_BOOKMARK, RecordCount

URL, TITLE = "https://example.org", "An example"


def create(agent: Memory, bookmark_id: str, title: str = TITLE, **fields: Any) -> Bookmark:
    draft = pb.BookmarkDraft(bookmark_id=bookmark_id, url=URL, title=title, **fields)
    request = pb.CreateBookmarkRequest(agent_id=agent.id, draft=draft)
    return BookmarkServiceStub(agent.wire.channel).CreateBookmark(request).bookmark


def get(agent: Memory, bookmark_id: str) -> Bookmark:
    request = pb.GetBookmarkRequest(agent_id=agent.id, bookmark_id=bookmark_id)
    return BookmarkServiceStub(agent.wire.channel).GetBookmark(request).bookmark


def delete(agent: Memory, bookmark_id: str) -> bool:
    request = pb.DeleteBookmarkRequest(agent_id=agent.id, bookmark_id=bookmark_id)
    return BookmarkServiceStub(agent.wire.channel).DeleteBookmark(request).deleted


def listed(agent: Memory, query: str = "", **fields: Any) -> list[Bookmark]:
    request = pb.ListBookmarksRequest(agent_id=agent.id, query=query, **fields)
    return list(BookmarkServiceStub(agent.wire.channel).ListBookmarks(request).bookmarks)


def test_a_bookmark_is_served_until_it_is_deleted(agent: Memory) -> None:
    first, second = create(agent, "first"), create(agent, "")
    assert (first.bookmark_id, first.agent_id, first.url, first.title) == ("first", agent.id, URL, TITLE)
    assert get(agent, "first") == first
    assert listed(agent) == [first, second]
    assert delete(agent, "first")
    assert not delete(agent, "first")
    assert listed(agent) == [second]
    refusal = refused(lambda: get(agent, "first"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "RECORD_NOT_FOUND")
    assert refusal.metadata == {"agent_id": agent.id, "kind": "bookmark", "record_id": "first"}


def test_a_bookmark_is_found_by_a_word_of_its_title(agent: Memory) -> None:
    green, _ = create(agent, "green", "Green tea"), create(agent, "coffee", "Coffee")
    assert listed(agent, "tea") == [green]


def test_bookmarks_are_listed_in_an_order_and_without_content(agent: Memory) -> None:
    first, second = create(agent, "b"), create(agent, "a")
    assert listed(agent, order=LIST_ORDER_ID) == [second, first]
    bare = listed(agent, view=RECORD_VIEW_WITHOUT_CONTENT)
    assert [(each.bookmark_id, each.url, each.title) for each in bare] == [("b", "", ""), ("a", "", "")]


def test_an_expired_bookmark_is_removed_with_an_event(agent: Memory) -> None:
    with Watcher(agent.wire, agent.id).opened() as watcher:
        created = create(agent, "gone", ttl={"nanos": 50_000_000})
        removed = watcher.until_events(2)[1]
    assert (removed.type, removed.cause) == (event_pb2.EVENT_TYPE_BOOKMARK_DELETED, event_pb2.EVENT_CAUSE_EXPIRY)
    assert removed.bookmark.bookmark_id == created.bookmark_id
    assert refused(lambda: get(agent, "gone")).reason == "RECORD_NOT_FOUND"
    assert listed(agent) == []


@pytest.mark.parametrize("field", ["bookmark_id", "url", "title"])
def test_a_malformed_field_is_refused(agent: Memory, field: str) -> None:
    request = pb.CreateBookmarkRequest(agent_id=agent.id, draft=pb.BookmarkDraft(url=URL, title=TITLE))
    setattr(request.draft, field, "\n")
    refusal = refused(lambda: BookmarkServiceStub(agent.wire.channel).CreateBookmark(request))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (f"draft.{field}",))


def test_watches_report_bookmarks(agent: Memory) -> None:
    before = create(agent, "before")
    with Watcher(agent.wire, agent.id, include_initial_state=True) as watcher:
        watcher.until_events(1)
        after = create(agent, "after")
        delete(agent, "before")
        reported = watcher.until_events(3)
    assert [event_pb2.EventType.Name(each.type) for each in reported] == [
        "EVENT_TYPE_BOOKMARK_CREATED",
        "EVENT_TYPE_BOOKMARK_CREATED",
        "EVENT_TYPE_BOOKMARK_DELETED",
    ]
    assert [each.bookmark.bookmark for each in reported[:2]] == [before, after]
    deleted = reported[2].bookmark
    assert deleted.bookmark_id == "before"
    assert not deleted.HasField("bookmark")


def test_a_bookmark_survives_a_kill_and_is_restored_into_another_agent(
    daemon: Daemon, connect: Callable[[Daemon], Wire]
) -> None:
    kept = create(connect(daemon).agent("one"), "kept")
    daemon.kill()
    daemon.start()
    wire = connect(daemon)
    assert listed(wire.agent("one")) == [kept]
    snapshot = wire.snapshots.CreateSnapshot(snapshot_service_pb2.CreateSnapshotRequest(agent_id="one")).snapshot
    restoring = snapshot_service_pb2.RestoreSnapshotRequest(snapshot_id=snapshot.snapshot_id, as_agent_id="two")
    wire.snapshots.RestoreSnapshot(restoring)
    assert get(wire.agent("two"), "kept").url == URL


def test_bookmarks_are_counted_and_cleared_with_their_kind(agent: Memory) -> None:
    create(agent, "a")
    create(agent, "b")
    stats, two = agent.stats().stats, RecordCount(kind=RECORD_KIND_BOOKMARK, count=2)
    assert (list(stats.record_counts), stats.storage_bytes) == ([two], 2 * len(URL + TITLE))
    agent.wire.agents.ClearAgent(agent_pb.ClearAgentRequest(agent_id=agent.id))
    assert len(listed(agent)) == 2
    clearing = agent_pb.ClearAgentRequest(agent_id=agent.id, kinds=[RECORD_KIND_BOOKMARK])
    assert agent.wire.agents.ClearAgent(clearing).cleared == [two]
    assert listed(agent) == []
