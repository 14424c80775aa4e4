"""The writes of the records of a copy."""

from memoryd.v1 import agent_pb2
from memoryd_server.ops.cli.agent.transfer.record import Record
from memoryd_server.ops.cli.agent.transfer.write import writes_of


def test_a_copy_neither_compares_nor_writes_the_tier() -> None:
    free, pro = (writes_of(Record("agent", agent_pb2.Agent(display_name="Ada", tier=tier))) for tier in ("free", "pro"))
    assert free.digest == pro.digest
    assert free.create[0].update_agent.draft == agent_pb2.AgentDraft(display_name="Ada")
