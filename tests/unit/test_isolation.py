"""Tests look only at what is their own: other tests and their daemons' threads change the rest meanwhile.

A line that looks at the whole process or machine all the same says behind ``# shared:`` why others do not disturb it.
"""

import ast
import re
from collections.abc import Iterator

import pytest
from tests.unit.test_patience import SOURCES, TESTS

_CENSUSES = {
    "active_count": "it counts the threads of all tests",
    "threading.enumerate": "it lists the threads of all tests",
    "all_tasks": "it lists the tasks of everything on the loop",
    "get_objects": "it lists the objects of all tests",
    "get_count": "it counts the objects of all tests",
    "getrusage": "it measures the whole process",
    "gettempdir": "all programs write there",
    "getloadavg": "it measures the whole machine",
    "os.putenv": "it changes the environment of all tests",
    "os.unsetenv": "it changes the environment of all tests",
    "os.chdir": "it changes the directory of all tests",
    "setdefaulttimeout": "it changes the sockets of all tests",
    "setlocale": "it changes the language of all tests",
    "random.seed": "it changes the chance of all tests",
}
_PLACE = re.compile(r"/proc(/self\b.*|/meminfo|/stat|/?)|/dev/fd\b.*|/tmp/?")
_PORT_TAKERS = {"bind", "create_server", "start_server"}


def test_no_test_depends_on_what_others_do_in_its_process() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line}: {why}"
        for path in SOURCES
        for line, why in found_in(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "before = threading.active_count()",
        "names = [thread.name for thread in threading.enumerate()]",
        "assert len(asyncio.all_tasks()) == 1",
        "assert gc.collect() == 0",
        "assert len(gc.get_objects()) == before",
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss",
        "assert len(os.listdir('/proc/self/fd')) == before",
        "processes = Path('/proc').glob('[0-9]*')",
        "files = list(Path('/tmp').iterdir())",
        "os.environ['KEY'] = 'value'",
        "del os.environ['KEY']",
        "os.environ.update(KEY='value')",
        "os.chdir(path)",
        "server.bind(('127.0.0.1', 7600))",
        "server = await asyncio.start_server(serve, '127.0.0.1', 7600)",
        "with socket.socket() as probe:\n    probe.bind(('127.0.0.1', 0))\n    port = probe.getsockname()[1]",
    ],
)
def test_what_others_change_is_found(line: str) -> None:
    assert found_in(_in_a_test(line))
    assert not found_in(re.sub(r"(?m)$", "  # shared: it is in a process of its own", _in_a_test(line)))


@pytest.mark.parametrize(
    "line",
    [
        "for number, name in enumerate(names): pass",
        "gc.collect()",
        "monkeypatch.setenv('KEY', 'value')",
        "monkeypatch.chdir(path)",
        "environment = {**os.environ, 'KEY': 'value'}",
        "status = Path(f'/proc/{pid}/status').read_text()",
        "server.bind(('127.0.0.1', 0))\nserver.listen()\nport = server.getsockname()[1]",
        "taken = socket.create_server(('127.0.0.1', 0))",
        "server = await asyncio.start_server(serve, '127.0.0.1', 0)",
        "server.bind(str(path))",
    ],
)
def test_what_is_a_tests_own_is_not(line: str) -> None:
    assert not found_in(_in_a_test(line))


def _in_a_test(lines: str) -> str:
    return "async def test():\n" + "\n".join(f"    {line}" for line in lines.splitlines())


def found_in(source: str) -> list[tuple[int, str]]:
    """Return the lines of a module that depend on what others change, each with what is wrong there."""
    lines = source.splitlines()
    wrong = {found for node in ast.walk(ast.parse(source)) for found in _wrong_with(node)}
    return sorted((line, why) for line, why in wrong if not re.search(r"# shared: \w", lines[line - 1]))


def _wrong_with(node: ast.AST) -> Iterator[tuple[int, str]]:
    match node:
        case ast.Call():
            yield from _wrong_with_call(node)
        case ast.Assert(test=test):
            if any(isinstance(each, ast.Call) and ast.unparse(each.func) == "gc.collect" for each in ast.walk(test)):
                yield node.lineno, "it counts the garbage of all tests"
        case ast.Subscript(value=ast.Attribute(attr="environ"), ctx=ast.Store() | ast.Del()):
            yield node.lineno, "it changes the environment of all tests"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _wrong_with_probes(node)


def _wrong_with_call(call: ast.Call) -> Iterator[tuple[int, str]]:
    name = ast.unparse(call.func)
    why = _CENSUSES.get(name) or _CENSUSES.get(name.rpartition(".")[2])
    if why:
        yield call.lineno, why
    if re.fullmatch(r"os\.environ\.(update|setdefault|pop|clear|popitem)", name):
        yield call.lineno, "it changes the environment of all tests"
    for argument in call.args:
        if isinstance(argument, ast.Constant) and _PLACE.fullmatch(str(argument.value)):
            yield argument.lineno, f"what is in {argument.value} belongs to others, too"
    if name.rpartition(".")[2] in _PORT_TAKERS:
        given = [*call.args, *(each for argument in call.args for each in getattr(argument, "elts", ()))]
        if any(isinstance(each, ast.Constant) and type(each.value) is int and each.value for each in given):
            yield call.lineno, "another test may have this port"


def _wrong_with_probes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, str]]:
    """Find ports that are asked for and given back: another test may be given them. tests/port.py keeps them."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    names = {ast.unparse(call.func).rpartition(".")[2] for call in calls}
    if "listen" in names or "getsockname" not in names:
        return
    for call in calls:
        if ast.unparse(call.func).endswith(".bind") and ast.unparse(call.args[0]).endswith(", 0)"):
            yield call.lineno, "nothing listens on the port, so that others may be given it"
