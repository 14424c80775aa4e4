"""Calls for the current conversation."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from memoryd.aio.agent import Agent
from memoryd.protocol.call import Call
from memoryd.protocol.current_conversation import CurrentConversation, current_conversation

Result = TypeVar("Result")


async def perform(flow_of: Callable[[CurrentConversation], Generator[Call[Any], Any, Result]]) -> Result:
    """Perform the steps of a flow with the agent of the current conversation.

    Raises NoConversation, and TypeError when the agent is one of the other client.
    """
    here = current_conversation()
    if not isinstance(here.agent, Agent):
        raise TypeError("the agent of this conversation is not one of memoryd.aio: use the tools of its own client")
    result: Result = await here.agent._channel.perform(flow_of(here))
    return result
