"""Kills of a daemon at a random moment while it is written to."""

import random
import threading
import time
from collections.abc import Callable, Sequence

from tests.daemon import Daemon
from tests.wait import until


def kill_while_writing(
    daemon: Daemon, writes: Sequence[Callable[[], None]], acknowledged: Callable[[], int], chance: random.Random
) -> None:
    """Kill the daemon while each of the writers runs on a thread of its own, and wait for their ends.

    ``acknowledged`` returns the number of writes that the daemon acknowledged: the kill comes after the first. Raises
    what a writer raises.
    """
    failures: list[BaseException] = []

    def work(write: Callable[[], None]) -> None:
        try:
            write()
        except BaseException as failure:  # noqa: BLE001 - raised again in the thread of the test
            failures.append(failure)

    before = acknowledged()
    threads = [threading.Thread(target=work, args=(write,)) for write in writes]
    for thread in threads:
        thread.start()
    until(lambda: acknowledged() > before or failures, "something is acknowledged")
    # The kill may hit a commit, a checkpoint, or the time between two.
    time.sleep(chance.uniform(0, 0.3))  # time: a random moment
    daemon.kill()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
