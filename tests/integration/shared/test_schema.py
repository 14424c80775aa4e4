"""A record that a newer version wrote into the shared store is refused, and everything else keeps working."""

import zlib

import grpc
from tests.integration.shared.pair import Pair
from tests.integration.wire import refused
from tests.valkey.link import Reply
from tests.valkey.server import ValkeyServer

from memoryd_server.domain.lifecycle.record import SCHEMA_VERSION

NEWER = b"\x63"


def bytes_of(reply: Reply) -> bytes:
    assert isinstance(reply, bytes)
    return reply


def key_of(pair: Pair, agent_id: str) -> str:
    return f"{{{pair.prefix}:{zlib.crc32(agent_id.encode()) % 64}}}:agent:{agent_id}"


def test_a_record_of_a_newer_schema_is_refused_with_both_versions(pair: Pair, valkey: ValkeyServer) -> None:
    here, there = pair.agents()
    here.write({"k": 1, "l": 2})
    key = key_of(pair, here.id)
    fields = valkey.command("HGETALL", key)
    assert isinstance(fields, list)
    records = {name: data for name, data in zip(fields[::2], fields[1::2], strict=True) if b"entry/" in bytes_of(name)}
    name, data = next((bytes_of(name), bytes_of(data)) for name, data in records.items())
    valkey.command("HSET", key, name, NEWER + data[1:])
    for call in (lambda: there.get("k"), there.list, lambda: there.set("m")):
        refusal = refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SCHEMA_TOO_NEW")
        assert refusal.own_metadata == {"found_version": str(NEWER[0]), "supported_version": str(SCHEMA_VERSION)}
    pair.b.agent().set("k")
    valkey.command("HSET", key, name, data)
    assert there.values() == {"k": 1, "l": 2}
