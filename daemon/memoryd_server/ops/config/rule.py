"""Which settings do not go together."""

from memoryd_server.domain.limit import EXPIRY_NS_MAX, SECOND_NS, SHARDS_MAX
from memoryd_server.ops.config.address import TcpAddress
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.error import SettingError


def check(settings: Settings) -> None:
    """Raises SettingError for the first rule that does not hold."""
    _check_tls(settings)
    _check_listen(settings)
    _check_workers(settings)
    if settings.redis.shards > SHARDS_MAX:
        raise SettingError("redis_shards", f"is more than {SHARDS_MAX}")
    _check_fragments(settings)


def _check_tls(settings: Settings) -> None:
    tls = settings.tls
    if tls.cert_file and not tls.key_file:
        raise SettingError("tls_key_file", "is needed with tls_cert_file")
    if tls.key_file and not tls.cert_file:
        raise SettingError("tls_cert_file", "is needed with tls_key_file")
    if tls.client_ca_file and not tls.cert_file:
        raise SettingError("tls_client_ca_file", "needs tls_cert_file and tls_key_file")


def _check_listen(settings: Settings) -> None:
    security, tls, addresses = settings.security, settings.tls, settings.listening.listen
    fixed = [address for address in addresses if not isinstance(address, TcpAddress) or address.port]
    if len(set(fixed)) < len(fixed):
        raise SettingError("listen", "names an address twice")
    is_safe = tls.cert_file is not None and (security.token_file or tls.client_ca_file) is not None
    if is_safe or security.insecure:
        return
    for address in addresses:
        if isinstance(address, TcpAddress) and not address.is_loopback:
            raise SettingError(
                "listen",
                f"{address} is reached from other machines: set tls_cert_file and tls_key_file, with token_file or "
                "tls_client_ca_file, or say --insecure",
            )


def _check_workers(settings: Settings) -> None:
    if settings.listening.workers == 1:
        return
    if settings.storage.store is None:
        raise SettingError(
            "workers",
            "more than one need --store: the embedded store and what it holds in memory belong to one process, and two "
            "would not see each other's changes",
        )
    if any(not isinstance(address, TcpAddress) for address in settings.listening.listen):
        raise SettingError("workers", "more than one share a port, but cannot share a unix socket")
    if settings.storage.restore is not None:
        raise SettingError("restore", "is for one worker: restore first, then begin the others")


def _check_fragments(settings: Settings) -> None:
    fragments, most = settings.fragments, settings.limits.fragments_per_agent
    if not 0 < fragments.ttl <= EXPIRY_NS_MAX / SECOND_NS:
        raise SettingError("fragment_ttl", "must be more than 0, and at most 100 years")
    if fragments.flush_threshold > most:
        raise SettingError("fragment_flush_threshold", f"is never reached: limit_fragments_per_agent is {most}")
