"""Two daemons behind one address, which share a cluster of three nodes. One of them is killed every few seconds."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.clients.switchboard import Switchboard
from tests.daemon import Daemon
from tests.integration.shared.pair import sharing
from tests.valkey.cluster import ValkeyCluster
from tests.valkey.url import with_options

KILL_EVERY_S = 3.0  # time: a pace


class Killer:
    """A thread that kills the daemons in turn and restarts them. ``kills`` is the number of kills."""

    def __init__(self, daemons: Sequence[Daemon], switchboard: Switchboard, every_s: float) -> None:
        self.kills = 0
        self._daemons = daemons
        self._switchboard = switchboard
        self._every_s = every_s
        self._stopped = threading.Event()
        self._killing = threading.Lock()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="killer")

    def __enter__(self) -> "Killer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep both daemons running, and connected to the switchboard, while the block runs."""
        with self._killing:
            yield

    def _run(self) -> None:
        try:
            while not self._stopped.wait(self._every_s):
                with self._killing:
                    daemon = self._daemons[self.kills % len(self._daemons)]
                    daemon.kill()
                    self.kills += 1
                    daemon.start()
                    self._switchboard.wait_until_connected()
        except BaseException as failure:  # noqa: BLE001 - raised at the end of the block, in another thread
            self._failure = failure


@contextlib.contextmanager
def one_memory(directory: Path, kill_every_s: float = KILL_EVERY_S) -> Iterator[tuple[str, Killer]]:
    """Yield the address of two daemons that share three nodes, and the killer of these daemons."""
    with ValkeyCluster(directory / "cluster") as cluster:
        url = f"redis+cluster://{','.join(node.address for node in cluster.nodes)}"
        with (
            sharing(directory, with_options(url, shards=16)) as pair,
            Switchboard([daemon.address for daemon in pair.daemons]) as switchboard,
            Killer(pair.daemons, switchboard, kill_every_s) as killer,
        ):
            yield switchboard.address, killer
