"""Sizes that keep the code readable, as an ordinary test."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70

ROOT = Path(__file__).parents[2]
BUILT = {"build", "target", "node_modules"}


def _files(folder: str, *suffixes: str) -> Iterator[Path]:
    """The files below a folder, without those that are built: there may be many thousands of these."""
    for directory, folders, names in os.walk(ROOT / folder):
        folders[:] = set(folders) - BUILT
        yield from (Path(directory, name) for name in names if name.endswith(suffixes))


SOURCES = sorted(
    path
    for folder in ("daemon", "clients/python", "tests", "scripts")
    for path in _files(folder, ".py")
    if "_pb2" not in path.name
)
OTHER_SOURCES = sorted(
    path for path in _files("clients", ".go", ".ts", ".java", ".rs", ".cpp", ".hpp") if ".pb." not in path.name
)


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in SOURCES}


def test_no_file_is_too_long() -> None:
    sources = SOURCES + OTHER_SOURCES
    long = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in sources}
    assert {name: lines for name, lines in long.items() if lines > FILE_LINES_MAX} == {}


def test_no_function_is_too_long(trees: dict[Path, ast.Module]) -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= FUNCTION_LINES_MAX
    ]
    assert long == []


def test_no_module_replaces_its_marks(trees: dict[Path, ast.Module]) -> None:
    def count(tree: ast.Module) -> int:
        names = (target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets)
        return sum(isinstance(name, ast.Name) and name.id == "pytestmark" for name in names)

    assert [str(path.relative_to(ROOT)) for path, tree in trees.items() if count(tree) > 1] == []


def test_no_module_is_named_for_what_it_is_not() -> None:
    vague = {"base", "common", "helpers", "manager", "misc", "util", "utils"}
    assert [str(path.relative_to(ROOT)) for path in SOURCES + OTHER_SOURCES if path.stem.lower() in vague] == []
