import gc
from collections.abc import Iterator

import pytest

from memoryd_server.engine.agents.collector import long_lived
from memoryd_server.engine.limit import LONG_LIVED_MIN

OLDEST = 2


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    gc.enable()
    yield
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def is_old(made: object) -> bool:
    return any(each is made for each in gc.get_objects(generation=OLDEST))  # shared: it looks for an object of its own


def test_many_objects_are_old_at_once() -> None:
    with long_lived(LONG_LIVED_MIN):
        assert not gc.isenabled()
        made = [object()]
    assert is_old(made)


def test_few_objects_become_old_as_all_others_do() -> None:
    with long_lived(LONG_LIVED_MIN - 1):
        assert gc.isenabled()
        made = [object()]
    assert not is_old(made)


def test_the_collector_waits_for_all_that_make_objects() -> None:
    with long_lived(LONG_LIVED_MIN):
        with pytest.raises(ValueError), long_lived(LONG_LIVED_MIN):
            raise ValueError
        assert not gc.isenabled()
