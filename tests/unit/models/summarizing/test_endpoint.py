import contextlib
import json
import logging
from asyncio import StreamWriter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.unit.models.endpoint.server import (
    Answer,
    EndpointServer,
    Request,
    body,
    drop,
    endless,
    send,
    silence,
    status,
)

from memoryd_server.domain.error import SummarizerUnavailable
from memoryd_server.domain.limit import SUMMARY_BYTES_MAX
from memoryd_server.models.endpoint.settings import EndpointSettings
from memoryd_server.models.summarizing.endpoint import EndpointSummarizer

KEY = "sk-the-key-itself"
TEXT = "user: what the agent remembers"


def completion(content: object) -> bytes:
    return json.dumps(
        {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": content}}]}
    ).encode()


async def right(_: Request, writer: StreamWriter) -> None:
    send(writer, 200, completion(" They met.\n"))


@contextlib.asynccontextmanager
async def asked(*answers: Answer, **settings: Any) -> AsyncIterator[tuple[EndpointSummarizer, EndpointServer]]:
    async def sleep(_: float) -> None:
        """Nobody waits for a test."""

    async with EndpointServer(*answers, right=right) as server:
        endpoint = EndpointSettings(base_url=server.base_url, model="small", **settings)
        summarizer = EndpointSummarizer(endpoint, KEY, sleep=sleep, chance=lambda: 0.0)
        yield summarizer, server
        await summarizer.close()


async def test_a_text_is_sent_as_openai_has_it_with_the_summary_before_it() -> None:
    async with asked() as (summarizer, server):
        assert await summarizer.summarize("", TEXT) == "They met."
        assert await summarizer.summarize("Ann came.", TEXT) == "They met."
        first, second = server.requests
        assert first.path == "/v1/chat/completions"
        assert first.headers["authorization"] == f"Bearer {KEY}"
        assert first.body.keys() == {"model", "messages"}
        assert first.body["model"] == "small"
        assert [message["role"] for message in first.body["messages"]] == ["system", "user"]
        assert first.body["messages"][1]["content"] == f"<conversation>\n{TEXT}\n</conversation>"
        assert second.body["messages"][1]["content"].startswith("<summary>\nAnn came.\n</summary>\n<conversation>")


async def test_what_passes_is_tried_again() -> None:
    async with asked(status(503), drop, retries=2) as (summarizer, server):
        assert await summarizer.summarize("", TEXT) == "They met."
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    "answer",
    [
        status(400),
        status(401),
        silence,
        body(b""),
        body(b"<html>"),
        body(b'{"choices": []}'),
        body(b'{"choices": [{"message": {}}]}'),
        body(b'{"choices": [{"message": {"content": "\\ud800"}}]}'),
        body(b'{"more":' + b"[" * 2_000),
        body(completion(None)),
        body(completion(" \n")),
        body(completion(["They", "met"])),
        body(completion("x" * 1024 * 1024)),
        endless,
    ],
)
async def test_what_is_no_summary_is_none(answer: Answer) -> None:
    async with asked(answer, retries=0, timeout=1.0) as (summarizer, _):  # time: silence is to end
        with pytest.raises(SummarizerUnavailable):
            await summarizer.summarize("", TEXT)


async def test_a_long_summary_is_cut() -> None:
    async with asked(body(completion("€" * SUMMARY_BYTES_MAX))) as (summarizer, _):
        assert await summarizer.summarize("", TEXT) == "€" * (SUMMARY_BYTES_MAX // 3)


async def test_neither_texts_nor_the_key_are_told_to_anybody(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    failures = [status(401), status(400), drop, body(json.dumps({"error": TEXT}).encode())]
    async with asked(*failures, retries=0) as (summarizer, _):
        told = []
        for _ in failures:
            with pytest.raises(SummarizerUnavailable) as caught:
                await summarizer.summarize("Ann came.", TEXT)
            told.append(repr(caught.value) + str(caught.value.__cause__))
        assert await summarizer.summarize("", TEXT)
    told += [repr(vars(record)) for record in caplog.records if record.name.startswith(("memoryd", "httpx2"))]
    assert len([record for record in caplog.records if record.name == "memoryd.summarizing"]) == len(failures)
    assert not [each for each in told if any(secret in each for secret in (TEXT, KEY, "Ann came", "They met"))]
