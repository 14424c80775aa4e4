"""Tests wait for conditions: none depends on how fast the machine is.

A line that must have a short time all the same says why behind ``# time:``.
"""

import ast
import itertools
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import yaml

TESTS = Path(__file__).parents[1]
SHORT_S = 30.0  # time: the bound that is held here
"""Below this, a timeout may pass on a slow machine before what it waits for."""

SOURCES = sorted(path for path in TESTS.rglob("*.py") if "benchmarks" not in path.relative_to(TESTS).parts)
SCENARIOS = sorted((TESTS / "scenarios").glob("*.yaml"))

LIFETIMES = ("ttl", "lease", "lease_duration")

_WAITS_BY_POSITION = {"timeout": 0, "wait_for": 1, "join": 0, "acquire": 1, "result": 0, "wait": 0, "communicate": 1}
"""Calls that take a timeout in seconds, and where among their arguments."""
_CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns", "now", "utcnow"}
_CONSTANT = re.compile(r"[A-Z_]*(?:_S|_S_MAX|TIMEOUT[A-Z_]*|SECONDS)")
_FLAG = re.compile(r"--[a-z-]*timeout")
_LENGTH = re.compile(r"([0-9.]+)(ms|s)")


def test_no_test_depends_on_the_speed_of_the_machine() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line}: {why}"
        for path in SOURCES
        for line, why in found_in(path.read_text("utf-8"))
    ]
    assert found == []


def test_what_ends_soon_in_a_scenario_is_waited_for_before_anything_else() -> None:
    raced = [
        f"{path.name}: {step}"
        for path in SCENARIOS
        for step, following in itertools.pairwise([*_steps_of(path), {}])
        if _ends_soon(step) and not _waits(following)
    ]
    assert raced == []


def test_examples_may_take_as_long_as_they_take() -> None:
    assert hypothesis.settings().deadline is None
    assert hypothesis.HealthCheck.too_slow in hypothesis.settings().suppress_health_check


@pytest.mark.parametrize(
    "line",
    [
        "time.sleep(0.1)",
        "await asyncio.sleep(PAUSE_S)",
        "sleep(left)",
        "done.wait(1)",
        "answer.result(timeout=2.5)",
        "await asyncio.wait_for(answer, 10)",
        "async with asyncio.timeout(5): pass",
        "memoryd.connect(daemon.address)",
        "memoryd.aio.connect(target=daemon.address, origin='o')",
        "call(request, connect_timeout=0.5)",
        "run('--drain-timeout', '250ms')",
        "flags = ['--timeout', '3s']",
        "WAIT_S_MAX = 20.0",
        "@settings(deadline=200)\ndef test(): pass",
        "def test():\n    assert time.monotonic() - began < 3",
        "def test():\n    assert 3 >= time.perf_counter() - began",
        "def test():\n    took = time.monotonic() - began\n    assert took < LIMIT",
    ],
)
def test_what_depends_on_time_is_found(line: str) -> None:
    assert found_in(_in_a_test(line))
    assert not found_in(re.sub(r"(?m)$", "  # time: it is what is tested", _in_a_test(line)))


@pytest.mark.parametrize(
    "line",
    [
        "await asyncio.sleep(0)",
        "done.wait(WAIT_S_MAX)",
        "answer.result(timeout=60)",
        "subscription.wait(1e9)",
        "run('--timeout', '2m')",
        "memoryd.connect(daemon.address, **PATIENT)",
        "memoryd.connect('127.0.0.1:1')",
        "WAIT_S_MAX = 120.0",
        "NUMBER = 3",
        "def test():\n    assert before <= entry.create_time <= datetime.now(UTC)",
        "def test():\n    assert time.time() >= lease.expire_time",
        "def test():\n    end = loop.time() + 1\n    assert loop.time() >= end",
    ],
)
def test_what_does_not_is_not(line: str) -> None:
    assert not found_in(_in_a_test(line))


def _in_a_test(lines: str) -> str:
    return "async def test():\n" + textwrap.indent(lines, "    ")


