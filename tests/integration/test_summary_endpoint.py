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

from memoryd.v1 import context_service_pb2, conversation_pb2
from memoryd.v1 import conversation_service_pb2 as pb
from memoryd.v1.context_service_pb2_grpc import ContextServiceStub
from memoryd.v1.conversation_service_pb2_grpc import ConversationServiceStub

Connect = Callable[[Daemon], Wire]


class Talk:
    """A conversation of an agent."""

    def __init__(self, wire: Wire, agent_id: str = "") -> None:
        self.agent_id = wire.agent(agent_id).id
        self.stub = ConversationServiceStub(wire.channel)
        self.contexts = ContextServiceStub(wire.channel)

    def append(self, *contents: str) -> None:
        role = conversation_pb2.MESSAGE_ROLE_USER
        drafts = [conversation_pb2.MessageDraft(role=role, content=content) for content in contents]
        self.stub.AppendMessages(pb.AppendMessagesRequest(agent_id=self.agent_id, conversation_id="c", drafts=drafts))

    def request(self, **fields: Any) -> pb.CompactMessagesRequest:
        return pb.CompactMessagesRequest(
            agent_id=self.agent_id,
            conversation_id="c",
            max_tokens=1,
            keep_last=1,
            summarize=pb.CompactionSummarize(),
            **fields,
        )

    def compact(self, **fields: Any) -> pb.CompactMessagesResponse:
        return self.stub.CompactMessages(self.request(**fields))

    def contents(self) -> list[str]:
        request = pb.ListMessagesRequest(agent_id=self.agent_id, conversation_id="c")
        return [message.content for message in self.stub.ListMessages(request).messages]

    def composed(self) -> list[str]:
        source = context_service_pb2.MessagesSource(conversation_id="c")
        request = context_service_pb2.ComposeContextRequest(
            agent_id=self.agent_id, sections=[context_service_pb2.ContextSection(messages=source)]
        )
        return [message.content for message in self.contexts.ComposeContext(request).messages]

    def conversation(self) -> conversation_pb2.Conversation:
        request = pb.GetConversationRequest(agent_id=self.agent_id, conversation_id="c")
        return self.stub.GetConversation(request).conversation


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
    assert (done.deleted_message_count, done.conversation.summary, talk.contents()) == (2, "summary 1", ["now"])
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
