"""The difference between two moments of an agent, from the daemon's journal and from a backup."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.integration.test_backup import ok, run
from tests.wait import PATIENT

import memoryd


@pytest.mark.whole
def test_a_difference_names_what_was_added_changed_and_removed(
    launch_process: Callable[..., Daemon], tmp_path: Path
) -> None:
    daemon, backup = launch_process(), tmp_path / "backup"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        agent.set("gone", 1)
        agent.set("kept", 1)
        ok(run(daemon, "backup", "create", "--to", backup))
        agent.set("kept", 2)
        agent.remove("gone")
        agent.set("brief", 1)
        agent.remove("brief")
        note = agent.notes.create("T", "text", note_id="n")
        agent.notes.delete(note.note_id)
        agent.set("new", 3)
        ok(run(daemon, "backup", "create", "--to", backup))
    found = ok(run(daemon, "diff", "a", "--from", "2")).splitlines()
    expected = ["changed\tentry\tkept\t\t2", "removed\tentry\tgone\t\t", "added\tentry\tnew\t\t3"]
    assert found == expected
    assert ok(run(daemon, "diff", "a", "--from", "2", "--to", "3")).splitlines() == expected[:1]
    rows = [row.split("\t") for row in ok(run(None, "diff", "a", "--from", "2", "--backup", backup)).splitlines()]
    assert [(row[0], row[1], row[2].rpartition("/")[2]) for row in rows] == [
        ("removed", "entry", "gone"),
        ("changed", "entry", "kept"),
        ("added", "entry", "new"),
    ]
