"""The names of the package, which are imported lazily."""

import subprocess
import sys

import pytest

import memoryd
from memoryd import api


def test_each_is_there_and_listed() -> None:
    assert dir(memoryd) == sorted(api.__all__)
    assert all(getattr(memoryd, name) is getattr(api, name) for name in api.__all__)


def test_an_unknown_name_is_reported_as_an_attribute_of_the_package() -> None:
    with pytest.raises(AttributeError, match="module 'memoryd' has no attribute 'conect'"):
        memoryd.conect  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    ("statement", "unused"),
    [
        ("import memoryd.v1.entry_pb2", {"memoryd.sync.client", "memoryd.aio", "grpc"}),
        ("import memoryd; memoryd.MemorydError", {"memoryd.sync.client", "memoryd.aio"}),
        ("import memoryd; memoryd.connect", {"memoryd.aio", "memoryd.sync.memories", "memoryd.model.event_subject"}),
    ],
)
def test_a_name_loads_only_what_it_needs(statement: str, unused: set[str]) -> None:
    program = f"{statement}; import sys; print(*sys.modules)"
    finished = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not unused & set(finished.stdout.split())


@pytest.mark.parametrize("statement", ["from memoryd import *", "from memoryd import connect", "import memoryd.aio"])
def test_it_is_imported_as_any_package(statement: str) -> None:
    program = f"{statement}; import memoryd.api; assert memoryd.connect is memoryd.api.connect"
    subprocess.run([sys.executable, "-c", program], check=True)
