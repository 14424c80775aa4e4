"""A store with a prefix of its own on the server that all tests share."""

from collections.abc import AsyncIterator

import pytest
from tests.unit.stores.redis.writing import fresh_store
from tests.valkey.server import ValkeyServer

from memoryd_server.stores.redis.store import RedisStore


@pytest.fixture
async def store(valkey: ValkeyServer) -> AsyncIterator[RedisStore]:
    made = fresh_store(valkey.url)
    await made.open()
    yield made
    await made.close()
