"""The agent that a call changes, and its revision after the call."""

from typing import Any

from memoryd.v1.snapshot_service_pb2 import RestoreSnapshotRequest


def changed_agent(request: Any) -> str | None:
    """Return the id of the agent that a request changes; None if it may change all agents, empty if it changes none."""
    if getattr(request, "dry_run", False):
        return ""
    if isinstance(request, RestoreSnapshotRequest):
        return request.as_agent_id or request.agent_id or None
    agent_id: str = getattr(request, "agent_id", "")
    return agent_id


def revision_after(request: Any, response: Any) -> int | None:
    """Return the changed agent's revision after a call; None if it is not known, since all agents were changed."""
    revision: int = getattr(response, "revision", 0)
    return None if changed_agent(request) is None else revision
