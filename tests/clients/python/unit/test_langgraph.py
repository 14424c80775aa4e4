"""The parts of the store and of the checkpointer that need no daemon."""

import subprocess
import sys
from itertools import pairwise

import pytest
from tests.wait import WAIT_S_MAX

from memoryd.adapter.name import escape, part, unescape
from memoryd.langgraph.thread import newest_first

TEXTS = ["", "a", "a/b", "a%2Fb", "%", "%2F", "\x00", "\x85", "ä", "~", ".", " ", "\U0001f600/"]


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=WAIT_S_MAX, check=False
    )


def test_the_client_does_not_load_langgraph() -> None:
    done = run("import memoryd, sys; memoryd.connect; assert not any(m.startswith('lang') for m in sys.modules)")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("missing", ["langgraph", "langgraph.store.base", "langgraph.checkpoint.base"])
def test_without_the_extra_the_import_says_what_to_install(missing: str) -> None:
    done = run(f"import sys; sys.modules[{missing!r}] = None; import memoryd.langgraph")
    assert done.returncode == 1
    assert "ImportError: memoryd.langgraph needs langgraph-checkpoint: pip install 'memoryd[langgraph]'" in done.stderr


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_any_text_is_escaped_and_back(text: str) -> None:
    assert unescape(escape(text)) == text
    assert not set(escape(text)) & {"/", "\x00", "\x85"}


def test_no_two_texts_have_the_same_part() -> None:
    long = ["x" * 200, "x" * 201, "x" * 202, "ä" * 100, "ä" * 101, part("x" * 201)]
    texts = [*TEXTS, *long]
    assert len({part(text) for text in texts}) == len(texts)
    assert max(len(part(text).encode()) for text in texts) <= 200


def test_greater_ids_come_first() -> None:
    ids = sorted(["", "1", "10", "1f", "1f1e-6", "2", "a", "ab", "b", "ä", "\U0001f600"], reverse=True)
    assert all(newest_first(greater) < newest_first(less) for greater, less in pairwise(ids))
