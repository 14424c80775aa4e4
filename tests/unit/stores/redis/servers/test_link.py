import pytest
from tests.unit.stores.redis.scripted import SILENCE, ScriptedServer

from memoryd_server.stores.redis.servers import link
from memoryd_server.stores.redis.servers.link import Disconnected, ask
from memoryd_server.stores.redis.url import parse_store_url


async def test_a_timeout_is_reported_with_its_duration(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "ASK_S", 0.05)
    server.answer("PING", SILENCE)
    connection = parse_store_url(f"redis://{server.address}").connection(server.address)
    with pytest.raises(Disconnected, match=r"did not respond within 0\.05 s"):
        await ask(connection, ("PING",))
    assert not connection.is_connected
