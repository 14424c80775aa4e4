import pytest

from memoryd.protocol.change import changed_agent, revision_after
from memoryd.v1.server_service_pb2 import GetServerInfoRequest
from memoryd.v1.snapshot_service_pb2 import RestoreSnapshotRequest, RestoreSnapshotResponse
from memoryd.v1.working_memory_service_pb2 import SetEntryRequest, SetEntryResponse


@pytest.mark.parametrize(
    ("request_", "agent_id"),
    [
        (SetEntryRequest(agent_id="a"), "a"),
        (GetServerInfoRequest(), ""),
        (RestoreSnapshotRequest(agent_id="a"), "a"),
        (RestoreSnapshotRequest(agent_id="a", as_agent_id="b"), "b"),
        (RestoreSnapshotRequest(), None),
        (RestoreSnapshotRequest(dry_run=True), ""),
        (RestoreSnapshotRequest(agent_id="a", dry_run=True), ""),
    ],
)
def test_a_call_changes_the_agent_that_it_names_or_all(request_: object, agent_id: str | None) -> None:
    assert changed_agent(request_) == agent_id


def test_a_restore_of_all_agents_returns_no_revision() -> None:
    assert revision_after(SetEntryRequest(agent_id="a"), SetEntryResponse(revision=3)) == 3
    assert revision_after(RestoreSnapshotRequest(), RestoreSnapshotResponse()) is None
