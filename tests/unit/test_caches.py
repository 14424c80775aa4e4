"""No cache of the process keeps what a caller wrote: it could not be erased."""

import ast
from pathlib import Path

DAEMON = Path(__file__).parents[2] / "daemon" / "memoryd_server"
CONTENTS = {"text", "content", "query", "question", "value", "data"}


def test_no_cached_function_takes_contents() -> None:
    assert [found for path in DAEMON.rglob("*.py") for found in cached_contents(path.read_text("utf-8"))] == []


def test_a_cache_of_contents_is_found() -> None:
    source = "@functools.lru_cache(9)\ndef said_in(text: str) -> str: ...\n@cache\ndef words(language: str) -> str: ..."
    assert cached_contents(source) == ["said_in(text)"]


def cached_contents(source: str) -> list[str]:
    """Return the cached functions that take contents."""
    functions = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.FunctionDef)]
    return [
        f"{function.name}({argument.arg})"
        for function in functions
        if any(ast.unparse(each).partition("(")[0].endswith(("lru_cache", "cache")) for each in function.decorator_list)
        for argument in function.args.args
        if argument.arg in CONTENTS
    ]
