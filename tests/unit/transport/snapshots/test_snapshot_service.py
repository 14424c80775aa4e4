"""Exports of snapshots whose callers lose their rights."""

import pytest
from tests.unit.engine.world import World

from memoryd.v1 import snapshot_service_pb2 as pb
from memoryd_server.domain.error import VerbForbidden
from memoryd_server.ops.auth.grant import Account, Grant, GrantRow
from memoryd_server.ports.auth import Verb
from memoryd_server.transport.access import AccessRule, MethodPolicy
from memoryd_server.transport.call import Call
from memoryd_server.transport.snapshots.snapshot_service import SnapshotService

EXPORT = MethodPolicy("SnapshotService/ExportSnapshot", AccessRule.SNAPSHOT, Verb.SNAPSHOT)


async def test_an_export_is_no_longer_allowed_once_the_right_to_its_agent_is_taken_away() -> None:
    async with World() as world:
        await world.set("a", "key")
        info = await world.engine.snapshots.create("a", "", "request")
        account = Account("ci")
        caller = Grant(account, [GrantRow(("a",))])
        call = Call(EXPORT, caller, {}.get, checks=set())
        service = SnapshotService(world.engine.snapshots, world.engine.journal_export)
        responses = service.export_snapshot(pb.ExportSnapshotRequest(snapshot_id=info.snapshot_id), call)
        assert (await anext(responses)).snapshot.agent_id == "a"
        call.check_again()
        caller.become(account, [GrantRow(("a",), frozenset({Verb.READ})), GrantRow(("b",))])
        with pytest.raises(VerbForbidden):
            call.check_again()
        await responses.aclose()
