"""Every logger is below ``memoryd``, whose level ``--log-level`` sets, and is called ``log``."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DAEMON = ROOT / "daemon" / "memoryd_server"
CLIENT = ROOT / "clients" / "python" / "memoryd"
OPS = DAEMON / "ops"
MODULES = sorted(path for root in (DAEMON, CLIENT) for path in root.rglob("*.py") if "_pb2" not in path.name)

LOGGER = re.compile(r"log = logging\.getLogger\('memoryd\.[a-z_]+'\)")
CLIENT_LOGGER = re.compile(r"log = logging\.getLogger\('memoryd'\)")
ROOT_FUNCTIONS = {"debug", "info", "warning", "error", "critical", "exception", "log", "basicConfig"}
"""Functions of ``logging`` that write to the root logger."""


def faults(path: Path, source: str) -> list[str]:
    """The lines of a module that obtain a logger in another way, or log without one."""
    tree = ast.parse(source)
    rule = CLIENT_LOGGER if path.is_relative_to(CLIENT) else LOGGER
    obtained = {
        id(node.value) for node in tree.body if isinstance(node, ast.Assign) and rule.fullmatch(ast.unparse(node))
    }
    return [f"{path.relative_to(ROOT)}:{line}" for line in _uses(tree, obtained, is_ops=path.is_relative_to(OPS))]


def _uses(tree: ast.Module, obtained: set[int], *, is_ops: bool) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="logging"):
                yield node.lineno
            case ast.Call(func=ast.Attribute(value=ast.Name(id="logging"), attr="getLogger")):
                # What configures logging, or listens to it, asks for the root of the tree, or of all loggers.
                is_setup = is_ops and "".join(map(ast.unparse, node.args)) in ("", "'memoryd'", "LOGGER_NAME")
                if id(node) not in obtained and not is_setup:
                    yield node.lineno
            case ast.Call(func=ast.Attribute(value=ast.Name(id="logging"), attr=name)) if name in ROOT_FUNCTIONS:
                yield node.lineno


def test_the_level_that_an_operator_sets_governs_every_logger() -> None:
    assert [fault for path in MODULES for fault in faults(path, path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    "line",
    [
        "log = logging.getLogger(__name__)",
        "log = logging.getLogger('memoryd')",
        "log = logging.getLogger('memoryd_server.writer')",
        "logger = logging.getLogger('memoryd.writer')",
        "def write():\n    log = logging.getLogger('memoryd.writer')",
        "from logging import getLogger",
        "logging.warning('no logger')",
    ],
)
def test_a_logger_out_of_reach_is_found(line: str) -> None:
    assert len(faults(DAEMON / "engine" / "sample.py", f"import logging\n{line}\n")) == 1


def test_a_logger_by_the_rule_is_not_found() -> None:
    assert faults(DAEMON / "engine" / "sample.py", "import logging\nlog = logging.getLogger('memoryd.writer')\n") == []
