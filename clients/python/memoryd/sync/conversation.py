"""What is done for the conversation that goes on here."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from memoryd.protocol.call import Call
from memoryd.protocol.current_conversation import CurrentConversation, current_conversation
from memoryd.sync.agent import Agent

Result = TypeVar("Result")


def perform(flow_of: Callable[[CurrentConversation], Generator[Call[Any], Any, Result]]) -> Result:
    """Perform the steps of a flow with the agent of the conversation.

    Raises NoConversation, and TypeError when its agent is one of asyncio.
    """
    here = current_conversation()
    if not isinstance(here.agent, Agent):
        raise TypeError("the conversation has no memoryd.Agent: with one of memoryd.aio, use memoryd.aio's tools, too")
    result: Result = here.agent._channel.perform(flow_of(here))
    return result
