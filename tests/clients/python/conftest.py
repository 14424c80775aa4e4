from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd


@pytest.fixture
def agent_id() -> str:
    return f"agent-{uuid4().hex[:8]}"


@pytest.fixture
def client(shared_daemon: Daemon) -> Iterator[memoryd.Client]:
    with memoryd.connect(shared_daemon.address, **PATIENT) as client:
        yield client


@pytest.fixture
def agent(client: memoryd.Client, agent_id: str) -> memoryd.Agent:
    return client.agent(agent_id)


@pytest.fixture
async def aio_agent(shared_daemon: Daemon, agent_id: str) -> AsyncIterator[memoryd.aio.Agent]:
    async with memoryd.aio.connect(shared_daemon.address, **PATIENT) as client:
        yield client.agent(agent_id)
