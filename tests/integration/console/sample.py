"""An agent that remembers something of every kind."""

import json
from collections.abc import Callable
from typing import Any

import httpx

Call = Callable[..., dict[str, Any]]
"""Calls a method, such as ``NoteService/CreateNote``, with the fields of its request, and returns the response."""
WORKING = "WorkingMemoryService"


def caller(web: httpx.Client) -> Call:
    """Return a function that calls by JSON."""

    def call(method: str, /, **request: Any) -> dict[str, Any]:
        response = web.post(f"/memoryd.v1.{method}", json=request)
        assert response.status_code == httpx.codes.OK, response.text
        answer: dict[str, Any] = response.json()
        return answer

    return call


def fill(call: Call, agent_id: str) -> None:
    """Write what an agent of a shop's support may remember: entries in scopes, and records of all kinds."""
    entries(call, agent_id)
    texts(call, agent_id)
    work(call, agent_id)
    # The newest change has a value before it.
    tone = json.dumps("friendly, at most two sentences")
    call(f"{WORKING}/SetEntry", agentId=agent_id, key="tone", valueJson=tone, type="ENTRY_TYPE_PREFERENCE")


def entries(call: Call, agent_id: str) -> None:
    """Write entries in the root, in a scope, and in one below, each of which hides one above it."""

    def put(scope_id: str, key: str, value: Any, **more: Any) -> None:
        call(f"{WORKING}/SetEntry", agentId=agent_id, scopeId=scope_id, key=key, valueJson=json.dumps(value), **more)

    def scope(name: str, parent_scope_id: str = "", **more: Any) -> str:
        answer = call(f"{WORKING}/CreateScope", agentId=agent_id, name=name, parentScopeId=parent_scope_id, **more)
        scope_id: str = answer["scope"]["scopeId"]
        return scope_id

    call(
        "AgentService/UpdateAgent",
        agentId=agent_id,
        draft={"displayName": "Customer support"},
        updateMask="displayName",
    )
    put("", "language", "en", tags=["profile"])
    put("", "tone", "friendly, short sentences", type="ENTRY_TYPE_PREFERENCE", importance=0.8)
    put("", "shop", {"name": "Harbour Books", "opens": "09:00", "closes": "18:00"})
    put("", "rate.limit", 120, ttl="86400s")
    order = scope("order-4711", idleTtl="36000s")
    put(order, "language", "de")
    put(order, "customer", {"name": "Anna Berger", "since": 2019}, tags=["person"], importance=0.9)
    put(order, "status", "waiting for the carrier", ttl="18000s")
    refund = scope("refund", order)
    put(refund, "status", "approved", ttl="3300s")
    put(refund, "amount", {"value": 24.9, "currency": "EUR"}, type="ENTRY_TYPE_FACT")
    scope("order-4712")


def texts(call: Call, agent_id: str) -> None:
    """Write notes, fragments, memories and a document."""
    notes = [
        ("House rules", "Never promise a date of delivery."),
        ("Refunds", "Up to 50 EUR without asking a colleague."),
    ]
    for title, content in notes:
        call(
            "NoteService/CreateNote", agentId=agent_id, draft={"title": title, "content": content, "notebook": "policy"}
        )
    for content in ("Anna prefers to be called in the afternoon.", "The parcel was last seen in Hamburg."):
        draft = {"content": content, "type": "observation", "confidence": 0.9, "ttl": "36000s"}
        call("FragmentService/CreateFragment", agentId=agent_id, draft=draft)
    for content in (
        "Anna Berger lives in Vienna.",
        "Anna Berger collects first editions.",
        "The courier to Vienna needs two days.",
        "The shop is closed on Mondays.",
    ):
        draft = {"content": content, "type": "MEMORY_TYPE_SEMANTIC", "importance": 0.7}
        call("LongTermMemoryService/CreateMemory", agentId=agent_id, draft=draft)
    document = {"title": "Terms of delivery", "mediaType": "text/markdown", "source": "terms.md"}
    text = "# Delivery\n\nParcels leave the shop within two days.\n"
    call("DocumentService/CreateDocument", agentId=agent_id, draft=document, text=text)


def work(call: Call, agent_id: str) -> None:
    """Write a plan, and a conversation with an entity."""
    steps = [{"description": each} for each in ("Ask the carrier", "Offer a refund", "Write to Anna")]
    call("PlanService/CreatePlan", agentId=agent_id, draft={"goal": "Settle order 4711", "steps": steps})
    answer = call("ConversationService/CreateConversation", agentId=agent_id, draft={"title": "Where is my parcel?"})
    drafts = [
        {"role": "MESSAGE_ROLE_USER", "content": "My parcel has not arrived."},
        {"role": "MESSAGE_ROLE_ASSISTANT", "content": "I am sorry. I will ask the carrier."},
    ]
    conversation_id = answer["conversation"]["conversationId"]
    call("ConversationService/AppendMessages", agentId=agent_id, conversationId=conversation_id, drafts=drafts)
    entity = {"entityId": "order:4711", "type": "order", "name": "Order 4711"}
    call("EntityService/AddEntities", agentId=agent_id, conversationId=conversation_id, entities=[entity])


def change(call: Call, agent_id: str) -> None:
    """Write changes of several kinds. The newest sets the entry ``weather``."""
    call("NoteService/CreateNote", agentId=agent_id, draft={"title": "Sources", "content": "The harbour office."})
    call(f"{WORKING}/SetEntry", agentId=agent_id, key="tide", valueJson='"low"')
    draft = {"content": "The ferry was late twice this week.", "type": "observation"}
    call("FragmentService/CreateFragment", agentId=agent_id, draft=draft)
    call(f"{WORKING}/RemoveEntry", agentId=agent_id, key="tide")
    call(f"{WORKING}/SetEntry", agentId=agent_id, key="weather", valueJson='{"wind": "south", "knots": 14}')
