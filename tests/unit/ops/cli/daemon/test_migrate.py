import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memoryd_server.engine.images.migration import Migrated, WouldOverwrite
from memoryd_server.ops.wiring import store_migration

Command = Callable[..., tuple[int, str, str]]

PLACES = ("--from", "sqlite:/here", "--to", "redis://there")
NAMES = tuple(f"agent-{number:02}" for number in range(12))


@pytest.fixture(autouse=True)
def mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


class Mover:
    """Replaces the migration: returns the results of the test, and records the arguments."""

    def __init__(self) -> None:
        self.places: tuple[str, str] | None = None
        self.overwrites = False
        self.loss: WouldOverwrite | None = None
        self.differing: tuple[str, ...] = ()
        self.foreign: tuple[str, ...] = ()

    async def move(self, source: str, target: str, _: Any, *, overwrites: bool) -> Migrated:
        self.places, self.overwrites = (source, target), overwrites
        if self.loss is not None:
            raise self.loss
        return Migrated(1_000, 2_000, 3, 4, "abc", self.differing, self.foreign)


@pytest.fixture
def mover(monkeypatch: pytest.MonkeyPatch) -> Mover:
    made = Mover()
    monkeypatch.setattr(store_migration, "move", made.move)
    return made


def test_the_numbers_of_copied_agents_are_printed(command: Command, mover: Mover) -> None:
    code, out, err = command("migrate", *PLACES)
    assert (code, err) == (0, "")
    assert out == (
        "source and target have the same 1,000 agents with 2,000 records, checksum abc; copied 3, deleted 4\n"
    )
    assert (mover.places, mover.overwrites) == (PLACES[1::2], False)


def test_the_target_is_overwritten_only_on_request(command: Command, mover: Mover) -> None:
    command("migrate", *PLACES, "--overwrite")
    assert mover.overwrites


def test_the_environment_says_what_the_process_list_must_not(
    command: Command, mover: Mover, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("MIGRATE_FROM", "redis://:secret@here"), ("MIGRATE_TO", "redis://:secret@there")):
        monkeypatch.setenv(f"MEMORYD_{name}", value)
    assert command("migrate")[0] == 0
    assert mover.places == ("redis://:secret@here", "redis://:secret@there")
    _, out, _ = command("migrate", "--help")
    for name in ("MIGRATE_FROM", "MIGRATE_TO"):
        assert f"[env var: MEMORYD_{name};" in " ".join(out.split())


def test_what_is_written_is_for_its_owner_only(command: Command, mover: Mover) -> None:
    command("migrate", *PLACES)
    assert os.umask(0o077) == 0o077


def test_agents_that_differ_are_named_ten_at_most_and_end_the_command(command: Command, mover: Mover) -> None:
    mover.differing = NAMES
    code, _, err = command("migrate", *PLACES)
    assert code == 1
    assert "agent-09 and 2 more; stop the writers, and run this again" in err
    assert "agent-10" not in err


def test_agents_of_the_target_alone_are_named_ten_at_most(command: Command, mover: Mover) -> None:
    mover.foreign = NAMES
    code, _, err = command("migrate", *PLACES)
    assert code == 0
    assert err == f"only in the target, and not changed: {', '.join(NAMES[:10])} and 2 more\n"


def test_a_name_cannot_write_to_the_terminal(command: Command, mover: Mover) -> None:
    mover.foreign = mover.differing = ("a\x1b[2J\nb",)
    _, _, err = command("migrate", *PLACES)
    assert err.count(r"a\u001b[2J\u000ab") == 2
    mover.loss = WouldOverwrite(mover.foreign, was_served=False)
    _, _, err = command("migrate", *PLACES)
    assert r"a\u001b[2J\u000ab" in err


def test_a_loss_is_refused_in_one_line_that_says_how_to_have_it_anyhow(command: Command, mover: Mover) -> None:
    mover.loss = WouldOverwrite(NAMES, was_served=True)
    code, out, err = command("migrate", *PLACES)
    assert (code, out) == (1, "")
    assert err == (
        "memoryd: the target has data that the source lacks: a journal of clients' changes; agents that are newer or "
        f"different: {', '.join(NAMES[:10])} and 2 more. Nothing was copied; --overwrite replaces it\n"
    )
    mover.loss = WouldOverwrite(("ann",), was_served=False)
    _, _, err = command("migrate", *PLACES)
    assert "lacks: agents that are newer or different: ann. Nothing" in err
