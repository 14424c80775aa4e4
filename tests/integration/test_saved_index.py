"""An agent's indexes are saved beside an embedded store, and are of no importance but for time."""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT, until

import memoryd
from memoryd_server.engine.limit import SAVED_ITEMS_MIN

SECRET = "Xyzzyplugh"


def files(daemon: Daemon) -> list[Path]:
    return sorted((daemon.data_dir / "indexes").rglob("*.index"))


def contents(daemon: Daemon) -> bytes:
    """Return all bytes in the data directory, with letters in lower case, as terms have them."""
    return b"".join(path.read_bytes() for path in sorted(daemon.data_dir.rglob("*")) if path.is_file()).lower()


@contextlib.contextmanager
def connected(daemon: Daemon) -> Iterator[memoryd.Agent]:
    with memoryd.connect(target=daemon.address, **PATIENT) as client:
        yield client.agent("a")


def fill(agent: memoryd.Agent) -> None:
    contents = [f"Note {number}: the build of week {number % 7} takes {number * 3} minutes" for number in range(999)]
    drafts = [
        memoryd.MemoryDraft(content, allow_duplicates=True, skip_contradictions=True)
        for content in (*contents, f"The password is {SECRET}")
    ]
    drafts[-1] = dataclasses.replace(drafts[-1], memory_id="secret")
    for first in range(0, len(drafts), 500):
        agent.memories.create_many(drafts[first : first + 500])
    assert len(drafts) == SAVED_ITEMS_MIN


def asked(agent: memoryd.Agent) -> list[str]:
    queries = (f"what is the password {SECRET}", "how long does build 300 take?", "week 3")
    return [each.memory.memory_id for query in queries for each in agent.memories.recall(query).memories]


@pytest.fixture
def filled(launch_process: Callable[..., Daemon]) -> Daemon:
    daemon = launch_process("--log-level", "debug")
    with connected(daemon) as agent:
        fill(agent)
        asked(agent)
    until(lambda: files(daemon), "the index is saved")
    return daemon


@pytest.mark.whole
def test_a_saved_index_answers_as_before_after_a_stop_and_after_a_kill(filled: Daemon) -> None:
    with connected(filled) as agent:
        before = asked(agent)
    for end in (filled.kill, filled.stop, filled.kill):
        end()
        filled.start()
        with connected(filled) as agent:
            assert asked(agent) == before
    assert filled.log.count("saved index loaded") == 3
    assert "saved index not used" not in filled.log


@pytest.mark.whole
def test_a_damaged_or_missing_index_is_built_again(filled: Daemon) -> None:
    with connected(filled) as agent:
        before = asked(agent)
    filled.stop()
    (path,) = files(filled)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    filled.start()
    with connected(filled) as agent:
        assert asked(agent) == before
    assert "saved index not used" in filled.log
    filled.stop()
    for path in files(filled):
        path.unlink()
    filled.start()
    with connected(filled) as agent:
        assert asked(agent) == before


@pytest.mark.whole
def test_what_is_erased_is_in_no_saved_index(filled: Daemon) -> None:
    assert SECRET.lower().encode() in files(filled)[0].read_bytes()
    with connected(filled) as agent:
        agent.memories.purge("secret")
        assert SECRET.lower().encode() not in contents(filled)
        asked(agent)
    filled.stop()
    assert SECRET.lower().encode() not in contents(filled)


@pytest.mark.whole
def test_what_is_deleted_leaves_the_saved_index_at_the_latest_when_the_daemon_stops(filled: Daemon) -> None:
    with connected(filled) as agent:
        agent.memories.forget("secret")
    filled.stop()
    assert files(filled)
    assert SECRET.lower().encode() not in b"".join(path.read_bytes() for path in files(filled))


@pytest.mark.whole
def test_the_chunks_of_documents_have_an_index_of_their_own(daemon: Daemon) -> None:
    with connected(daemon) as agent:
        text = "\n\n".join(f"# Part {number}\n\nValue {number * 7} of the table." * 20 for number in range(1_000))
        document = agent.documents.create(text, title="Long")
        assert document.chunk_count >= SAVED_ITEMS_MIN
        found = agent.documents.search("value 700")
    until(lambda: files(daemon), "the index is saved")
    assert "documents" in str(files(daemon)[0])
    daemon.kill()
    daemon.start()
    with connected(daemon) as agent:
        again = agent.documents.search("value 700")
        assert [each.score for each in again.chunks] == [each.score for each in found.chunks]
