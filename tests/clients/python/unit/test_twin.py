"""The sync and the async client have the same classes with the same methods, arguments and defaults."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import memoryd

TWINS = [
    (memoryd.Client, memoryd.aio.Client),
    (memoryd.Agent, memoryd.aio.Agent),
    (memoryd.Scope, memoryd.aio.Scope),
    (memoryd.Watch, memoryd.aio.Watch),
    (memoryd.Fragments, memoryd.aio.Fragments),
    (memoryd.EntityWindow, memoryd.aio.EntityWindow),
    (memoryd.Memories, memoryd.aio.Memories),
    (memoryd.Plans, memoryd.aio.Plans),
    (memoryd.Conversations, memoryd.aio.Conversations),
    (memoryd.Consumer, memoryd.aio.Consumer),
    (memoryd.Toolkit, memoryd.aio.Toolkit),
    (memoryd.Compose, memoryd.aio.Compose),
    (memoryd.Pipeline, memoryd.aio.Pipeline),
]


def arguments_of(method: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    parameters = inspect.signature(method).parameters.values()
    return [(parameter.name, parameter.kind, parameter.default) for parameter in parameters]


def public(kind: type) -> dict[str, Any]:
    return {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize(("sync", "aio"), TWINS, ids=lambda kind: kind.__module__)
def test_both_clients_have_the_same_methods(sync: type, aio: type) -> None:
    assert set(public(sync)) == set(public(aio))
    for name, method in public(sync).items():
        if callable(method):
            assert arguments_of(method) == arguments_of(getattr(aio, name)), name


def test_both_connect_alike() -> None:
    assert arguments_of(memoryd.connect) == arguments_of(memoryd.aio.connect)
