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


def test_the_stubs_alone_do_not_load_the_client() -> None:
    program = "import sys, memoryd.v1.entry_pb2; print('memoryd.api' in sys.modules, 'grpc' in sys.modules)"
    finished = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert finished.stdout == "False False\n"


@pytest.mark.parametrize("statement", ["from memoryd import *", "from memoryd import connect", "import memoryd.aio"])
def test_it_is_imported_as_any_package(statement: str) -> None:
    program = f"{statement}; import memoryd; assert memoryd.connect is memoryd.api.connect"
    subprocess.run([sys.executable, "-c", program], check=True)
