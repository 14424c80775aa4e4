import pytest

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import AgentHead, CommitPoint, Record, StoredAgent
from memoryd_server.stores.redis.agent import read_agent
from memoryd_server.stores.redis.row import encode_head

HEAD = AgentHead("a", 3, 1, 2, 2, 9)


def fields(**changes: bytes | None) -> list[bytes]:
    held = {b"head": encode_head(HEAD), b"id": b"4-5", b"due": b"9", b"entry/k/x": b"1", b"scope/": b""}
    held |= {name.encode(): value for name, value in changes.items() if value is not None}
    gone = {name.encode() for name, value in changes.items() if value is None}
    return [part for name, value in held.items() if name not in gone for part in (name, value)]


def test_an_agent_without_fields_is_missing() -> None:
    assert read_agent("a", []) is None


def test_an_agent_is_decoded_with_head_records_and_point() -> None:
    records = (Record("entry", "k/x", b"1"), Record("scope", "", b""))
    assert read_agent("a", fields()) == StoredAgent(HEAD, records, CommitPoint(4, 5))


@pytest.mark.parametrize("changes", [{"head": None}, {"id": None}, {"head": b"?"}, {"entry/m": b"1"}, {"scope/": None}])
def test_a_missing_or_superfluous_field_is_damage(changes: dict[str, bytes | None]) -> None:
    with pytest.raises(DataDamaged, match="agent 'a'"):
        read_agent("a", fields(**changes))
