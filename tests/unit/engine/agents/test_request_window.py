import pytest

from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.conversations.compaction_change import MessagesCompacted
from memoryd_server.domain.conversations.conversation import Conversation
from memoryd_server.domain.entries.entry import Entry, EntryType
from memoryd_server.domain.entries.entry_change import EntriesWritten, EntryFoundOrSet, EntrySet, OperationResult
from memoryd_server.domain.entries.scope_change import ScopesDisposed
from memoryd_server.domain.error import RequestIdReused
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.fragments.lease_change import FragmentsLeased
from memoryd_server.domain.limit import (
    REQUESTS_REMEMBERED_BYTES_MAX,
    REQUESTS_REMEMBERED_MAX,
    REQUESTS_REMEMBERED_NS_MAX,
)
from memoryd_server.domain.memories.changes.memory_creation import CreateMemoryOutcome, MemoriesCreated, MemoryCreated
from memoryd_server.engine.agents.journal import RememberedRequest
from memoryd_server.engine.agents.request_window import RequestKey, RequestWindow

CREATED = MemoryCreated(CreateMemoryOutcome.BLOCKED, None)


def key_of(request_id: str, body: bytes = b"body") -> RequestKey:
    return RequestKey(request_id, body)


def remembered(request_id: str, time: int = 0, result: Result | None = None) -> RememberedRequest:
    return RememberedRequest(request_id, b"body", time, result or EntrySet(False, "id", 1))


def large_entry(size_bytes: int) -> Entry:
    return Entry("k", "1", "id", "", EntryType.FACT, 0.5, (), "", "", 1, 1, 1, None, size_bytes)


def kept(window: RequestWindow, count: int) -> list[bool]:
    return [window.find(key_of(f"r{number}"), 0) is not None for number in range(count)]


def test_a_request_is_found_by_its_id_and_refused_with_another_body() -> None:
    window = RequestWindow([remembered("r")])
    assert window.find(key_of("r"), 0) == EntrySet(False, "id", 1)
    assert window.find(key_of("other"), 0) is None
    with pytest.raises(RequestIdReused):
        window.find(key_of("r", b"another"), 0)


def test_the_window_is_bounded_by_count() -> None:
    window = RequestWindow(remembered(f"r{number}") for number in range(REQUESTS_REMEMBERED_MAX + 1))
    assert kept(window, REQUESTS_REMEMBERED_MAX + 1) == [False] + [True] * REQUESTS_REMEMBERED_MAX


def test_the_window_is_bounded_by_age() -> None:
    window = RequestWindow([remembered("r0", time=0)])
    assert window.find(key_of("r0"), REQUESTS_REMEMBERED_NS_MAX) is not None
    assert window.find(key_of("r0", b"another body"), REQUESTS_REMEMBERED_NS_MAX + 1) is None
    window.remember(remembered("r1", time=REQUESTS_REMEMBERED_NS_MAX + 1))
    assert kept(window, 2) == [False, True]


@pytest.mark.parametrize(
    "result",
    [
        EntryFoundOrSet(True, large_entry(REQUESTS_REMEMBERED_BYTES_MAX // 2), 1),
        EntriesWritten(
            tuple(OperationResult("k" * 1_024, False) for _ in range(REQUESTS_REMEMBERED_BYTES_MAX // 2_048)), 1
        ),
        FragmentsLeased(Lease("t", 1, tuple(range(REQUESTS_REMEMBERED_BYTES_MAX // 80))), 1),
        MemoriesCreated((CREATED,) * (REQUESTS_REMEMBERED_BYTES_MAX // 1_024), 1),
        MessagesCompacted(
            Conversation("c", 1, 0, 0, 1, 1, 1, REQUESTS_REMEMBERED_BYTES_MAX // 4),
            1,
            1,
            ("n" * 512,) * (REQUESTS_REMEMBERED_BYTES_MAX // 2_048),
            1,
        ),
        ScopesDisposed(True, 0, ("s",) * (REQUESTS_REMEMBERED_BYTES_MAX // 512), 1),
    ],
    ids=lambda result: type(result).__name__,
)
def test_the_window_is_bounded_by_the_size_of_its_results(result: Result) -> None:
    window = RequestWindow(remembered(f"r{number}", result=result) for number in range(3))
    assert kept(window, 3)[0] is False
    assert kept(window, 3)[2] is True


def test_a_request_that_is_kept_again_takes_no_more_space() -> None:
    result = EntryFoundOrSet(True, large_entry(REQUESTS_REMEMBERED_BYTES_MAX // 2), 1)
    window = RequestWindow([remembered("r0")])
    for _ in range(5):
        window.remember(remembered("r1", result=result))
    assert kept(window, 2) == [True, True]
