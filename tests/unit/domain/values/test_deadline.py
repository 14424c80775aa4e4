from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.values.deadline import Deadlines

MOMENTS = st.one_of(st.integers(0, 50), st.integers(0, 4 * SECOND_NS), st.sampled_from([SECOND_NS, 2 * SECOND_NS]))
STEPS = st.lists(st.tuples(st.integers(0, 9), st.none() | MOMENTS), max_size=40)


@given(STEPS, MOMENTS, st.integers(0, 5))
def test_they_find_what_a_look_at_all_finds(steps: list[tuple[int, int | None]], now: int, most: int) -> None:
    deadlines, model = Deadlines[int](), dict[int, int]()
    for key, deadline in steps:
        if key in model:
            deadlines = deadlines.remove(key, model.pop(key))
        if deadline is not None:
            model[key] = deadline
            deadlines = deadlines.add(key, deadline)
    due = sorted((deadline, key) for key, deadline in model.items() if deadline <= now)
    assert deadlines.due(now) == [key for _, key in due]
    assert deadlines.count_due(now) == len(due)
    assert deadlines.due(now, most) == [key for _, key in due][:most]
    assert deadlines.first == min(model.values(), default=None)
    assert deadlines == Deadlines.of(model.items())


def test_what_is_over_is_due_at_its_moment_and_not_before() -> None:
    deadlines = Deadlines[str]().add("k", SECOND_NS)
    assert deadlines.due(SECOND_NS - 1) == []
    assert deadlines.due(SECOND_NS) == ["k"]


def test_the_last_that_goes_leaves_nothing() -> None:
    deadlines = Deadlines[str]().add("k", 5).add("l", 6).add("m", SECOND_NS)
    assert deadlines.remove("l", 6).remove("m", SECOND_NS).remove("k", 5) == Deadlines()
