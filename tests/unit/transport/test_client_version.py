import pytest

from memoryd_server.domain.error import VersionUnsupported
from memoryd_server.transport.client_version import ClientVersions
from memoryd_server.transport.limit import USER_AGENTS_MAX


@pytest.mark.parametrize(
    ("daemon", "client"),
    [
        ("0.3.0", "0.3.7"),
        ("0.3.0", "0.1.0"),
        ("0.3.0", "0.5.0-rc.1"),
        ("1.0.0", "1.0.1"),
        ("1.0.0", "1.40.0"),
        ("1.40.0", "1.0.0"),
    ],
)
def test_versions_within_the_window_work_together(daemon: str, client: str) -> None:
    versions = ClientVersions(daemon)
    for user_agent in (f"memoryd-python/{client} grpc-python/1.83.1", f"memoryd-go/{client}"):
        versions.check(user_agent)
        assert user_agent in versions.supported


@pytest.mark.parametrize(
    ("daemon", "client", "older"),
    [
        ("0.4.0", "0.1.9", "client"),
        ("0.1.0", "0.4.0", "server"),
        ("1.0.0", "0.9.0", "client"),
        ("0.9.0", "1.0.0", "server"),
        ("2.0.0", "1.9.0", "client"),
        ("9.0.0", "10.0.0", "server"),
    ],
)
def test_versions_outside_of_the_window_are_refused_with_both_names(daemon: str, client: str, older: str) -> None:
    versions = ClientVersions(daemon)
    for _ in range(2):
        with pytest.raises(VersionUnsupported) as refused:
            versions.check(f"memoryd-python/{client} grpc-python/1.83.1")
        assert refused.value.metadata == {"client_version": client, "server_version": daemon}
        assert str(refused.value) == (
            f"client version {client} does not work with server version {daemon}: upgrade the {older}"
        )


@pytest.mark.parametrize(
    "user_agent", [None, "", "grpc-go/1.80.0", "memoryd-python", "memoryd-python/next", "a memoryd-python/9.0.0"]
)
def test_who_names_no_version_is_served(user_agent: str | None) -> None:
    ClientVersions("0.1.0").check(user_agent)


def test_the_number_of_remembered_user_agents_is_bounded() -> None:
    versions = ClientVersions("0.1.0")
    for number in range(2 * USER_AGENTS_MAX):
        versions.check(f"agent/{number}")
    assert len(versions.supported) == USER_AGENTS_MAX
