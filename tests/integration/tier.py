"""A daemon with tiers, a token for each, and what tests ask about them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from tests.in_process import ServeDaemon
from tests.integration.credential import authorized, write_tokens
from tests.integration.wire import Wire, refused

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1 import (
    transaction_service_pb2_grpc,
)
from memoryd_server.domain.agents.tier import TIER_LIMITS, Feature

FEATURES = [feature.value for feature in Feature]
TWO_OF_EACH = {name: 2 for name in TIER_LIMITS if name != "storage_bytes_per_agent"}
committing = transaction_service_pb2_grpc.TransactionServiceStub


def without(feature: str) -> str:
    """Return the name of the tier that has all features but one."""
    return f"no-{feature}"


class Tokens:
    """Stubs with a token for each tier, and with one of the operator, which has none."""

    def __init__(self, nobody: Wire, tokens: dict[str, str]) -> None:
        self._nobody, self._tokens = nobody, tokens

    def __getitem__(self, name: str) -> Wire:
        return authorized(self._nobody, self._tokens[name])

    def agent_of(self, tier: str) -> str:
        """Create an agent with the token of a tier, and return its id."""
        memory = self[tier].agent()
        memory.set("key")
        return memory.id


@contextmanager
def serving_tiers(serve_daemon: ServeDaemon, directory: Path) -> Iterator[Tokens]:
    """Serve a daemon whose policy has a tier without each feature, ``none``, ``all``, ``small`` and ``few``."""
    path = directory / "tokens.toml"
    tiers: dict[str, dict[str, Any]] = {
        without(feature): {"features": [each for each in FEATURES if each != feature]} for feature in FEATURES
    }
    tiers |= {
        "none": {"features": []},
        "all": {},
        "small": {"limits": {"storage_bytes_per_agent": "2KiB"}},
        "few": {"limits": TWO_OF_EACH},
    }
    rows = {tier: f'agents = ["*"]\ntier = "{tier}"' for tier in tiers}
    rows["operator"] = 'agents = ["*"]'
    rows["writer"] = 'agents = ["*"]\nverbs = ["read", "write"]'
    found = write_tokens(path, rows)
    with path.open("a") as file:
        for name, tier in tiers.items():
            features = f"features = {json.dumps(tier['features'])}\n" if "features" in tier else ""
            limits = ", ".join(f"{key} = {json.dumps(value)}" for key, value in tier.get("limits", {}).items())
            file.write(f'[tiers."{name}"]\n{features}limits = {{ {limits} }}\n')
    with serve_daemon(directory, "--durability", "memory", "--token-file", str(path)) as nobody:
        yield Tokens(nobody, found)


def lacks(feature: str, tier: str, call: Callable[[], object]) -> None:
    refusal = refused(call)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "FEATURE_NOT_IN_TIER")
    assert (refusal.metadata["feature"], refusal.metadata["tier"]) == (feature, tier)


def passes(call: Callable[[], object]) -> None:
    """Check that a call is not refused because of a tier; an incomplete request may be refused for something else."""
    ended = ""
    try:
        call()
    except grpc.RpcError as error:
        ended = str(error)
    assert "feature" not in ended


def tier_of(wire: Wire, agent_id: str) -> str:
    return wire.agents.GetAgent(agent_pb.GetAgentRequest(agent_id=agent_id)).agent.tier


def set_tier(wire: Wire, agent_id: str, tier: str) -> agent_pb.UpdateAgentResponse:
    return wire.agents.UpdateAgent(tier_request(agent_id, tier))


def tier_request(agent_id: str, tier: str) -> agent_pb.UpdateAgentRequest:
    return agent_pb.UpdateAgentRequest(agent_id=agent_id, draft={"tier": tier}, update_mask={"paths": ["tier"]})


def snapshot_of(wire: Wire, agent_id: str) -> str:
    request = snapshot_pb.CreateSnapshotRequest(agent_id=agent_id)
    return wire.snapshots.CreateSnapshot(request).snapshot.snapshot_id


def restore(wire: Wire, snapshot_id: str, agent_id: str, **fields: str) -> snapshot_pb.RestoreSnapshotResponse:
    request = snapshot_pb.RestoreSnapshotRequest(snapshot_id=snapshot_id, agent_id=agent_id, **fields)
    return wire.snapshots.RestoreSnapshot(request)
