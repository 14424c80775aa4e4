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
async def connected(*answers: Answer, **settings: Any) -> AsyncIterator[tuple[EndpointSummarizer, EndpointServer]]:
    async def sleep(_: float) -> None:
        """Return at once: retries of a test cost no time."""

    async with EndpointServer(*answers, right=right) as server:
        endpoint = EndpointSettings(base_url=server.base_url, model="small", **settings)
        summarizer = EndpointSummarizer(endpoint, KEY, sleep=sleep, chance=lambda: 0.0)
        yield summarizer, server
        await summarizer.close()


async def test_a_text_is_sent_in_openai_format_after_the_earlier_summary() -> None:
    async with connected() as (summarizer, server):
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


async def test_a_transient_failure_is_retried() -> None:
    async with connected(status(503), drop, retries=2) as (summarizer, server):
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
async def test_a_response_without_a_summary_is_an_error(answer: Answer) -> None:
    async with connected(answer, retries=0, timeout=1.0) as (summarizer, _):  # time: only a silent server takes it
        with pytest.raises(SummarizerUnavailable):
            await summarizer.summarize("", TEXT)


async def test_a_long_summary_is_truncated() -> None:
    async with connected(body(completion("€" * SUMMARY_BYTES_MAX))) as (summarizer, _):
        assert await summarizer.summarize("", TEXT) == "€" * (SUMMARY_BYTES_MAX // 3)


async def test_neither_errors_nor_logs_contain_texts_or_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    failures = [status(401), status(400), drop, body(json.dumps({"error": TEXT}).encode())]
    async with connected(*failures, retries=0) as (summarizer, _):
        reported = []
        for _ in failures:
            with pytest.raises(SummarizerUnavailable) as caught:
                await summarizer.summarize("Ann came.", TEXT)
            reported.append(repr(caught.value) + str(caught.value.__cause__))
        assert await summarizer.summarize("", TEXT)
    reported += [repr(vars(record)) for record in caplog.records if record.name.startswith(("memoryd", "httpx2"))]
    assert len([record for record in caplog.records if record.name == "memoryd.summarizing"]) == len(failures)
    assert not [each for each in reported if any(secret in each for secret in (TEXT, KEY, "Ann came", "They met"))]
