"""A daemon that summarizes conversations by an endpoint which is slow or down."""

import signal
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from tests.daemon import Daemon
from tests.integration.summary_endpoint import SummaryEndpoint
from tests.integration.wire import Wire, refused
from tests.wait import WAIT_S_MAX, until

from memoryd.v1 import context_service_pb2 as pb
from memoryd.v1 import context_service_pb2_grpc as pb_grpc
from memoryd.v1 import message_pb2

Connect = Callable[[Daemon], Wire]


class Talk:
    """A conversation of an agent."""

    def __init__(self, wire: Wire, agent_id: str = "") -> None:
        self.agent_id = wire.agent(agent_id).id
        self.stub = pb_grpc.ContextServiceStub(wire.channel)

    def append(self, *contents: str) -> None:
        messages = [pb.DraftMessage(role=message_pb2.MESSAGE_ROLE_USER, content=content) for content in contents]
        self.stub.AppendMessages(
            pb.AppendMessagesRequest(agent_id=self.agent_id, conversation_id="c", messages=messages)
        )

    def request(self, **fields: Any) -> pb.CompactMessagesRequest:
        return pb.CompactMessagesRequest(
            agent_id=self.agent_id,
            conversation_id="c",
            max_tokens=1,
            keep_last=1,
            strategy=pb.COMPACTION_STRATEGY_SUMMARIZE,
            **fields,
        )

    def compact(self, **fields: Any) -> pb.CompactMessagesResponse:
        return self.stub.CompactMessages(self.request(**fields))

    def contents(self) -> list[str]:
        request = pb.ListMessagesRequest(agent_id=self.agent_id, conversation_id="c")
        return [message.content for message in self.stub.ListMessages(request).messages]

    def composed(self) -> list[str]:
        request = pb.ComposeContextRequest(
            agent_id=self.agent_id, sections=[pb.ContextSection(messages=pb.MessagesSource(conversation_id="c"))]
        )
        return [message.content for message in self.stub.ComposeContext(request).messages]

    def conversation(self) -> message_pb2.Conversation:
        (found,) = self.stub.ListConversations(pb.ListConversationsRequest(agent_id=self.agent_id)).conversations
        return found


@pytest.fixture
def endpoint() -> Iterator[SummaryEndpoint]:
    with SummaryEndpoint() as running:
        yield running


def test_a_conversation_is_summarized_and_loses_nothing_while_the_endpoint_is_down(
    launch_process: Callable[..., Daemon], endpoint: SummaryEndpoint, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_SUMMARY_API_KEY", "kEySeCrEt")
    flags = ["--summary-url", endpoint.url, "--summary-model", "m", "--log-level", "debug", "--drain-timeout", "120s"]
    daemon = launch_process(*flags)
    talk = Talk(connect(daemon))
    talk.append("the red fox", "the blue hen", "now")
    done = talk.compact(request_id="r1")
    assert (done.messages_removed, done.conversation.summary, talk.contents()) == (2, "summary 1", ["now"])
    assert done.conversation.token_count == 3
    assert endpoint.texts == ["<conversation>\nuser: the red fox\nuser: the blue hen\n</conversation>"]
    assert talk.composed() == ["[SUMMARY]\nsummary 1\n[END_SUMMARY]\n", "now"]
    daemon.kill()
    daemon.start()
    talk = Talk(connect(daemon), talk.agent_id)
    assert talk.conversation() == done.conversation
    assert talk.compact(request_id="r1") == done
    assert len(endpoint.texts) == 1

    endpoint.is_up = False
    talk.append("later")
    failed = refused(talk.compact)
    assert (failed.code, failed.reason) == (grpc.StatusCode.UNAVAILABLE, "SUMMARIZER_UNAVAILABLE")
    assert talk.contents() == ["now", "later"]
    endpoint.is_up = True
    endpoint.asked.clear()
    endpoint.gate.clear()
    compacting = talk.stub.CompactMessages.future(talk.request())
    assert endpoint.asked.wait(WAIT_S_MAX)
    talk.append("meanwhile")
    daemon.signal(signal.SIGTERM)
    until(lambda: "draining" in daemon.log, "the daemon drains while the model works")
    endpoint.gate.set()
    assert compacting.result(WAIT_S_MAX).conversation.summary == "summary 2"
    assert endpoint.texts[1].startswith("<summary>\nsummary 1\n</summary>\n")
    assert daemon.wait() == 0
    daemon.start()
    assert Talk(connect(daemon), talk.agent_id).contents() == ["later", "meanwhile"]
    for secret in ("kEySeCrEt", "red fox", "blue hen", "summary 1"):
        assert secret not in daemon.log
