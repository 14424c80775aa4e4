"""The contract of Claude's memory tool, checked for the file system tool of Anthropic's package as well.

Its texts are compared as Anthropic documents them; those of the package differ in what ``documented`` replaces.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError, _beta_builtin_memory_tool
from tests.daemon import Daemon

from memoryd.anthropic import MemorydMemoryTool

Run = Callable[..., str]

LISTED = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items and node_modules:\n"
TEXTS = ["", "\n", "  \n\n", "one", "one\n", "one\r\ntwo\r\n", "\ufeffx", "a\x0cb\u2028c\x85d", "ä \U0001f600\n" * 3]
ESCAPES = ["/memories/../x", "/memories/a/../../x", "/etc/passwd", "memories/a", "", "/"]


# Older packages have no tool of their own.
FILE_SYSTEM = getattr(_beta_builtin_memory_tool, "BetaLocalFilesystemMemoryTool", None)


@pytest.fixture(params=["memoryd", "file-system"] if FILE_SYSTEM else ["memoryd"])
def tool(request: pytest.FixtureRequest, shared_daemon: Daemon, agent_id: str, tmp_path: Path) -> Iterator[Any]:
    if request.param == "memoryd":
        with MemorydMemoryTool(shared_daemon.address, agent_id=agent_id) as tool:
            yield tool
    else:
        assert FILE_SYSTEM is not None
        yield FILE_SYSTEM(str(tmp_path))


@pytest.fixture
def run(tool: BetaAbstractMemoryTool) -> Run:
    """Call the tool as the runner does: an error is a text that begins with an exclamation mark."""

    def run(command: str, path: str | None = None, **more: Any) -> str:
        given = {"command": command, **more} | ({} if path is None else {"path": path})
        try:
            answer = tool.call(given)
        except ToolError as error:
            return f"!{documented(str(error.content))}"
        assert isinstance(answer, str)
        return documented(answer)

    return run


def documented(text: str) -> str:
    return (
        text.removeprefix("Error: ")
        .replace("excluding hidden items:", "excluding hidden items and node_modules:")
        .replace("[0,", "of lines of the file: [0,")
        .replace("of lines of the file: of lines of the file:", "of lines of the file:")
        .replace("of lines of the file: [0, 2].", "of lines of the file: [0, 2]")
    )


def paths(listing: str) -> list[str]:
    return [line.split("\t")[1] for line in listing.splitlines()[1:]]


def test_a_file_is_viewed_as_it_was_created(run: Run) -> None:
    assert run("create", "/memories/a.md", file_text="one\ntwo") == "File created successfully at: /memories/a.md"
    head = "Here's the content of /memories/a.md with line numbers:\n"
    assert run("view", "/memories/a.md") == f"{head}     1\tone\n     2\ttwo"
    assert run("view", "/memories/a.md", view_range=[2, -1]) == f"{head}     2\ttwo"
    assert run("view", "/memories/a.md", view_range=[1, 1]) == f"{head}     1\tone"
    assert run("view", "/memories/a.md", view_range=[0, 9]) == f"{head}     1\tone\n     2\ttwo"


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_any_text_is_kept(run: Run, text: str) -> None:
    run("create", "/memories/a", file_text=text)
    lines = "".join(f"\n{number:>6}\t{line}" for number, line in enumerate(text.split("\n"), 1))
    assert run("view", "/memories/a") == f"Here's the content of /memories/a with line numbers:{lines}"


def test_a_file_is_not_created_twice(run: Run) -> None:
    run("create", "/memories/a", file_text="first")
    assert run("create", "/memories/a", file_text="second") == "!File /memories/a already exists"
    assert run("view", "/memories/a").endswith("\tfirst")
    run("create", "/memories/d/b", file_text="x")
    assert run("create", "/memories/d", file_text="x") == "!File /memories/d already exists"


def test_what_is_missing_is_an_error(run: Run) -> None:
    nothing = "!The path /memories/no does not exist. Please provide a valid path."
    assert run("view", "/memories/no") == nothing
    assert run("str_replace", "/memories/no", old_str="a", new_str="b") == nothing
    assert run("insert", "/memories/no", insert_line=0, insert_text="b").startswith(
        "!The path /memories/no does not exi"
    )
    assert run("delete", "/memories/no") == "!The path /memories/no does not exist"
    assert run("rename", old_path="/memories/no", new_path="/memories/b") == "!The path /memories/no does not exist"


def test_a_text_that_occurs_once_is_replaced(run: Run) -> None:
    run("create", "/memories/a", file_text="1\n2\n3\nfour\n5\n6\n7\n")
    assert run("str_replace", "/memories/a", old_str="four", new_str="4\n4b") == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     2\t2\n     3\t3\n     4\t4\n     5\t4b\n     6\t5"
    )
    assert run("str_replace", "/memories/a", old_str="nine", new_str="9") == (
        "!No replacement was performed, old_str `nine` did not appear verbatim in /memories/a."
    )
    run("create", "/memories/b", file_text="x\ny\nx x\n")
    assert run("str_replace", "/memories/b", old_str="x", new_str="z") == (
        "!No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 3, 3. "
        "Please ensure it is unique"
    )
    assert run("view", "/memories/b").endswith("     1\tx\n     2\ty\n     3\tx x\n     4\t")


@pytest.mark.parametrize(
    ("text", "line", "new", "expected"),
    [
        ("a\nb\n", 0, "x\n", "x\na\nb\n"),
        ("a\nb\n", 1, "x", "a\nx\nb\n"),
        ("a\nb\n", 2, "x\n\n", "a\nb\nx\n"),
        ("a\nb", 2, "x", "a\nb\nx\n"),
        ("", 0, "x", "x\n"),
        ("a\r\nb\r\n", 1, "x", "a\r\nx\nb\r\n"),
    ],
)
def test_lines_are_inserted_after_a_line(run: Run, text: str, line: int, new: str, expected: str) -> None:
    run("create", "/memories/a", file_text=text)
    assert run("insert", "/memories/a", insert_line=line, insert_text=new) == "The file /memories/a has been edited."
    assert [each.split("\t")[1] for each in run("view", "/memories/a").split("\n")[1:]] == expected.split("\n")


@pytest.mark.parametrize("line", [-1, 3])
def test_a_line_that_is_not_there_is_an_error(run: Run, line: int) -> None:
    run("create", "/memories/a", file_text="a\nb\n")
    assert run("insert", "/memories/a", insert_line=line, insert_text="x") == (
        f"!Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, 2]"
    )


def test_a_directory_is_listed_two_levels_deep_without_hidden_items(run: Run) -> None:
    assert run("view", "/memories").startswith(LISTED.format("/memories"))
    for path in ("b", "a/x/deep", "a/y", "a.txt", ".hidden", "a/.secret/x", ".git/x"):
        run("create", f"/memories/{path}", file_text="x")
    listed = ["/memories", "/memories/a/", "/memories/a/x/", "/memories/a/y", "/memories/a.txt", "/memories/b"]
    assert paths(run("view", "/memories")) == listed
    assert paths(run("view", "/memories/a")) == [
        "/memories/a",
        "/memories/a/x/",
        "/memories/a/x/deep",
        "/memories/a/y",
    ]
    assert run("view", "/memories/.hidden").endswith("\tx")


def test_a_size_is_readable(run: Run) -> None:
    run("create", "/memories/a", file_text="x" * 1536)
    run("create", "/memories/b", file_text="x" * 12)
    run("create", "/memories/c", file_text="")
    lines = run("view", "/memories").splitlines()[2:]
    assert lines == ["1.5K\t/memories/a", "12B\t/memories/b", "0B\t/memories/c"]


def test_a_directory_is_deleted_with_its_files(run: Run) -> None:
    for path in ("a/x", "a/y/z", "ab"):
        run("create", f"/memories/{path}", file_text="x")
    assert run("delete", "/memories/a") == "Successfully deleted /memories/a"
    assert paths(run("view", "/memories")) == ["/memories", "/memories/ab"]
    assert run("delete", "/memories") == "!Cannot delete the /memories directory itself"


def test_a_directory_is_moved_with_its_files(run: Run) -> None:
    for path in ("a/x", "a/y/z", "ab"):
        run("create", f"/memories/{path}", file_text=path)
    moved = run("rename", old_path="/memories/a", new_path="/memories/new/a")
    assert moved == "Successfully renamed /memories/a to /memories/new/a"
    assert run("view", "/memories/new/a/y/z").endswith("\ta/y/z")
    assert run("view", "/memories/ab").endswith("\tab")
    assert run("view", "/memories/a/x").startswith("!The path /memories/a/x does not exist")
    assert run("rename", old_path="/memories", new_path="/memories/b").startswith("!Cannot rename the /memories dir")


def test_nothing_is_overwritten_by_a_rename(run: Run) -> None:
    for path in ("a", "b", "d/c"):
        run("create", f"/memories/{path}", file_text=path)
    for destination in ("b", "d", "a"):
        answer = run("rename", old_path="/memories/a", new_path=f"/memories/{destination}")
        assert answer == f"!The destination /memories/{destination} already exists"
    assert run("view", "/memories/b").endswith("\tb")


@pytest.mark.parametrize("path", ESCAPES)
def test_a_path_out_of_the_directory_is_refused(run: Run, path: str) -> None:
    run("create", "/memories/a", file_text="x")
    refused = [
        run("view", path),
        run("create", path, file_text="x"),
        run("delete", path),
        run("rename", old_path="/memories/a", new_path=path),
        run("rename", old_path=path, new_path="/memories/b"),
    ]
    assert all(answer.startswith(("!Path must start", f"!Path {path} would escape")) for answer in refused)


def test_all_memory_is_cleared(run: Run, tool: BetaAbstractMemoryTool) -> None:
    run("create", "/memories/a/b", file_text="x")
    assert tool.clear_all_memory() == "All memory cleared"
    assert paths(run("view", "/memories")) == ["/memories"]
