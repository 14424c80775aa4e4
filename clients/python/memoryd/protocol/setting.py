"""The settings of a client, which ``memoryd.sync`` and ``memoryd.aio`` need to open a channel and to call."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grpc

from memoryd.protocol.method import METHODS
from memoryd.protocol.target import Tls, check_secrecy, credentials_of, target_of, token_of
from memoryd.protocol.version import VERSION

KEEPALIVE_TIME_MS = 20_000
KEEPALIVE_TIMEOUT_MS = 10_000
MESSAGE_BYTES_MAX = 64 * 1024 * 1024
RECONNECT_MS_FIRST = 100
RECONNECT_MS_MAX = 1_000
CONNECT_MS_MIN = 1_000

DEFAULT_TIMEOUT = 10.0
DEFAULT_CONNECT_TIMEOUT = 5.0
DEFAULT_SNAPSHOT_TIMEOUT = 300.0


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a client. Times are in seconds. ``token`` is called for each call.

    ``batching`` is the time for which a call waits for others; None to send each by itself.
    """

    target: str
    token: Callable[[], str] | None
    origin: str | None
    credentials: grpc.ChannelCredentials | None
    options: tuple[tuple[str, Any], ...]
    timeout: float
    connect_timeout: float
    snapshot_timeout: float
    batching: float | None = None

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The metadata of a call that begins now. Raises what ``token`` raises."""
        pairs = []
        if self.token is not None:
            # A file of one token ends with a newline, as a rule.
            pairs.append(("authorization", f"Bearer {self.token().strip()}"))
        if self.origin:
            pairs.append(("memoryd-origin", self.origin))
        return tuple(pairs)

    def patience(self, *, connected: bool) -> float:
        """Return the number of seconds for which to retry an unreachable daemon.

        One that was reached before will probably come back; otherwise the address may be wrong.
        """
        return self.timeout if connected else self.connect_timeout


def settings_of(
    target: str | None,
    *,
    token: str | Callable[[], str] | None,
    tls: Tls | bool | None,
    insecure_token: bool,
    origin: str | None,
    timeout: float,
    connect_timeout: float,
    snapshot_timeout: float,
    batching: bool | float = False,
) -> Settings:
    """Return the settings for the arguments of connect. Raises InvalidTarget, and ValueError for a window."""
    if not 0 <= batching <= timeout:
        raise ValueError(f"batching must be from 0 to the timeout of a call, in seconds, not {batching}")
    window = None if batching is False else 0.0 if batching is True else float(batching)
    server_name = tls.server_name if isinstance(tls, Tls) else None
    chosen, token_source, credentials = target_of(target), token_of(token), credentials_of(tls)
    if token_source is not None and credentials is None and not insecure_token:
        check_secrecy(chosen)
    return Settings(
        target=chosen,
        token=token_source,
        origin=origin,
        credentials=credentials,
        options=_options(server_name, connect_timeout),
        timeout=timeout,
        connect_timeout=connect_timeout,
        snapshot_timeout=snapshot_timeout,
        batching=window,
    )


def service_config() -> str:
    """Return gRPC's own retry policy as JSON: it retries UNAVAILABLE for each method that is safe to repeat."""
    names = [{"service": method.service, "method": method.name} for method in METHODS if method.repeatable]
    policy = {
        "maxAttempts": 5,
        "initialBackoff": "0.05s",
        "maxBackoff": "1s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE"],
    }
    return json.dumps({"methodConfig": [{"name": names, "retryPolicy": policy}]})


def _options(server_name: str | None, connect_timeout: float) -> tuple[tuple[str, Any], ...]:
    options: list[tuple[str, Any]] = [
        ("grpc.service_config", service_config()),
        ("grpc.keepalive_time_ms", KEEPALIVE_TIME_MS),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
        ("grpc.initial_reconnect_backoff_ms", RECONNECT_MS_FIRST),
        ("grpc.max_reconnect_backoff_ms", RECONNECT_MS_MAX),
        # Despite its name, this is the timeout of one attempt to connect.
        ("grpc.min_reconnect_backoff_ms", max(CONNECT_MS_MIN, round(connect_timeout * 1000))),
        # Otherwise all channels of a process to one target share a connection, and a new one waits for its backoff.
        ("grpc.use_local_subchannel_pool", 1),
        # The daemon refuses versions with which it does not work.
        ("grpc.primary_user_agent", f"memoryd-python/{VERSION}"),
        # A proxy for the web is never between a client and its daemon.
        ("grpc.enable_http_proxy", 0),
    ]
    if server_name:
        options.append(("grpc.ssl_target_name_override", server_name))
    return tuple(options)