def _steps_of(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8")
    if not any(name in text for name in LIFETIMES):
        return []
    steps: list[dict[str, Any]] = yaml.safe_load(text)["steps"]
    return steps


def _ends_soon(step: dict[str, Any]) -> bool:
    """Return whether a step gives something a lifetime that the next step may miss."""
    if "error" in step:
        return False
    draft = step.get("request", {}).get("draft", {})
    lengths = [given[name] for given in (step.get("request", {}), draft) for name in LIFETIMES if name in given]
    return any(float(length.removesuffix("s")) < SHORT_S for length in lengths)


def _waits(step: dict[str, Any]) -> bool:
    """Return whether a step goes on only once something has happened: an event, or the end of another's turn."""
    return "events" in step or any(name in step.get("request", {}) for name in ("wait", "wait_duration"))


def found_in(source: str) -> list[tuple[int, str]]:
    """Return the lines of a module that depend on time, each with what is wrong there."""
    lines = source.splitlines()
    wrong = {(line, why) for node in ast.walk(ast.parse(source)) for line, why in _wrong_with(node)}
    return sorted((line, why) for line, why in wrong if not re.search(r"# time: \w", lines[line - 1]))


def _wrong_with(node: ast.AST) -> Iterator[tuple[int, str]]:
    match node:
        case ast.Call():
            yield from _wrong_with_call(node)
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            if _CONSTANT.fullmatch(name) and _is_short(value):
                yield node.lineno, f"{name} is short"
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            yield from _wrong_with_flags(elements)
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            yield from _wrong_with_asserts(body)


def _wrong_with_call(call: ast.Call) -> Iterator[tuple[int, str]]:
    name = _name_of(call.func)
    if name == "sleep" and call.args and not _is(call.args[0], 0):
        yield call.lineno, "it sleeps instead of waiting for a condition"
    if name == "connect" and _is_impatient(call):
        yield call.lineno, "the client of a daemon waits for it no longer than by default: **PATIENT"
    position = _WAITS_BY_POSITION.get(name)
    if position is not None and len(call.args) > position and _is_short(call.args[position]):
        yield call.args[position].lineno, f"{name} has a short timeout"
    for keyword in call.keywords:
        if keyword.arg is None:
            continue
        if "timeout" in keyword.arg and _is_short(keyword.value):
            yield keyword.value.lineno, f"{keyword.arg} is short"
        if keyword.arg == "deadline" and name == "settings":
            yield keyword.value.lineno, "the profile of tests/conftest.py says what deadline examples have"
    yield from _wrong_with_flags(call.args)


def _is_impatient(connect: ast.Call) -> bool:
    """Return whether a client is connected to the address of a daemon with the timeouts that it has by default."""
    targets = [*connect.args, *(each.value for each in connect.keywords if each.arg == "target")]
    is_of_daemon = any(isinstance(each, ast.Attribute) and each.attr == "address" for each in targets)
    return is_of_daemon and not any(each.arg is None or "timeout" in each.arg for each in connect.keywords)


def _wrong_with_flags(elements: Iterable[ast.expr]) -> Iterator[tuple[int, str]]:
    """Find a flag whose value is short, such as ``"--timeout", "1s"``."""
    texts = [(each.lineno, each.value) for each in elements if isinstance(each, ast.Constant)]
    for (_, flag), (line, value) in itertools.pairwise(texts):
        length = _LENGTH.fullmatch(str(value))
        is_flag = isinstance(flag, str) and _FLAG.fullmatch(flag)
        if is_flag and length and float(length[1]) / (1_000 if length[2] == "ms" else 1) < SHORT_S:
            yield line, f"{flag} is short"


def _wrong_with_asserts(body: list[ast.stmt]) -> Iterator[tuple[int, str]]:
    """Find assertions that no more than a time has passed. That no less has passed holds on a slow machine, too."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    lengths = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _is_length(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if not isinstance(node, ast.Assert):
            continue
        for compared in ast.walk(node.test):
            if isinstance(compared, ast.Compare):
                sides = itertools.pairwise([compared.left, *compared.comparators])
                for (left, right), operator in zip(sides, compared.ops, strict=True):
                    less = left if isinstance(operator, ast.Lt | ast.LtE) else right
                    is_order = isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
                    if is_order and (_calls_clock(less) or (isinstance(less, ast.Name) and less.id in lengths)):
                        yield node.lineno, "it asserts that no more than a time has passed"


def _is_length(value: ast.expr) -> bool:
    """Return whether a value is the time since another one, such as ``time.monotonic() - began``."""
    is_difference = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub)
    return is_difference and isinstance(value.right, ast.Name | ast.Attribute) and _calls_clock(value)  # type: ignore[attr-defined]


def _calls_clock(expression: ast.expr) -> bool:
    return any(isinstance(node, ast.Call) and _name_of(node.func) in _CLOCKS for node in ast.walk(expression))


def _name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is(value: ast.expr, number: float) -> bool:
    return isinstance(value, ast.Constant) and value.value == number


def _is_short(value: ast.expr | None) -> bool:
    """Return whether an expression is a number of seconds that is short, but not 0."""
    is_number = isinstance(value, ast.Constant) and type(value.value) in (int, float)
    return is_number and 0 < value.value < SHORT_S  # type: ignore[union-attr, operator]
