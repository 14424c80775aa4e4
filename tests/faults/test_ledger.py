"""The ledger itself: it fails on each kind of loss that it exists to find."""

from collections.abc import Iterator

import pytest
from tests.daemon import Daemon, insecure_channel
from tests.integration.ledger import BATCH_KEYS, Attempt, Ledger
from tests.integration.wire import Wire


@pytest.fixture
def wire(shared_daemon: Daemon) -> Iterator[Wire]:
    with insecure_channel(shared_daemon.address) as channel:
        yield Wire(channel)


@pytest.fixture
def ledger(wire: Wire) -> Ledger:
    """A ledger with two acknowledged changes, which the daemon has."""
    agent = wire.agent()
    ledger = Ledger(agent.id)
    for values in ({"key-0": 1}, dict.fromkeys(BATCH_KEYS, 2)):
        ledger.attempts.append(Attempt(dict(values), agent.write(values).revision))
    ledger.check(wire)
    ledger.follow(wire)
    return ledger


def test_it_notices_a_lost_change(wire: Wire, ledger: Ledger) -> None:
    ledger.attempts.append(Attempt({"key-0": 3}, revision=3))
    with pytest.raises(AssertionError, match="held"):
        ledger.check(wire)


def test_it_notices_a_change_that_its_writer_did_not_make(wire: Wire, ledger: Ledger) -> None:
    wire.agent(ledger.agent_id).set("key-1")
    with pytest.raises(AssertionError, match="held"):
        ledger.check(wire)


def test_it_notices_half_a_batch(wire: Wire, ledger: Ledger) -> None:
    wire.agent(ledger.agent_id).set(BATCH_KEYS[0], 3)
    with pytest.raises(AssertionError, match="half a batch"):
        ledger.check(wire)


def test_it_notices_a_revision_that_comes_twice(wire: Wire, ledger: Ledger) -> None:
    ledger.attempts[1].revision = ledger.attempts[0].revision
    with pytest.raises(AssertionError, match="twice"):
        ledger.check(wire)


def test_it_notices_an_event_that_is_missing(wire: Wire, ledger: Ledger) -> None:
    del ledger.events[0]
    with pytest.raises(AssertionError, match="gap"):
        ledger.follow(wire)


@pytest.mark.parametrize("happened", [True, False])
def test_an_unacknowledged_change_may_have_happened_or_not(wire: Wire, ledger: Ledger, happened: bool) -> None:
    ledger.attempts.append(Attempt({"key-0": None}))
    if happened:
        wire.agent(ledger.agent_id).remove("key-0")
    ledger.check(wire)
    ledger.check(wire)
    assert ledger.acknowledged == 2 + happened
