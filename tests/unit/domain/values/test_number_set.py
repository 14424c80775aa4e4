import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.values.number_set import NUMBER_MAX, NumberSet

NUMBERS = st.one_of(st.integers(0, 600), st.integers(0, NUMBER_MAX))
STEPS = st.lists(st.tuples(st.booleans(), NUMBERS), max_size=60)


@given(STEPS)
def test_it_holds_what_a_set_holds_in_order(steps: list[tuple[bool, int]]) -> None:
    numbers, model = NumberSet(), set[int]()
    for adds, number in steps:
        numbers = numbers.add(number) if adds else numbers.remove(number)
        (model.add if adds else model.discard)(number)
        assert (number in numbers) == adds
    assert list(numbers) == sorted(model)
    assert list(reversed(numbers)) == sorted(model, reverse=True)
    assert len(numbers) == len(model)
    assert numbers == NumberSet.of(model)


def test_an_empty_one_has_no_ends() -> None:
    assert (NumberSet().first, bool(NumberSet())) == (None, False)


@pytest.mark.parametrize("number", [0, 255, 256, NUMBER_MAX])
def test_the_last_number_that_goes_leaves_nothing(number: int) -> None:
    alone = NumberSet().add(number)
    assert alone.first == number
    assert alone.remove(number) == NumberSet()


def test_one_that_is_kept_does_not_change() -> None:
    kept = NumberSet.of([1, 300])
    assert (list(kept.add(2)), list(kept.remove(300)), list(kept)) == ([1, 2, 300], [1], [1, 300])
