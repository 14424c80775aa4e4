import math

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.unit.domain.sample import NOW, memory_draft

from memoryd_server.domain.limit import DAY_NS, EXPIRY_NS_MAX
from memoryd_server.domain.memories.memory import Confidence, Memory, memory_of
from memoryd_server.domain.memories.salience import SaliencePolicy, archive_time_of, salience_of

POLICY = SaliencePolicy()
SHARES = st.floats(0, 1)
LINK_STRENGTHS = st.floats(0, 1_000)
AGES = st.integers(0, 40 * 365 * DAY_NS)
POLICIES = st.builds(
    SaliencePolicy,
    half_life_ns=st.integers(1_000_000, 400 * DAY_NS),
    access_share=SHARES,
    link_share=SHARES,
    archive_below=st.one_of(st.just(0.0), st.floats(1e-6, 1)),
)


def made(importance: float = 0.5, confidence: float = 0.5, **fields: object) -> Memory:
    """Return a memory that was created at ``NOW``."""
    memory = memory_of(memory_draft("fox", importance=importance), "m1", 0, 1, NOW)
    return msgspec.structs.replace(memory, confidences=(Confidence(NOW, confidence),), **fields)


MEMORIES = st.builds(
    made,
    importance=SHARES,
    confidence=SHARES,
    access_count=st.integers(0, 10_000),
    reinforce_count=st.integers(0, 1_000),
    last_access_time=AGES.map(lambda age: NOW + age),
    reinforce_time=st.one_of(st.none(), AGES.map(lambda age: NOW + age)),
)


@given(MEMORIES, LINK_STRENGTHS, st.integers(-DAY_NS, EXPIRY_NS_MAX), POLICIES)
def test_salience_is_from_0_to_1(memory: Memory, strength: float, age: int, policy: SaliencePolicy) -> None:
    assert 0 <= salience_of(memory, strength, NOW + age, policy) <= 1


@given(MEMORIES, LINK_STRENGTHS, AGES, AGES, POLICIES)
def test_it_never_grows_by_waiting(
    memory: Memory, strength: float, age: int, further: int, policy: SaliencePolicy
) -> None:
    now = NOW + age
    assert salience_of(memory, strength, now + further, policy) <= salience_of(memory, strength, now, policy)


@given(MEMORIES, LINK_STRENGTHS, AGES, POLICIES, st.data())
def test_no_access_link_reinforcement_importance_or_confidence_lowers_it(
    memory: Memory, strength: float, age: int, policy: SaliencePolicy, data: st.DataObject
) -> None:
    now = NOW + age
    before = salience_of(memory, strength, now, policy)
    better = {
        "access_count": memory.access_count + data.draw(st.integers(0, 100)),
        "reinforce_count": memory.reinforce_count + data.draw(st.integers(0, 100)),
        "importance": data.draw(st.floats(memory.importance, 1)),
        "confidences": (Confidence(NOW, data.draw(st.floats(memory.confidence, 1))),),
        "last_access_time": memory.last_access_time + data.draw(AGES),
        "reinforce_time": (memory.reinforce_time or NOW) + data.draw(AGES),
    }
    rounding = 1e-12
    for name, value in better.items():
        changed = msgspec.structs.replace(memory, **{name: value})
        assert salience_of(changed, strength, now, policy) >= before - rounding
    stronger = strength + data.draw(LINK_STRENGTHS)
    assert salience_of(memory, stronger, now, policy) >= before - rounding


def test_it_halves_with_each_half_life_and_reinforcement_makes_that_longer() -> None:
    memory = made(0.75, 0.25)
    assert salience_of(memory, 0, NOW, POLICY) == 0.5
    assert salience_of(memory, 0, NOW + POLICY.half_life_ns, POLICY) == 0.25
    assert salience_of(memory, 0, NOW + 3 * POLICY.half_life_ns, POLICY) == 0.0625
    confirmed = msgspec.structs.replace(memory, reinforce_count=2, reinforce_time=NOW)
    assert salience_of(confirmed, 0, NOW + 3 * POLICY.half_life_ns, POLICY) == 0.25


@pytest.mark.parametrize("touched", ["last_access_time", "reinforce_time"])
def test_the_decay_restarts_when_a_memory_is_recalled_or_reinforced(touched: str) -> None:
    later = NOW + 90 * DAY_NS
    memory = msgspec.structs.replace(made(), **{touched: later})
    assert salience_of(memory, 0, later, POLICY) == salience_of(made(), 0, NOW, POLICY) == 0.5


def test_accesses_and_links_close_their_shares_of_what_is_missing() -> None:
    assert salience_of(made(access_count=10), 0, NOW, POLICY) == pytest.approx(1 - 0.5 * (1 - 0.3 / 2))
    assert salience_of(made(), 2.0, NOW, POLICY) == pytest.approx(1 - 0.5 * (1 - 0.2 / 2))
    both = salience_of(made(access_count=10), 2.0, NOW, POLICY)
    assert both == pytest.approx(1 - 0.5 * (1 - 0.3 / 2) * (1 - 0.2 / 2))
    deaf = SaliencePolicy(access_share=0, link_share=0)
    assert salience_of(made(access_count=10), 2.0, NOW, deaf) == 0.5


@given(MEMORIES, LINK_STRENGTHS, POLICIES)
def test_a_memory_is_archived_when_its_salience_is_below_the_threshold_and_not_before(
    memory: Memory, strength: float, policy: SaliencePolicy
) -> None:
    assume(policy.archive_below > 0)
    archive_time = archive_time_of(memory, strength, policy)
    if archive_time is None:
        horizon = max(memory.last_access_time, memory.reinforce_time or 0) + EXPIRY_NS_MAX
        assert salience_of(memory, strength, horizon, policy) >= policy.archive_below * (1 - 1e-9)
        return
    # A nanosecond changes less than the rounding does.
    below = policy.archive_below * (1 + 1e-9)
    assert salience_of(memory, strength, archive_time, policy) <= below
    begun = max(memory.last_access_time, memory.reinforce_time or 0)
    if archive_time > begun + 1:
        above = policy.archive_below * (1 - 1e-9) * (1 - math.log(2) / policy.half_life_ns)
        assert salience_of(memory, strength, archive_time - 1, policy) >= above


def test_the_default_archives_a_memory_without_reinforcement_after_a_hundred_days() -> None:
    archive_time = archive_time_of(made(), 0, POLICY)
    assert archive_time is not None
    assert (archive_time - NOW) // DAY_NS == 99


def test_what_never_matters_is_archived_at_once_and_nothing_without_a_threshold() -> None:
    assert archive_time_of(made(0, 0), 0, POLICY) == NOW + 1
    assert archive_time_of(made(0.02, 0.02), 0, POLICY) == NOW + 1
    assert archive_time_of(made(0, 0), 0, SaliencePolicy(archive_below=0)) is None


@pytest.mark.parametrize(("reinforce_count", "is_archived"), [(0, True), (300, True), (1_000, False), (2**62, False)])
def test_what_fades_later_than_anything_may_end_is_never_archived(reinforce_count: int, is_archived: bool) -> None:
    assert (archive_time_of(made(reinforce_count=reinforce_count), 0, POLICY) is not None) is is_archived
