import msgspec
import pytest
from tests.unit.engine.shared_store import SharedStore

from memoryd_server.domain.error import DataDamaged, StoreUnavailable
from memoryd_server.engine.agents.journal import JournalData, RecordChange, decode_row, encode_row
from memoryd_server.engine.erasure import journal_pass
from memoryd_server.engine.erasure.journal_pass import erase_from_journal
from memoryd_server.ports.store import Commit, CommitPoint, JournalRow, Store
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.testing.stores.change import change


def without(key: str) -> journal_pass.Strip:
    """Return a function that removes the values of a record from a row."""

    def strip(data: JournalData, _: int) -> JournalData | None:
        left = tuple(each for each in data.changes if each.key != key or each.value is None)
        return None if left == data.changes else msgspec.structs.replace(data, changes=left)

    return strip


def commit_of(agent_id: str, revision: int, *keys: str, value: bytes = b"v") -> Commit:
    data = encode_row((), (), tuple(RecordChange("memory", key, value) for key in keys), next_deadline=revision)
    return msgspec.structs.replace(change(agent_id, revision), journal=data)


async def commit_rows(store: Store, agent_id: str, *rows: str) -> None:
    """Commit once for each text, whose letters are the changed keys."""
    for revision, keys in enumerate(rows):
        await store.commit(commit_of(agent_id, revision, *keys))


async def rows_of(store: Store, agent_id: str) -> list[JournalRow]:
    shard = store.shard_of(agent_id)
    start = await store.journal_start(shard)
    return list((await store.read_journal(start - 1, 10_000, (agent_id,), shard)).rows)


async def keys_of_rows(store: Store, agent_id: str) -> list[str]:
    return ["".join(each.key for each in decode_row(row).changes) for row in await rows_of(store, agent_id)]


@pytest.fixture
async def store() -> InMemoryStore:
    made = InMemoryStore()
    await made.open()
    return made


async def test_only_the_erased_record_is_removed_from_rows_and_other_agents_keep_theirs(store: InMemoryStore) -> None:
    await commit_rows(store, "a", "k", "l", "kl", "", "lkm")
    await commit_rows(store, "b", "k", "kl")
    before = await rows_of(store, "a")
    assert await erase_from_journal(store, "a", without("k")) == 3
    assert await keys_of_rows(store, "a") == ["", "l", "l", "", "lm"]
    assert await keys_of_rows(store, "b") == ["k", "kl"]
    after = await rows_of(store, "a")
    assert [msgspec.structs.replace(row, data=b"") for row in after] == [
        msgspec.structs.replace(row, data=b"") for row in before
    ]
    assert [decode_row(row).next_deadline for row in after] == [0, 1, 2, 3, 4]


async def test_an_erasure_can_be_repeated(store: InMemoryStore) -> None:
    await commit_rows(store, "a", "k", "l")
    assert [await erase_from_journal(store, "a", without("k")) for _ in range(2)] == [1, 0]
    assert await erase_from_journal(store, "nobody", without("k")) == 0


async def test_more_rows_than_a_page_holds_are_rewritten_in_batches(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_pass, "JOURNAL_READ_COMMITS_MAX", 10)
    monkeypatch.setattr(journal_pass, "ERASED_ROWS_TOGETHER_MAX", 4)
    batches = recorded_batches(store, monkeypatch)
    await commit_rows(store, "a", *["kl"] * 25)
    assert await erase_from_journal(store, "a", without("k")) == 25
    assert await keys_of_rows(store, "a") == ["l"] * 25
    assert [len(batch) for batch in batches] == [4, 4, 2, 4, 4, 2, 4, 1, 0]


async def test_large_rows_are_rewritten_in_smaller_batches(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_pass, "ERASED_BYTES_TOGETHER_MAX", 25_000)
    batches = recorded_batches(store, monkeypatch)
    for revision, size in enumerate((10_000, 10_000, 10_000, 60_000, 1, 1)):
        await store.commit(commit_of("a", revision, "k", "l", value=b"x" * size))
    assert await erase_from_journal(store, "a", without("k")) == 6
    assert [sorted(batch) for batch in batches] == [[1, 2], [3], [4], [5, 6], []]


def recorded_batches(store: InMemoryStore, monkeypatch: pytest.MonkeyPatch) -> list[dict[int, bytes]]:
    batches, rewrite = [], store.rewrite_journal

    async def record(agent_id: str, rows: dict[int, bytes]) -> int:
        batches.append(rows)
        return await rewrite(agent_id, rows)

    monkeypatch.setattr(store, "rewrite_journal", record)
    return batches


async def test_the_store_erases_deleted_records_even_if_no_row_changes(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = recorded_batches(store, monkeypatch)
    await commit_rows(store, "a", "l")
    assert await erase_from_journal(store, "a", without("k")) == 0
    assert batches == [{}]


async def test_rows_of_later_commits_are_not_rewritten(store: InMemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_pass, "JOURNAL_READ_COMMITS_MAX", 2)
    await commit_rows(store, "a", "k", "k", "k")
    read = store.read_journal

    async def and_commit(*arguments: object) -> object:
        await store.commit(commit_of("a", store._heads["a"].revision, "k"))
        return await read(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as busy:
        busy.setattr(store, "read_journal", and_commit)
        assert await erase_from_journal(store, "a", without("k")) == 3
    assert await keys_of_rows(store, "a") == ["", "", "", "k", "k"]


async def test_rows_that_are_pruned_meanwhile_are_skipped(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_pass, "JOURNAL_READ_COMMITS_MAX", 2)
    await commit_rows(store, "a", *["k"] * 10)
    rewrite = store.rewrite_journal

    async def and_prune(agent_id: str, rows: dict[int, bytes]) -> int:
        rewritten = await rewrite(agent_id, rows)
        await store.prune_journal(4, 0)
        return rewritten

    monkeypatch.setattr(store, "rewrite_journal", and_prune)
    assert await erase_from_journal(store, "a", without("k")) == 6
    assert await keys_of_rows(store, "a") == ["", "", "", ""]


async def test_a_malformed_row_is_damage(store: InMemoryStore) -> None:
    await store.commit(msgspec.structs.replace(change("a", 0), journal=b"\0"))
    with pytest.raises(DataDamaged):
        await erase_from_journal(store, "a", without("k"))


async def test_an_unavailable_store_raises(store: InMemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> int:
        raise StoreUnavailable

    monkeypatch.setattr(store, "rewrite_journal", fail)
    with pytest.raises(StoreUnavailable):
        await erase_from_journal(store, "nobody", without("k"))


async def test_the_agents_own_shard_is_read() -> None:
    store = SharedStore()
    await store.open()
    point = CommitPoint(0, 0)
    for revision in range(3):
        made = msgspec.structs.replace(commit_of("a", revision, "k"), expected_point=point, nonce=revision + 1)
        point = CommitPoint(await store.commit(made), revision + 1)
    assert store.shard_of("a") != 0
    assert await erase_from_journal(store, "a", without("k")) == 3
    assert await keys_of_rows(store, "a") == ["", "", ""]
