import json
from collections.abc import Callable

import pytest

from memoryd.errors import InvalidTarget
from memoryd.protocol.method import METHODS
from memoryd.protocol.setting import Settings, service_config, settings_of
from memoryd.protocol.target import Tls


def settings(
    token: str | Callable[[], str] | None = None,
    origin: str | None = None,
    tls: Tls | None = None,
    *,
    target: str = "localhost:1",
    insecure_token: bool = False,
) -> Settings:
    return settings_of(
        target,
        token=token,
        tls=tls,
        insecure_token=insecure_token,
        origin=origin,
        timeout=10.0,  # time: nobody waits
        connect_timeout=5.0,  # time: nobody waits
        snapshot_timeout=300.0,
    )


def test_token_and_origin_travel_as_metadata() -> None:
    assert settings("secret", "planner").metadata == (
        ("authorization", "Bearer secret"),
        ("memoryd-origin", "planner"),
    )
    assert settings().metadata == ()


def test_a_function_returns_the_token_of_each_call() -> None:
    tokens = iter(["first", "second\n"])
    renewed = settings(lambda: next(tokens))
    assert [renewed.metadata, renewed.metadata] == [
        (("authorization", "Bearer first"),),
        (("authorization", "Bearer second"),),
    ]


@pytest.mark.parametrize("target", ["memory.example:1", "10.0.0.1:1", "[::2]:1", "127.0.0.1.example:1", "0.0.0.0:1"])
def test_a_token_is_sent_to_another_machine_only_by_tls_or_on_request(target: str) -> None:
    for token in ("secret", lambda: "secret"):
        with pytest.raises(InvalidTarget, match="in the clear"):
            settings(token, target=target)
        assert settings(token, target=target, tls=Tls()).metadata
        assert settings(token, target=target, insecure_token=True).metadata
    assert settings(target=target).metadata == ()


@pytest.mark.parametrize(
    "target", ["127.0.0.1:1", "127.8.8.8:1", "localhost:1", "LOCALHOST:1", "[::1]:1", "unix:/run/m.sock"]
)
def test_a_token_may_be_sent_within_this_machine(target: str) -> None:
    assert settings("secret", target=target).metadata


def test_the_server_name_is_expected_in_the_certificate() -> None:
    options = dict(settings(tls=Tls(server_name="memory.example")).options)
    assert options["grpc.ssl_target_name_override"] == "memory.example"


def test_a_daemon_that_was_reached_before_is_retried_for_longer() -> None:
    assert settings().patience(connected=True) == 10.0
    assert settings().patience(connected=False) == 5.0


def test_grpc_retries_the_methods_that_are_safe_to_repeat_and_no_others() -> None:
    (config,) = json.loads(service_config())["methodConfig"]
    repeated = {(name["service"], name["method"]) for name in config["name"]}
    assert repeated == {(method.service, method.name) for method in METHODS if method.repeatable}
    assert config["retryPolicy"]["retryableStatusCodes"] == ["UNAVAILABLE"]
