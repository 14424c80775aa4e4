import asyncio
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.damage import erase_leaves

from memoryd_server.ports.store import AgentHead, Commit, Record
from memoryd_server.stores.sqlite.store import SqliteStore

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


async def fill(directory: Path) -> None:
    store = SqliteStore(directory)
    await store.open()
    for agent_id in ("ann", "bob"):
        head = AgentHead(agent_id, 3, 1, 1, 0)
        await store.commit(Commit(head, 0, journal=agent_id.upper().encode() * 900))
    await store.close()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """The files of a store with two agents, of which nothing is damaged."""
    asyncio.run(fill(tmp_path / "data"))
    return tmp_path / "data"


def test_whole_agents_are_listed_with_what_was_checked(command: Command, directory: Path) -> None:
    code, out, err = command("check", "--store", f"sqlite:{directory}")
    assert (code, err) == (0, "")
    assert out == "ann\twhole\t3\t0\t0\twhole\t\nbob\twhole\t3\t0\t0\twhole\t\n"


def test_a_damaged_history_is_damage_of_the_agent_that_remains_whole(command: Command, directory: Path) -> None:
    assert erase_leaves(directory, b"BOB" * 200)
    code, out, err = command("check", "--store", f"sqlite:{directory}", "--json")
    assert (code, err) == (1, "")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["agent_id"], row["state"], row["journal"]) for row in rows] == [
        ("ann", "whole", "whole"),
        ("bob", "whole", "damaged"),
    ]


def test_a_store_without_agents_is_whole(command: Command, tmp_path: Path) -> None:
    asyncio.run(_empty(tmp_path))
    assert command("check", "--store", f"sqlite:{tmp_path}") == (0, "", "")


async def _empty(directory: Path) -> None:
    store = SqliteStore(directory)
    await store.open()
    await store.close()


def test_lost_commits_are_reported_beside_the_agents(command: Command, directory: Path) -> None:
    older = (directory / "memoryd.db").read_bytes()
    asyncio.run(change(directory))
    (directory / "memoryd.db").write_bytes(older)
    code, out, err = command("check", "--store", f"sqlite:{directory}")
    assert code == 1
    assert [line.split("\t")[1] for line in out.splitlines()] == ["whole", "whole"]
    assert err == (
        "any agent may lack its last changes: damaged data: the database lacks acknowledged commits (2 of 3 groups of "
        "commits are left)\n"
    )


async def change(directory: Path) -> None:
    store = SqliteStore(directory)
    await store.open()
    await store.commit(Commit(AgentHead("ann", 4, 1, 2, 1), 3, (Record("entry", "k", b"not decoded"),)))
    await store.close()


def test_records_that_cannot_be_decoded_are_damage(command: Command, directory: Path) -> None:
    asyncio.run(change(directory))
    code, out, _ = command("check", "--store", f"sqlite:{directory}")
    assert code == 1
    assert [line.split("\t")[1] for line in out.splitlines()] == ["damaged", "whole"]


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("memory", "store: is an in-memory store"),
        ("nothing:/x", "--store: must begin with the scheme of an installed store"),
        ("sqlite:/nowhere/at/all", "memoryd.db is missing"),
    ],
)
def test_a_store_that_cannot_be_read_is_an_error_of_one_line(command: Command, url: str, problem: str) -> None:
    code, out, err = command("check", "--store", url)
    assert (code, out) == (1, "")
    assert problem in err
    assert err.count("\n") == 1


def test_all_is_saved_of_a_whole_store(command: Command, directory: Path, tmp_path: Path) -> None:
    target = tmp_path / "new"
    assert command("salvage", "--from", f"sqlite:{directory}", "--to", f"sqlite:{target}") == (
        0,
        "saved 2 agents with 0 records\n",
        "",
    )
    assert command("check", "--store", f"sqlite:{target}")[0] == 0
    code, out, err = command("salvage", "--from", f"sqlite:{directory}", "--to", f"sqlite:{target}")
    assert (code, out) == (1, "")
    assert "is not empty: name a new directory" in err


def test_an_unknown_loss_must_be_accepted(command: Command, directory: Path, tmp_path: Path) -> None:
    older = (directory / "memoryd.db").read_bytes()
    asyncio.run(change(directory))
    (directory / "memoryd.db").write_bytes(older)
    places = ("--from", f"sqlite:{directory}", "--to", f"sqlite:{tmp_path / 'new'}")
    code, out, err = command("salvage", *places)
    assert (code, out) == (1, "")
    assert "--accept-loss saves them as they are" in err
    assert not (tmp_path / "new").exists()
    code, out, err = command("salvage", *places, "--accept-loss")
    assert (code, out) == (1, "saved 2 agents with 0 records\n")
    assert err.startswith("any agent may lack its last changes: ")


def test_a_target_that_ends_with_the_command_is_refused(command: Command, directory: Path) -> None:
    code, out, err = command("salvage", "--from", f"sqlite:{directory}", "--to", "memory")
    assert (code, out) == (1, "")
    assert "name a store that keeps what is saved" in err
