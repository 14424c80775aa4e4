"""Two daemons and the server that they share, in network namespaces of which each is cut off in turn."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.daemon import insecure_channel
from tests.faults.network import CutOffDaemon, Network
from tests.faults.shared_load import UNAVAILABLE, load_of
from tests.integration.shared.health import NOT_SERVING, SERVING, until_health
from tests.integration.shared.pair import Pair, flags_of, new_prefix
from tests.integration.wire import Wire
from tests.valkey.server import ValkeyServer

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

ROUNDS = 3
NAMES = ("a", "b")


@pytest.fixture
def network() -> Iterator[Network]:
    with Network(*NAMES) as network:
        yield network


@pytest.fixture
def pair(network: Network, tmp_path: Path) -> Iterator[Pair]:
    options = {"appendfsync": "always", "bind": f"127.0.0.1 {network.address}"}
    prefix = new_prefix()
    with ValkeyServer(tmp_path / "server", options=options) as server, ExitStack() as stack:
        url = f"redis://{network.address}:{server.port}/0"
        daemons = []
        for name in NAMES:
            # Nobody else may enter the directory of a socket.
            (tmp_path / name).mkdir(mode=0o700)
            daemon = CutOffDaemon(network, name, tmp_path / name, *flags_of(url, prefix, "--durability", "synced"))
            stack.callback(daemon.close)
            daemon.start()
            daemons.append(daemon)
        wires = [Wire(stack.enter_context(insecure_channel(daemon.address))) for daemon in daemons]
        yield Pair(daemons, wires, prefix)  # type: ignore[arg-type]


def test_a_daemon_that_is_cut_off_refuses_and_the_other_goes_on(
    network: Network, pair: Pair, chance: random.Random
) -> None:
    load = load_of(pair, chance)
    for turn in range(ROUNDS):
        name, wire = NAMES[turn % 2], pair.wires[turn % 2]
        with load.running():
            load.until_acknowledged()
            network.cut(name)
            until_health(wire, NOT_SERVING)
            load.until_refused(UNAVAILABLE)
            # By the other one: the writers go to either.
            load.until_acknowledged()
            network.heal(name)
            until_health(wire, SERVING)
    assert load.refusals.keys() == {UNAVAILABLE}


def test_daemons_that_are_both_cut_off_lose_nothing(network: Network, pair: Pair, chance: random.Random) -> None:
    load = load_of(pair, chance)
    for _ in range(ROUNDS):
        with load.running():
            load.until_acknowledged()
            for name in NAMES:
                network.cut(name)
            for wire in pair.wires:
                until_health(wire, NOT_SERVING)
            load.until_refused(UNAVAILABLE)
            for name in NAMES:
                network.heal(name)
            for wire in pair.wires:
                until_health(wire, SERVING)
    assert load.refusals.keys() == {UNAVAILABLE}
