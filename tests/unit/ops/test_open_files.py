import logging
import resource

import msgspec
import pytest

from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.limit import FILES_RESERVED
from memoryd_server.ops.open_files import raise_open_files, within_open_files


@pytest.mark.parametrize("open_files_max", [10_000 + FILES_RESERVED, resource.RLIM_INFINITY])
def test_enough_files_leave_the_connections_as_they_are(open_files_max: int) -> None:
    assert within_open_files(Settings(), open_files_max).limits.connections == 10_000


def test_connections_leave_files_for_the_data(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        settings = within_open_files(Settings(), 1_024)
    assert settings.limits == msgspec.structs.replace(Settings().limits, connections=1_024 - FILES_RESERVED)
    (record,) = caplog.records
    assert "ulimit -n" in record.message


def test_each_address_has_its_share() -> None:
    settings = Settings()
    listening = msgspec.structs.replace(settings.listening, listen=settings.listening.listen * 2)
    shared = within_open_files(msgspec.structs.replace(settings, listening=listening), 1_024)
    assert shared.limits.connections == (1_024 - FILES_RESERVED) // 2


def test_the_limit_is_raised_as_far_as_the_system_allows() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        raised = raise_open_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == raised >= before[0]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
