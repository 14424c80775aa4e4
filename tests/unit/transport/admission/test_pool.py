"""Pools: a total, and a share for each caller."""

import pytest

from memoryd_server.domain.error import Overloaded
from memoryd_server.domain.limit import Limits
from memoryd_server.transport.admission.pool import Pool, Pools


def pool(maximum: int = 3, share: int = 2) -> Pool:
    return Pool("places", maximum, share, "Places in use")


def refusal_of(pool: Pool, caller: str, places: int = 1) -> dict[str, str]:
    with pytest.raises(Overloaded) as refused:
        pool.enter(caller, places)
    return refused.value.metadata


def test_a_caller_gets_its_share_and_no_more() -> None:
    places = pool()
    places.enter("a")
    places.enter("a")
    assert refusal_of(places, "a") == {"limit": "places_per_caller", "value": "2"}
    places.enter("b")
    assert (places.value, places.of_caller) == (3, {"a": 2, "b": 1})


def test_all_callers_together_get_the_total() -> None:
    places = pool()
    for caller in "abc":
        places.enter(caller)
    assert refusal_of(places, "d") == {"limit": "places", "value": "3"}
    places.leave("a")
    places.enter("d")


def test_a_caller_that_has_left_is_forgotten() -> None:
    places = pool(30, 20)
    places.enter("a", 10)
    places.enter("a", 10)
    places.leave("a", 10)
    assert places.of_caller == {"a": 10}
    places.leave("a", 10)
    assert (places.value, places.of_caller) == (0, {})


def test_places_that_do_not_fit_are_refused_as_a_whole() -> None:
    places = pool(30, 20)
    assert refusal_of(places, "a", 21) == {"limit": "places_per_caller", "value": "20"}
    assert (places.value, places.refused.value) == (0, 1)


def test_the_metrics_have_what_is_in_use_and_what_was_refused() -> None:
    pools = Pools(Limits(concurrent_calls=1))
    pools.calls.enter("a")
    refusal_of(pools.calls, "b")
    metrics = {
        (metric.name, getattr(metric, "attributes", {}).get("limit", "")): metric for metric in pools.instruments()
    }
    assert metrics["agents.memory.server.concurrent_calls", ""].value == 1
    assert metrics["agents.memory.server.refused_total", "concurrent_calls"].value == 1
    assert pools.usage()["concurrent_calls"] == pools.unfinished == 1
