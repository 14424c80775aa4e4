import msgspec
from tests.unit.retrieval.sample import memory

from memoryd_server.domain.memories.memory import Memory


def test_a_memory_that_was_stored_before_there_were_aliases_has_none() -> None:
    stored = msgspec.msgpack.decode(msgspec.msgpack.encode(memory("green tea", aliases=("matcha",))))
    assert stored[-1] == ["matcha"]
    assert msgspec.convert(stored[:-1], Memory).aliases == ()
