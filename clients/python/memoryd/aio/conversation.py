"""What is done for the conversation that goes on here."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from memoryd.aio.agent import Agent
from memoryd.protocol.call import Call
from memoryd.protocol.current_conversation import CurrentConversation, current_conversation

Result = TypeVar("Result")


async def perform(flow_of: Callable[[CurrentConversation], Generator[Call[Any], Any, Result]]) -> Result:
    """Perform the steps of a flow with the agent of the conversation.

    Raises NoConversation, and TypeError when its agent is not one of asyncio.
    """
    here = current_conversation()
    if not isinstance(here.agent, Agent):
        raise TypeError("the conversation has no memoryd.aio.Agent: with one of memoryd, use memoryd's tools, too")
    result: Result = await here.agent._channel.perform(flow_of(here))
    return result
