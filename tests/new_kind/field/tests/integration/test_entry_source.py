"""The source of an entry, from a client to the store and back."""

from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd


def test_the_source_of_an_entry_survives_a_read_a_merge_a_snapshot_and_a_kill(daemon: Daemon) -> None:
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        with agent.scope("task", merge="overwrite") as scope:
            scope.set("k", 1, source="book")
        snapshot = client.create_snapshot()
        agent.set("k", 1, source="film")
        client.restore_snapshot(snapshot.snapshot_id)
    daemon.kill()
    daemon.start()
    with memoryd.connect(daemon.address, **PATIENT) as client:
        entry = client.agent("a").get_entry("k")
    assert entry is not None
    assert entry.source == "book"
