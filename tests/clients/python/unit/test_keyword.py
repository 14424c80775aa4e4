"""Every method refuses a keyword that it does not have, also one that takes its keywords as a TypedDict."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any, Unpack, get_origin

import pytest

import memoryd
import memoryd.sync
import memoryd.transaction
from memoryd.protocol.keyword import check_keys, checks_keywords
from memoryd.protocol.option import ExpiryOptions


def methods_with_options() -> Iterator[Callable[..., Any]]:
    """Yield the methods of the client that take keywords as a TypedDict."""
    for package in (memoryd.aio, memoryd.sync, memoryd.transaction, importlib.import_module("memoryd.protocol")):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for _, found in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
                if found.__module__ == module.name:
                    functions = [each for each in vars(found).values() if inspect.isfunction(each)]
                    yield from filter(takes_options, functions)


def takes_options(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(get_origin(each.annotation) is Unpack for each in parameters)


async def awaited(outcome: Any) -> Any:
    return await outcome if inspect.isawaitable(outcome) else outcome


METHODS = {f"{each.__module__}.{each.__qualname__}": each for each in methods_with_options()}


@pytest.mark.parametrize("name", METHODS)
async def test_a_keyword_that_a_method_does_not_have_is_refused(name: str) -> None:
    method = METHODS[name]
    with pytest.raises(TypeError, match=rf"'nonsense' is no argument of {method.__qualname__}\(\)"):
        await awaited(method(nonsense=1))


def test_methods_of_all_packages_are_tried() -> None:
    assert {name.split(".")[1] for name in METHODS} == {"aio", "sync", "transaction", "protocol"}
    assert len(METHODS) > 100


def test_the_nearest_keyword_is_named() -> None:
    with pytest.raises(TypeError, match=r"'tag' is no argument of Batch\.set\(\): did you mean 'tags'"):
        memoryd.Batch.set(tag=["a"])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'zzz' is no thing: use a, b"):
        check_keys(["a", "zzz"], {"b", "a"}, "thing")


def test_a_decorated_method_stays_what_it_was() -> None:
    @checks_keywords
    class Decorated:
        async def later(self, name: str, **options: Unpack[ExpiryOptions]) -> str:
            """Return the name."""
            return f"{name} {options}"

        def now(self) -> str:
            return "now"

    assert inspect.iscoroutinefunction(Decorated.later)
    assert list(inspect.signature(Decorated.later).parameters) == ["self", "name", "options"]
    assert Decorated.later.__doc__ == "Return the name."
    assert Decorated().now() == "now"
