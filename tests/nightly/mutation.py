"""The mutation score: how many small changes of a module its tests notice.

Cosmic Ray makes the changes, in a copy of the tree, and pytest runs the module's tests on each. scripts/nightly
installs it in a folder of its own, since nothing else needs it.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.attack.checked import Checked
from tests.benchmarks.process import ROOT

MUTATED = {
    "deadline": ("domain/values/deadline.py", "tests/unit/domain/values/test_deadline.py"),
    "precondition": ("domain/agent/precondition.py", "tests/unit/domain/agent"),
    "reservation": ("domain/entries/reservation_change.py", "tests/unit/domain/entries"),
    "lease": ("domain/fragments/lease_change.py", "tests/unit/domain/fragments"),
    "replay": ("engine/images/replay.py", "tests/unit/engine/images"),
    "token": ("engine/agents/token.py", "tests/unit/engine/agents/test_token.py"),
    "request-window": ("engine/agents/request_window.py", "tests/unit/engine/agents/test_request_window.py"),
}
"""The modules whose score is taken, each with the tests that are about it."""
_LEFT_OUT = ("core/ReplaceBinaryOperator_BitOr", "core/NumberReplacer", "core/ExceptionReplacer")
"""Changes of ``A | B``, which is in most annotations; of numbers, most of which are bounds that a test imports; and of
exceptions, which fails where an except clause names several."""
_COPIED = ("daemon", "clients/python", "tests", "protos", "pyproject.toml")
_TEST_S_MAX = 600.0
"""Time after which a mutant that never ends is taken for noticed."""
SURVIVORS_SHOWN = 3


def check_mutations(name: str, count: int, seed: int) -> Checked:
    """Try a random choice of the mutants of a module. The score is a figure, and breaks nothing."""
    module, tests = MUTATED[name]
    original = (ROOT / "daemon" / "memoryd_server" / module).read_text("utf-8")
    mutants = sorted(_mutants(original))
    chosen = random.Random(seed).sample(mutants, min(count, len(mutants)))
    with tempfile.TemporaryDirectory(prefix="memoryd-mutation-") as directory:
        tree = Path(directory)
        for each in _COPIED:
            copy = shutil.copytree if (ROOT / each).is_dir() else shutil.copyfile
            (tree / each).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / each, tree / each)
        path = tree / "daemon" / "memoryd_server" / module
        assert _passes(tree, tests), f"the tests {tests} fail without any change"
        survivors = []
        for what, text in chosen:
            path.write_text(text, "utf-8")
            if _passes(tree, tests):
                survivors.append(what)
    noticed = len(chosen) - len(survivors)
    described = f"changes of `{module}`, of which its tests notice {noticed} ({100 * noticed / len(chosen):.0f} %)"
    if survivors:
        described += f"; not noticed, such as: {', '.join(survivors[:SURVIVORS_SHOWN])}"
    return Checked(f"mutation-{name}", described, len(chosen), f"of {len(mutants)} mutants", "")


def _mutants(source: str) -> Iterator[tuple[str, str]]:
    """Yield all mutants of a source: the operator with the number of the change, and the text."""
    # Not a dependency of the tests.
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    for name in operator_names():
        operator = get_operator(name)
        if name.startswith(_LEFT_OUT) or operator.arguments():
            continue
        number = 0
        while (text := mutate_code(source, operator(), number)) is not None:
            if text != source:
                yield f"{name.removeprefix('core/')} {number}", text
            number += 1


def _passes(tree: Path, tests: str) -> bool:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(tree / each) for each in ("", "daemon", "clients/python")),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-m",
        "not faults",
        tests,
    ]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, timeout=_TEST_S_MAX, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
