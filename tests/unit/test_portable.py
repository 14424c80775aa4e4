"""The scripts, and the commands of the pages, run without the tools of GNU: macOS has those of BSD, and bash 3.2."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "clients/*/README.md",
    "front/README.md",
    "docs/*.md",
    "docs/contributing/*.md",
)

ONLY_GNU = {
    "a command of Linux": r"(?<![\w./=-])(sha\d+sum|md5sum|nproc|tac|timeout|shuf|numfmt|flock)(?![\w./=-])",
    "readlink and realpath differ": r"\b(readlink|realpath) +-",
    "sed -i takes another argument": r"\bsed\b[^|;&]* (-[a-zA-Z]*i\b|--)",
    "date takes other options": r"\bdate +(-d|--date|-I|\+\S*%N)",
    "stat takes other options": r"\bstat +(-c|--|-\w*c\b)",
    "mktemp takes other options": r"\bmktemp +.*(-p\b|-t\b|--)",
    "install -D": r"\binstall +(-\w+ +)*-\w*D",
    "cp takes other options": r"\bcp +(-\w+ +)*(-\w*t\b|--)",
    "grep has no Perl": r"\bgrep +(-\w+ +)*-\w*P",
    "xargs has other options": r"\bxargs +(-\w+ +)*(-r|-d|--)",
    "find prints and compares otherwise": r"\bfind\b.* -(printf|regextype)\b",
    "head counts from the end": r"\bhead +(-n *|-c *)-",
    "sort -V": r"\bsort +(-\w+ +)*-\w*V",
    "base64 -w": r"\bbase64 +-\w*w",
    "tar's options": r"\btar\b.* --(sort|mtime|owner|group|transform)\b",
    "bash 4": r"\b(mapfile|readarray|coproc)\b|\b(declare|local|typeset) +-\w*[Ang]\b|\$\{\w+(,,|\^\^|@)|&>>|\|&",
}


def scripts() -> Iterator[tuple[str, str]]:
    """Yield each script of the shell with its name. The one of CI is for Linux, and scripts/environment is sourced."""
    for path in sorted((ROOT / "scripts").iterdir()):
        if path.is_file() and path.suffix == "":
            yield f"scripts/{path.name}", path.read_text("utf-8")


def shell_blocks() -> Iterator[tuple[str, str]]:
    """Yield each block of commands in a page, with the page's name."""
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            for block in re.findall(
                r"^```(?:sh|bash|shell)\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL
            ):
                yield str(path.relative_to(ROOT)), block


def findings(name: str, text: str) -> Iterator[str]:
    for line in text.splitlines():
        command = re.sub(r"(^|\s)#.*", "", line)
        yield from (f"{name}: {why}: {line.strip()}" for why, each in ONLY_GNU.items() if re.search(each, command))


def test_the_scripts_and_the_pages_commands_need_no_tool_of_gnu() -> None:
    sources = [*scripts(), *shell_blocks()]
    assert {"scripts/environment", "scripts/test", "README.md"} <= {name for name, _ in sources}
    assert [each for source in sources for each in findings(*source)] == []


@pytest.mark.parametrize(
    "line",
    [
        "cat a | sha256sum",
        "workers=$(nproc)",
        "readlink -f .",
        "sed -i s/a/b/ file",
        "sed -e s/a/b/ -i file",
        "date -d yesterday",
        "stat -c %s file",
        "mktemp -p /tmp",
        "install -D -m 644 a b",
        "mapfile -t lines < file",
        "declare -A table",
        'echo "${name,,}"',
        "timeout 5 sleep 9",
    ],
)
def test_what_only_gnu_or_a_newer_bash_has_is_found(line: str) -> None:
    assert list(findings("script", line))


@pytest.mark.parametrize(
    "line",
    [
        "mktemp -d",
        "sed -n s/a/b/p file",
        "stat file",
        "date -u +%s",
        "install -m 644 a b",
        "memoryd --timeout 5s",
        "# nproc",
    ],
)
def test_what_all_have_is_not_found(line: str) -> None:
    assert not list(findings("script", line))
