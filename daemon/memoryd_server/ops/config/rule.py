"""The rules for combinations of settings."""

from pathlib import Path

from memoryd_server.domain.limit import EMBEDDING_DIMENSIONS_MAX, EXPIRY_NS_MAX, SECOND_NS
from memoryd_server.ops.config.address import TcpAddress
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.config.store import factory_of, refused_as
from memoryd_server.ops.error import SettingError
from memoryd_server.ops.limit import PORT_MAX, WORKERS_MAX


def check(settings: Settings) -> None:
    """Check all rules. Raises SettingError for the first that is broken."""
    _check_tls(settings)
    _check_listen(settings)
    _check_store(settings)
    _check_workers(settings)
    _check_fragments(settings)
    _check_memories(settings)
    _check_ingesting(settings)
    _check_embedding(settings)
    _check_summarizing(settings)
    _check_proposing(settings)


def _check_tls(settings: Settings) -> None:
    tls = settings.tls
    if tls.cert_file and not tls.key_file:
        raise SettingError("tls_key_file", "is required with tls_cert_file")
    if tls.key_file and not tls.cert_file:
        raise SettingError("tls_cert_file", "is required with tls_key_file")
    if tls.client_ca_file and not tls.cert_file:
        raise SettingError("tls_client_ca_file", "requires tls_cert_file and tls_key_file")


def _check_listen(settings: Settings) -> None:
    security, tls, addresses = settings.security, settings.tls, settings.listening.addresses
    fixed = [address for address in addresses if not isinstance(address, TcpAddress) or address.port]
    if len(set(fixed)) < len(fixed):
        raise SettingError("listen", "contains an address twice")
    mode = settings.listening.socket_mode
    if mode not in (None, 0o600, 0o660, 0o666):
        raise SettingError("socket_mode", "must be 0600, 0660 (the group, too) or 0666 (all users)")
    is_safe = tls.cert_file is not None and (security.token_file or tls.client_ca_file) is not None
    if is_safe or security.insecure:
        return
    for address in addresses:
        if isinstance(address, TcpAddress) and not address.is_loopback:
            raise SettingError(
                "listen",
                f"{address} is reachable from other machines: set tls_cert_file and tls_key_file, with token_file or "
                "tls_client_ca_file, or --insecure",
            )


def _check_store(settings: Settings) -> None:
    storage = settings.storage
    with refused_as("store"):
        durabilities = factory_of(storage.url).durabilities
    if storage.durability is not None and storage.durability not in durabilities:
        raise SettingError("durability", f"must be one that the store offers: {', '.join(durabilities)}")
    if storage.restore is not None and factory_of(storage.url).is_shared:
        raise SettingError(
            "restore",
            "is not for a store that other daemons may be using: restore into it by `memoryd snapshot restore`",
        )


def _check_workers(settings: Settings) -> None:
    workers, metrics = settings.listening.workers, settings.metrics.listen
    if workers == 1:
        return
    if workers > WORKERS_MAX:
        raise SettingError("workers", f"must be at most {WORKERS_MAX}")
    if metrics is not None and metrics.port and metrics.port + workers - 1 > PORT_MAX:
        raise SettingError("metrics_listen", f"leaves no port for each of {workers} workers: the maximum is {PORT_MAX}")
    if not factory_of(settings.storage.url).is_shared:
        raise SettingError(
            "workers",
            "more than 1 requires a store that processes can share: set --store to a URL such as redis://HOST",
        )
    if any(not isinstance(address, TcpAddress) for address in settings.listening.addresses):
        raise SettingError("workers", "more than 1 cannot share a unix socket, only a port")


def _check_fragments(settings: Settings) -> None:
    fragments, maximum = settings.fragments, settings.limits.fragments_per_agent
    if not 0 < fragments.ttl <= EXPIRY_NS_MAX / SECOND_NS:
        raise SettingError("fragment_ttl", "must be more than 0, and at most 100 years")
    if fragments.flush_threshold > maximum:
        raise SettingError("fragment_flush_threshold", f"must be at most limit_fragments_per_agent, which is {maximum}")


def _check_memories(settings: Settings) -> None:
    memories = settings.memories
    for name in ("half_life", "working_ttl"):
        if not getattr(memories, name):
            raise SettingError(f"memory_{name}", "must be more than 0")
    for name in ("half_life", "working_ttl", "forgotten", "history"):
        if getattr(memories, name) > EXPIRY_NS_MAX / SECOND_NS:
            raise SettingError(f"memory_{name}", "must be at most 100 years")


def _check_ingesting(settings: Settings) -> None:
    if settings.ingesting.ingest_after > EXPIRY_NS_MAX / SECOND_NS:
        raise SettingError("ingest_after", "must be at most 100 years")


def _check_embedding(settings: Settings) -> None:
    embedding = settings.embedding
    if embedding.embedder == "endpoint":
        for name in ("embedding_url", "embedding_model", "embedding_dimensions"):
            if getattr(embedding, name) is None:
                raise SettingError(name, "is required with embedder = endpoint")
        if (embedding.embedding_dimensions or 0) > EMBEDDING_DIMENSIONS_MAX:
            raise SettingError("embedding_dimensions", f"must be at most {EMBEDDING_DIMENSIONS_MAX}")
        if not embedding.embedding_timeout:
            raise SettingError("embedding_timeout", "must be more than 0")
    elif embedding.embedding_url is not None:
        raise SettingError("embedding_url", "requires embedder = endpoint")


def _check_summarizing(settings: Settings) -> None:
    summarizing = settings.summarizing
    url, model, key_file = summarizing.summary_url, summarizing.summary_model, summarizing.summary_key_file
    _check_endpoint("summary", url, model, key_file, summarizing.summary_timeout)


def _check_proposing(settings: Settings) -> None:
    proposing = settings.proposing
    _check_endpoint("ingest", proposing.url, proposing.model, proposing.key_file, proposing.timeout)


def _check_endpoint(prefix: str, url: str | None, model: str | None, key_file: Path | None, timeout: float) -> None:
    if url is not None and model is None:
        raise SettingError(f"{prefix}_model", f"is required with {prefix}_url")
    if url is None:
        for name, value in (("model", model), ("key_file", key_file)):
            if value is not None:
                raise SettingError(f"{prefix}_{name}", f"requires {prefix}_url")
    if not timeout:
        raise SettingError(f"{prefix}_timeout", "must be more than 0")
