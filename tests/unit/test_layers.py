"""The layers hold: each import that would break one is refused, as scripts/check would refuse it."""

import ast
import builtins
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOMAIN = ROOT / "daemon" / "memoryd_server" / "domain"

HOLES = [
    ("clients/python/memoryd/errors.py", "memoryd_server", "The client needs no daemon"),
    ("clients/python/memoryd/sync/client.py", "memoryd.aio.client", "The client's two shells"),
    ("daemon/memoryd_server/domain/values/word.py", "time", "The domain is pure"),
    ("daemon/memoryd_server/domain/values/word.py", "numpy", "The domain is pure"),
    ("daemon/memoryd_server/domain/error.py", "memoryd_server.domain.agent.decide", "in circles"),
    ("daemon/memoryd_server/engine/agents/hub.py", "sqlite3", "The engine asks ports"),
    ("daemon/memoryd_server/engine/agents/hub.py", "redis", "The engine asks ports"),
    ("daemon/memoryd_server/engine/agents/hub.py", "numpy", "The engine asks ports"),
    ("daemon/memoryd_server/engine/agents/clock.py", "memoryd_server.engine.engine", "in circles"),
    ("daemon/memoryd_server/stores/shard.py", "memoryd_server.engine.engine", "need no engine"),
    ("daemon/memoryd_server/transport/gate.py", "memoryd_server.stores.in_memory", "Outer layers know inner ones"),
    ("daemon/memoryd_server/transport/routes.py", "memoryd_server.ops.composition", "Outer layers know inner ones"),
    ("daemon/memoryd_server/ops/cli/daemon/serve.py", "memoryd_server.stores.in_memory", "Stores are found"),
    ("daemon/memoryd_server/ops/cli/daemon/serve.py", "memoryd_server.testing", "Outer layers know inner ones"),
]
"""A module, an import that it must not have, and words of the contract that refuses it."""

PURE = {
    *(
        "__future__",
        "bisect",
        "collections",
        "datetime",
        "encodings",
        "enum",
        "functools",
        "graphlib",
        "hashlib",
        "heapq",
        "immutables",
        "itertools",
        "operator",
        "math",
        "operator",
    ),
    *("memoryd_server", "msgspec", "re", "typing", "typing_extensions", "unicodedata", "urllib", "weakref"),
}
"""Libraries that the domain may use: none of them reads a clock, a file, chance or the network."""

IMPURE_FUNCTIONS = {"__import__", "breakpoint", "compile", "eval", "exec", "input", "open", "print"}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the Python sources and their contracts."""
    tree = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / ".importlinter", tree)
    for package in ("daemon/memoryd_server", "clients/python/memoryd"):
        for path in (ROOT / package).rglob("*.py"):
            target = tree / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    return tree


def lint(tree: Path) -> tuple[int, str]:
    """Return the exit code and the report of the import linter, one contract per line."""
    ran = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{tree / 'daemon'}:{tree / 'clients' / 'python'}"},
    )
    return ran.returncode, ran.stdout


def test_the_contracts_are_kept(tree: Path) -> None:
    code, report = lint(tree)
    assert code == 0, report


@pytest.mark.parametrize(("path", "imported", "contract"), HOLES)
def test_an_import_that_breaks_a_layer_is_refused(tree: Path, path: str, imported: str, contract: str) -> None:
    source = tree / path
    before = source.read_text("utf-8")
    try:
        source.write_text(f"{before}\nimport {imported}\n", "utf-8")
        code, report = lint(tree)
    finally:
        source.write_text(before, "utf-8")
    assert code == 1
    assert any(contract in line and " BROKEN" in line for line in report.splitlines())


def impurities(source: str) -> list[str]:
    """Return the impure libraries and functions that a module of the domain uses."""
    return list(_impurities(ast.parse(source)))


def _impurities(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (each.name for each in names if each.name.partition(".")[0] not in PURE)
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] not in PURE:
                yield module
            case ast.Name(id=name) if name in IMPURE_FUNCTIONS:
                yield name


def test_the_domain_uses_only_what_is_pure() -> None:
    found = {str(path.relative_to(DOMAIN)): impurities(path.read_text("utf-8")) for path in DOMAIN.rglob("*.py")}
    assert {path: impure for path, impure in found.items() if impure} == {}


@pytest.mark.parametrize(
    "line",
    [
        'open("/etc/hostname").read()',
        "list(map(open, []))",
        "import numpy",
        "import os.path",
        "from pathlib import Path",
        "def late():\n    from time import time_ns",
        'exec("import time")',
        '__import__("time")',
        "print(1)",
    ],
)
def test_what_is_not_pure_is_found(line: str) -> None:
    assert len(impurities(line)) == 1


def test_the_functions_that_are_not_pure_are_pythons_own() -> None:
    assert all(hasattr(builtins, name) for name in IMPURE_FUNCTIONS)
