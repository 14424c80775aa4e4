"""The report of scripts/test --coverage."""

from tests.coverage import Reached, below

MODULES = {
    "domain/limit.py": Reached(10, 10, 4, 4),
    "domain/agent/state.py": Reached(90, 90, 10, 9),
    "domain_of_another.py": Reached(10, 0),
    "transport/gate.py": Reached(50, 50, 0, 0),
}


def test_lines_and_branches_count_alike() -> None:
    assert Reached(6, 6, 4, 3).percentage == 90.0
    assert Reached().percentage == 100.0
    assert Reached(1, 2, 3, 4) + Reached(10, 20, 30, 40) == Reached(11, 22, 33, 44)


def test_a_floor_that_is_not_reached_is_named_with_what_is() -> None:
    assert below({"domain": 100.0}, MODULES) == [
        "domain: 99.12 % of lines and branches are reached; the floor is 100 %"
    ]
    assert below({"domain": 99.0, "transport/gate.py": 100.0}, MODULES) == []


def test_the_floor_of_what_is_not_there_is_not_reached() -> None:
    assert below({"transport/gates.py": 0.0}, MODULES) == ["transport/gates.py has a floor of 0 %, but does not exist"]
