"""An agent whose memories, plan and conversation have a past."""

from collections.abc import Mapping
from typing import NamedTuple

from tests.integration.console.sample import Call

MEMORIES = "LongTermMemoryService"
CONVERSATIONS = "ConversationService"
CONVERSATION_ID = "delayed-parcel"
COURIER = tuple(f"The courier to Graz needs {number} days." for number in ("two", "three", "four"))
"""Contents of the memory of the courier, the oldest first."""
PROMISE = "Parcels to Austria arrive within one day."
COMPLAINT = "Anna Berger complained about a late parcel."
DEPOT = "The carrier moved its depot to Linz."
HOLIDAY = "Nobody delivers on the first of May."
ABOUT_DEPOT = ("Linz is closed on Sundays.", "A lorry to Linz leaves at noon.")


class Past(NamedTuple):
    """The ids of an agent and of some of its records."""

    agent_id: str
    courier_id: str
    plan_id: str


def remember(call: Call, agent_id: str, content: str) -> str:
    """Create a memory, and return its id."""
    draft = {"content": content, "type": "MEMORY_TYPE_SEMANTIC"}
    answer = call(f"{MEMORIES}/CreateMemory", agentId=agent_id, draft=draft)
    memory_id: str = answer["memory"]["memoryId"]
    return memory_id


def reword(call: Call, agent_id: str, memory_id: str, content: str) -> None:
    """Give a memory another content."""
    draft = {"content": content}
    call(f"{MEMORIES}/UpdateMemory", agentId=agent_id, memoryId=memory_id, draft=draft, updateMask="content")


def link(call: Call, agent_id: str, from_id: str, to_id: str, link_type: str) -> None:
    """Link two memories."""
    call(
        f"{MEMORIES}/LinkMemories",
        agentId=agent_id,
        fromMemoryId=from_id,
        toMemoryId=to_id,
        type=f"MEMORY_LINK_TYPE_{link_type}",
    )


def fill_past(call: Call, agent_id: str) -> Past:
    """Write memories that changed and are linked, a plan that was followed, and a conversation that was compacted."""
    courier_id = remember(call, agent_id, COURIER[0])
    for content in COURIER[1:]:
        reword(call, agent_id, courier_id, content)
    promise_id = remember(call, agent_id, PROMISE)
    complaint_id = remember(call, agent_id, COMPLAINT)
    depot_id = remember(call, agent_id, DEPOT)
    holiday_id = remember(call, agent_id, HOLIDAY)
    link(call, agent_id, courier_id, promise_id, "CONTRADICTS")
    link(call, agent_id, courier_id, complaint_id, "DERIVED_FROM")
    link(call, agent_id, complaint_id, depot_id, "RELATED")
    link(call, agent_id, holiday_id, courier_id, "REINFORCES")
    for content in ABOUT_DEPOT:
        link(call, agent_id, depot_id, remember(call, agent_id, content), "RELATED")
    link(call, agent_id, courier_id, depot_id, "RELATED")
    plan_id = follow_plan(call, agent_id)
    converse(call, agent_id)
    return Past(agent_id, courier_id, plan_id)


def follow_plan(call: Call, agent_id: str) -> str:
    """Write a plan, work on its steps, and return its id."""
    steps = [{"description": each} for each in ("Ask the carrier", "Offer a refund", "Write to Anna")]
    draft = {"conversationId": CONVERSATION_ID, "goal": "Settle order 4711", "steps": steps}
    answer = call("PlanService/CreatePlan", agentId=agent_id, draft=draft)
    plan_id: str = answer["plan"]["planId"]
    progress(call, agent_id, plan_id, "1", "COMPLETED", "The parcel is in Hamburg.")
    progress(call, agent_id, plan_id, "2", "BLOCKED", "The till is closed on Mondays.")
    call("PlanService/AddPlanNote", agentId=agent_id, planId=plan_id, text="Anna can be reached after four.")
    return plan_id


def progress(call: Call, agent_id: str, plan_id: str, step_id: str, status: str, notes: str) -> None:
    """Change the status and the notes of a step of a plan."""
    draft = {"status": f"PLAN_STEP_STATUS_{status}", "notes": notes}
    call(
        "PlanService/UpdatePlanStep",
        agentId=agent_id,
        planId=plan_id,
        stepId=step_id,
        draft=draft,
        updateMask="status,notes",
    )


def say(call: Call, agent_id: str, *drafts: Mapping[str, object], conversation_id: str = CONVERSATION_ID) -> None:
    """Append messages to a conversation."""
    call(f"{CONVERSATIONS}/AppendMessages", agentId=agent_id, conversationId=conversation_id, drafts=list(drafts))


def converse(call: Call, agent_id: str) -> None:
    """Write a conversation with a call of a tool: ingested up to its middle, and compacted at its beginning."""
    user, assistant, tool = "MESSAGE_ROLE_USER", "MESSAGE_ROLE_ASSISTANT", "MESSAGE_ROLE_TOOL"
    tool_call = {"toolCallId": "call-1", "name": "track_parcel", "argumentsJson": '{"order": 4711}'}
    result = {"toolCallId": "call-1", "name": "track_parcel", "content": '{"place": "Hamburg"}'}
    say(
        call,
        agent_id,
        {"role": user, "content": "Hello, is anybody there?"},
        {"role": assistant, "content": "Yes. What can I do for you?"},
        {"role": user, "content": "I live in Graz, and I ordered a book two weeks ago."},
    )
    call(f"{MEMORIES}/IngestConversation", agentId=agent_id, conversationId=CONVERSATION_ID)
    call(
        f"{CONVERSATIONS}/CompactMessages",
        agentId=agent_id,
        conversationId=CONVERSATION_ID,
        maxTokens=1,
        keepLast=1,
    )
    say(
        call,
        agent_id,
        {"role": assistant, "parts": [{"text": "I look it up."}, {"toolCall": tool_call}]},
        {"role": tool, "parts": [{"toolResult": result}]},
        {"role": assistant, "content": "Your parcel is in Hamburg."},
    )
