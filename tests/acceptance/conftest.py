import pytest
from tests.wait import WAIT_S_MAX

from memoryd_server.stores.redis.servers import link


@pytest.fixture(autouse=True)
def patient_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a slow server enough time to answer while a store is opened."""
    monkeypatch.setattr(link, "ASK_S", WAIT_S_MAX)
