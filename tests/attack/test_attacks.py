"""Each attack, small: what it must not get, what others keep, and the memory it costs. The tool judges times."""

from collections import Counter
from pathlib import Path

import pytest
from tests.attack.attack import Attack
from tests.attack.attacks import ATTACKS
from tests.attack.bystander import Account, Sample
from tests.attack.outcome import OK
from tests.attack.trial import lost_of, try_attack, window
from tests.attack.verdict import broken_outcomes

QUIET_S = 0.5  # time: the bystander is alone for a moment, so that it has called


PARAMETERS = [
    pytest.param(attack, id=attack.name, marks=[] if attack.is_quick else [pytest.mark.whole])
    for attack in ATTACKS.values()
]


@pytest.mark.parametrize("attack", PARAMETERS)
def test_a_small_attack_breaks_no_promise(attack: Attack, tmp_path: Path) -> None:
    result = try_attack(attack, tmp_path, attack.times_small, seconds=0, quiet_s=QUIET_S)
    assert result.damage.outcomes
    assert result.quiet.get.calls
    assert broken_outcomes(attack, result) == []


def test_what_the_attacker_must_not_get_is_reported() -> None:
    attack = ATTACKS["large"]
    assert attack.broken(Counter(UNAUTHENTICATED=3, OK=1)) == {"OK": 1}


@pytest.mark.parametrize(("acknowledged", "stored", "lost"), [(8, 8, 0), (8, 10, 0), (8, 6, 1), (8, 0, 4), (0, 0, 0)])
def test_lost_writes_are_counted(acknowledged: int, stored: int, lost: int) -> None:
    assert lost_of(Account([], acknowledged, stored)) == lost


def test_a_window_has_the_longest_call_and_what_was_refused() -> None:
    samples = [
        Sample(0.0, 0.001, False, OK, 0.0, 0.0),
        Sample(1.0, 0.2, True, OK, 0.05, 0.1),
        Sample(2.0, 0.002, False, "OVERLOADED", 0.0, 0.0),
    ]
    seen = window(samples)
    assert (seen.get.calls, seen.set.calls) == (2, 1)
    assert seen.refused == {"OVERLOADED": 1}
    assert (seen.worst_ms, seen.worst_processor_ms, seen.worst_waited_ms) == pytest.approx((200, 50, 100))
    assert seen.set.p99_apart_from_cores == pytest.approx(100)
