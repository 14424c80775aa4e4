from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.values.weighted_lru import WeightedLru


def keys_of(lru: WeightedLru[str, str]) -> list[str]:
    """Its keys, the least recently used first, found by what it evicts."""
    keys = []
    while (oldest := lru.oldest()) is not None:
        keys.append(oldest[0])
        lru.pop(oldest[0])
    return keys


def filled(weight_max: int, **weights: int) -> WeightedLru[str, str]:
    lru = WeightedLru[str, str](weight_max)
    for key, weight in weights.items():
        lru.put(key, key.upper(), weight)
    return lru


def test_what_is_put_is_found_and_nothing_else() -> None:
    lru = filled(10, a=1, b=2)
    assert (lru.get("a"), lru.peek("b"), lru.get("c"), lru.peek("c")) == ("A", "B", None, None)
    assert (len(lru), lru.weight) == (2, 3)


def test_the_least_recently_used_goes_first() -> None:
    lru = filled(3, a=1, b=1, c=1)
    assert lru.get("a") == "A"
    lru.put("d", "D")
    assert keys_of(lru) == ["c", "a", "d"]


def test_a_peek_is_no_use() -> None:
    lru = filled(3, a=1, b=1, c=1)
    assert lru.peek("a") == "A"
    lru.put("d", "D")
    assert keys_of(lru) == ["b", "c", "d"]


def test_as_many_go_as_the_new_weight_asks_for() -> None:
    lru = filled(10, a=4, b=4, c=2)
    lru.put("d", "D", 5)
    assert lru.weight == 7
    assert keys_of(lru) == ["c", "d"]


def test_the_newest_stays_even_if_it_is_too_heavy_alone() -> None:
    lru = filled(10, a=4, b=4)
    lru.put("heavy", "H", 11)
    assert (lru.weight, lru.get("heavy")) == (11, "H")
    lru.put("c", "C", 1)
    assert (lru.weight, keys_of(lru)) == (1, ["c"])


def test_a_value_that_is_replaced_weighs_what_the_new_one_weighs() -> None:
    lru = filled(10, a=4, b=4)
    lru.put("a", "other", 6)
    assert (lru.weight, lru.get("a")) == (10, "other")
    assert keys_of(lru) == ["b", "a"]


def test_a_weight_changes_without_use() -> None:
    lru = filled(10, a=4, b=4)
    lru.reweigh("b", 6)
    assert lru.weight == 10
    lru.reweigh("b", 7)
    assert (lru.weight, keys_of(lru)) == (7, ["b"])
    lru = filled(10, a=4, b=4)
    lru.reweigh("a", 9)
    assert (lru.weight, keys_of(lru)) == (4, ["b"])


def test_the_weight_of_what_is_not_there_does_not_change() -> None:
    lru = filled(10, a=4)
    lru.reweigh("b", 7)
    assert (lru.weight, len(lru)) == (4, 1)


def test_a_touch_is_a_use() -> None:
    lru = filled(2, a=1, b=1)
    lru.touch("a")
    assert lru.values() == ["B", "A"]
    lru.put("c", "C")
    assert lru.values() == ["A", "C"]


def test_a_crowded_cache_evicts_when_a_weight_changes() -> None:
    busy = {"A", "B"}
    lru = WeightedLru[str, str](100, count_max=1, may_evict=lambda value: value not in busy)
    lru.put("a", "A")
    lru.put("b", "B")
    assert len(lru) == 2
    busy.clear()
    lru.reweigh("b", 2)
    assert len(lru) == 1


def test_what_is_removed_weighs_nothing_and_is_not_reported_as_evicted() -> None:
    evicted: list[str] = []
    lru = WeightedLru[str, str](10, on_evict=evicted.append)
    lru.put("a", "A", 4)
    assert (lru.pop("a"), lru.pop("a"), lru.weight, len(lru), evicted) == ("A", None, 0, 0, [])


def test_the_number_of_entries_is_bounded_too() -> None:
    lru = WeightedLru[str, str](100, count_max=2)
    for key in "abc":
        lru.put(key, key)
    assert keys_of(lru) == ["b", "c"]


def test_what_must_stay_stays_past_the_bounds_and_goes_once_it_is_free() -> None:
    evicted: list[str] = []
    busy = {"A", "C"}
    lru = WeightedLru[str, str](2, may_evict=lambda value: value not in busy, on_evict=evicted.append)
    for key in "abcd":
        lru.put(key, key.upper())
    assert (evicted, lru.weight) == (["B"], 3)
    busy.clear()
    lru.put("e", "E")
    assert (len(evicted), lru.weight, lru.peek("e")) == (3, 2, "E")


def test_many_that_must_stay_are_not_all_asked_at_once() -> None:
    asked: list[str] = []

    def refuse(value: str) -> bool:
        asked.append(value)
        return False

    lru = WeightedLru[str, str](1, may_evict=refuse)
    for number in range(100):
        lru.put(f"{number}", f"{number}")
    asked.clear()
    lru.put("last", "last")
    assert len(set(asked)) == len(asked) == 16
    assert len(lru) == 101


def test_an_evicted_value_is_gone_when_it_is_reported() -> None:
    seen: list[tuple[int, int]] = []
    lru: WeightedLru[str, str] = WeightedLru(1, on_evict=lambda _: seen.append((len(lru), lru.weight)))
    lru.put("a", "A")
    lru.put("b", "B")
    assert seen == [(1, 1)]


@pytest.mark.parametrize("weight_max", [1, 5, 12])
@given(calls=st.lists(st.tuples(st.sampled_from("gprx"), st.sampled_from("abcdef"), st.integers(0, 6)), max_size=60))
def test_it_does_what_the_simplest_model_does(weight_max: int, calls: list[tuple[str, str, int]]) -> None:
    lru, model = WeightedLru[str, str](weight_max), OrderedDict[str, int]()
    for call, key, weight in calls:
        match call:
            case "g":
                assert (lru.get(key) is not None) == (key in model)
                if key in model:
                    model.move_to_end(key)
            case "p":
                lru.put(key, key, weight)
                model.pop(key, None)
                model[key] = weight
            case "r" if key in model:
                lru.reweigh(key, weight)
                model[key] = weight
            case "x":
                assert (lru.pop(key) is not None) == (model.pop(key, None) is not None)
        while sum(model.values()) > weight_max and len(model) > 1:
            model.popitem(last=False)
        assert (lru.weight, len(lru)) == (sum(model.values()), len(model))
    assert keys_of(lru) == list(model)
