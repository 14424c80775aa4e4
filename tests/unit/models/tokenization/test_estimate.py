"""The estimate against the real tokenizers: never far too low, for a context that overflows its window is refused."""

import base64
import hashlib
import json
import random
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.models.tokenization.counter import OfflineTokenCounter

ROOT = Path(__file__).parents[4]
TOKENIZERS = ("o200k_base", "cl100k_base")
_BYTES = random.Random(1).randbytes

DENSE: dict[str, str] = {
    "base64": base64.b64encode(_BYTES(6_000)).decode(),
    "base64 of a URL": base64.urlsafe_b64encode(_BYTES(3_000)).decode(),
    "base32": base64.b32encode(_BYTES(3_000)).decode(),
    "hexadecimal": _BYTES(3_000).hex(),
    "hashes": "\n".join(hashlib.sha256(bytes([number])).hexdigest() for number in range(50)),
    "ids": " ".join(str(uuid.UUID(bytes=_BYTES(16))) for _ in range(50)),
    "times": "\n".join(f"2026-11-{day:02}T12:15:42.123456Z" for day in range(1, 30)),
    "JSON": json.dumps([{"id": number, "name": f"user{number}", "tags": ["a", "b"]} for number in range(50)]),
    "Python": (ROOT / "daemon/memoryd_server/engine/documents/documents.py").read_text(),
    "protobuf": (ROOT / "protos/memoryd/v1/document.proto").read_text(),
    "indented code": "                if x:\n                    return y\n" * 20,
    "names in code": "getUserByIdOrThrowNotFoundException createHTTPServerWithTLSConfig XMLHttpRequest " * 10,
    "minified code": "!function(e,t){return null==e}(this,function(){var e=Object.freeze({});t(e)});" * 10,
    "Chinese": "记忆守护进程是一个为智能体保存记忆的程序。它不会丢失任何已确认的写入。" * 9,
    "Japanese": "メモリデーモンは、エージェントの記憶を保存するプログラムです。" * 9,
}


@pytest.fixture
async def counted() -> Callable[[str], dict[str, int]]:
    counter = OfflineTokenCounter()
    for name in TOKENIZERS:
        await counter.tokenizer_of(name)
    return lambda text: {name: counter.count(text, name) for name in TOKENIZERS}


async def test_the_estimate_is_never_below_nine_tenths_of_the_truth(counted: Callable[[str], dict[str, int]]) -> None:
    ratios = {
        name: min(estimated_tokens(text) / each for each in counted(text).values()) for name, text in DENSE.items()
    }
    assert {name: ratio for name, ratio in ratios.items() if ratio < 0.9} == {}


async def test_the_estimate_of_prose_is_at_most_a_quarter_above_the_truth(
    counted: Callable[[str], dict[str, int]],
) -> None:
    for name in ("docs/context.md", "docs/style.md", "ARCHITECTURE.md"):
        text = (ROOT / name).read_text()
        assert all(0.9 < estimated_tokens(text) / each < 1.25 for each in counted(text).values()), name
