from datetime import UTC, datetime
from types import SimpleNamespace
from unittest.mock import Mock

from memoryd_server.ops.cli.top.sample import Sampler

NOW = datetime(2026, 11, 28, tzinfo=UTC)


def test_an_agent_that_the_sample_before_left_out_has_no_rate() -> None:
    client = Mock()
    client.server_info.return_value = SimpleNamespace(
        version="", state="serving", backend="", start_time=NOW, usage={}, limits={}, components=()
    )
    client.agent.return_value.stats.return_value = SimpleNamespace(record_counts={}, storage_bytes=0)
    sampler = Sampler(client, "")
    rates = []
    for revisions in ({"a": 1, "b": 1}, {"b": 1}, {"a": 1_000, "b": 1}, {"a": 1_000, "b": 1}):
        agents = [SimpleNamespace(agent_id=each, revision=at, update_time=NOW) for each, at in revisions.items()]
        client.agents.return_value = agents
        rates.append({row.agent_id: row.changes_per_s for row in sampler.take().agents})
    assert rates == [{"a": None, "b": None}, {"b": 0.0}, {"a": None, "b": 0.0}, {"a": 0.0, "b": 0.0}]
