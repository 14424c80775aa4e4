"""The two clients have the same names, in the modules that are written by hand for each of them and in ``memoryd``."""

import inspect
from types import ModuleType
from typing import Any

import pytest

import memoryd
import memoryd.aio.connection
import memoryd.aio.runtime
import memoryd.sync.connection
import memoryd.sync.runtime

BY_HAND = [
    (memoryd.aio.connection, memoryd.sync.connection),
    (memoryd.aio.runtime, memoryd.sync.runtime),
]


def signatures(owner: object, module: ModuleType) -> dict[str, Any]:
    """The arguments of all public functions and methods that a module defines."""
    found: dict[str, Any] = {}
    for name, value in vars(owner).items():
        if (name.startswith("_") and name != "__init__") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            found |= {f"{name}.{method}": each for method, each in signatures(value, module).items()}
        elif inspect.isfunction(value):
            parameters = inspect.signature(value).parameters.values()
            found[name] = [(each.name, each.kind, each.default) for each in parameters]
    return found


@pytest.mark.parametrize(("aio", "sync"), BY_HAND, ids=lambda module: module.__name__)
def test_the_modules_written_by_hand_have_the_same_names_and_arguments(aio: ModuleType, sync: ModuleType) -> None:
    assert signatures(aio, aio) == signatures(sync, sync) != {}


def test_memoryd_has_what_memoryd_aio_has() -> None:
    for name in memoryd.aio.__all__:
        own, other = getattr(memoryd, name), getattr(memoryd.aio, name)
        assert own.__module__ == other.__module__.replace("memoryd.aio", "memoryd.sync")
