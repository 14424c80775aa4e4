from pathlib import Path

import msgspec
import pytest

from memoryd_server.domain.limit import Limits
from memoryd_server.ops.config.address import TcpAddress, UnixAddress
from memoryd_server.ops.config.proposing import Proposing
from memoryd_server.ops.config.rule import check
from memoryd_server.ops.config.settings import (
    Embedding,
    Fragments,
    Listening,
    Memories,
    Metrics,
    Security,
    Settings,
    Storage,
    Summarizing,
    Tls,
)
from memoryd_server.ops.error import SettingError

ANYWHERE = Listening(listen=(TcpAddress("127.0.0.1", 1), TcpAddress("0.0.0.0", 2)))
CERTIFICATE = Tls(cert_file=Path("/c"), key_file=Path("/k"))
MUTUAL = Tls(cert_file=Path("/c"), key_file=Path("/k"), client_ca_file=Path("/a"))
TOKENS = Security(token_file=Path("/t"))


def test_the_defaults_are_allowed() -> None:
    check(Settings())


@pytest.mark.parametrize(
    ("tls", "security"),
    [(Tls(), Security()), (CERTIFICATE, Security()), (Tls(), TOKENS)],
    ids=["open", "encrypted only", "tokens in clear text"],
)
def test_an_address_beyond_loopback_needs_encryption_and_authentication(tls: Tls, security: Security) -> None:
    with pytest.raises(SettingError, match=r"listen: 0\.0\.0\.0:2 .* --insecure"):
        check(Settings(listening=ANYWHERE, tls=tls, security=security))


@pytest.mark.parametrize(
    ("tls", "security"),
    [(CERTIFICATE, TOKENS), (MUTUAL, Security()), (Tls(), Security(insecure=True))],
    ids=["tokens", "client certificates", "insecure on purpose"],
)
def test_an_address_beyond_loopback_is_allowed_with_both(tls: Tls, security: Security) -> None:
    check(Settings(listening=ANYWHERE, tls=tls, security=security))


def test_unix_and_loopback_need_nothing() -> None:
    check(Settings(listening=Listening(listen=(UnixAddress(Path("/x")), TcpAddress("::1", 0)))))


@pytest.mark.parametrize(
    ("tls", "missing"),
    [
        (Tls(cert_file=Path("/c")), "tls_key_file"),
        (Tls(key_file=Path("/k")), "tls_cert_file"),
        (Tls(client_ca_file=Path("/a")), "tls_client_ca_file"),
    ],
)
def test_certificate_and_key_come_together(tls: Tls, missing: str) -> None:
    with pytest.raises(SettingError) as refused:
        check(Settings(tls=tls))
    assert refused.value.setting == missing


def test_an_address_is_named_once_unless_its_port_is_any() -> None:
    twice = TcpAddress("127.0.0.1", 5)
    with pytest.raises(SettingError, match="twice"):
        check(Settings(listening=Listening(listen=(twice, twice))))
    any_port = TcpAddress("127.0.0.1", 0)
    check(Settings(listening=Listening(listen=(any_port, any_port))))


SHARED = Storage(store="redis://127.0.0.1")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(listening=Listening(workers=2)), "workers: more than 1 requires a store that processes can share"),
        (
            Settings(listening=Listening(workers=2), storage=Storage(store="memory")),
            "workers: more than 1 requires a store that processes can share",
        ),
        (
            Settings(listening=Listening(workers=2, listen=(UnixAddress(Path("/x")),)), storage=SHARED),
            "workers: .* cannot share a unix socket",
        ),
        (Settings(listening=Listening(workers=257), storage=SHARED), "workers: must be at most 256"),
        (
            Settings(
                listening=Listening(workers=3), storage=SHARED, metrics=Metrics(listen=TcpAddress("127.0.0.1", 65_534))
            ),
            "metrics_listen: leaves no port for each of 3 workers",
        ),
    ],
    ids=["embedded", "memory", "unix", "workers", "metrics"],
)
def test_what_workers_cannot_do_is_refused_with_the_reason(settings: Settings, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        check(settings)


@pytest.mark.parametrize(
    ("storage", "message"),
    [
        (Storage(store="mongodb://me:secret@h"), "store: must begin with the scheme of an installed store: memory, re"),
        (Storage(store="secret"), "store: must begin with the scheme of an installed store"),
        (Storage(store="memory", durability="synced"), "durability: must be one that the store offers: memory"),
        (Storage(store="sqlite", durability="memory"), "durability: .* offers: synced, journaled"),
        (Storage(store="redis://h", restore="latest"), "restore: is not for a store that other daemons may be using"),
    ],
)
def test_what_no_store_offers_is_refused_without_what_may_be_a_password(storage: Storage, message: str) -> None:
    with pytest.raises(SettingError, match=message) as refused:
        check(Settings(storage=storage))
    assert "secret" not in refused.value.message


@pytest.mark.parametrize(
    "storage",
    [
        Storage(durability="memory"),
        Storage(durability="journaled"),
        Storage(store="memory"),
        Storage(store="sqlite:/srv/memory"),
        Storage(store="REDIS://h", durability="memory"),
    ],
)
def test_each_store_is_allowed_with_what_it_offers(storage: Storage) -> None:
    check(Settings(storage=storage))


def test_workers_may_share_a_store() -> None:
    check(Settings(listening=Listening(workers=256), storage=SHARED))
    last_ports = Metrics(listen=TcpAddress("127.0.0.1", 65_534))
    check(Settings(listening=Listening(workers=2), storage=SHARED, metrics=last_ports))


@pytest.mark.parametrize(
    ("fragments", "setting"),
    [
        (Fragments(ttl=0), "fragment_ttl"),
        (Fragments(ttl=1e11), "fragment_ttl"),
        (Fragments(flush_threshold=6), "fragment_flush_threshold"),
    ],
)
def test_fragments_live_for_a_while_and_a_threshold_can_be_reached(fragments: Fragments, setting: str) -> None:
    with pytest.raises(SettingError) as refused:
        check(Settings(fragments=fragments, limits=Limits(fragments_per_agent=5)))
    assert refused.value.setting == setting
    check(Settings(fragments=Fragments(ttl=0.001, flush_threshold=5), limits=Limits(fragments_per_agent=5)))


@pytest.mark.parametrize(
    ("memories", "setting"),
    [
        (Memories(half_life=0), "memory_half_life"),
        (Memories(working_ttl=0), "memory_working_ttl"),
        (Memories(half_life=1e11), "memory_half_life"),
        (Memories(working_ttl=1e11), "memory_working_ttl"),
        (Memories(forgotten=1e11), "memory_forgotten"),
        (Memories(history=1e11), "memory_history"),
    ],
)
def test_memories_fade_and_stay_for_a_while(memories: Memories, setting: str) -> None:
    with pytest.raises(SettingError) as refused:
        check(Settings(memories=memories))
    assert refused.value.setting == setting
    check(Settings(memories=Memories(half_life=0.001, working_ttl=0.001, forgotten=0, history=0)))


ENDPOINT = Embedding(
    embedder="endpoint", embedding_url="http://127.0.0.1/v1", embedding_model="m", embedding_dimensions=4_096
)


@pytest.mark.parametrize(
    ("changed", "setting"),
    [
        ({"embedding_url": None}, "embedding_url"),
        ({"embedding_model": None}, "embedding_model"),
        ({"embedding_dimensions": None}, "embedding_dimensions"),
        ({"embedding_dimensions": 4_097}, "embedding_dimensions"),
        ({"embedding_timeout": 0.0}, "embedding_timeout"),
        ({"embedder": "default"}, "embedding_url"),
        ({"embedder": "none"}, "embedding_url"),
    ],
)
def test_an_endpoint_has_all_of_its_settings_or_none(changed: dict[str, object], setting: str) -> None:
    check(Settings(embedding=ENDPOINT))
    with pytest.raises(SettingError) as refused:
        check(Settings(embedding=msgspec.structs.replace(ENDPOINT, **changed)))
    assert refused.value.setting == setting


SUMMARIZING = Summarizing(summary_url="http://127.0.0.1/v1", summary_model="m", summary_key_file=Path("/key"))


@pytest.mark.parametrize(
    ("changed", "setting"),
    [
        ({"summary_model": None}, "summary_model"),
        ({"summary_timeout": 0.0}, "summary_timeout"),
        ({"summary_url": None}, "summary_model"),
        ({"summary_url": None, "summary_model": None}, "summary_key_file"),
    ],
)
def test_a_summarizer_has_all_of_its_settings_or_none(changed: dict[str, object], setting: str) -> None:
    check(Settings(summarizing=SUMMARIZING))
    with pytest.raises(SettingError) as refused:
        check(Settings(summarizing=msgspec.structs.replace(SUMMARIZING, **changed)))
    assert refused.value.setting == setting


PROPOSING = Proposing(url="http://127.0.0.1/v1", model="m", key_file=Path("/key"))


@pytest.mark.parametrize(
    ("changed", "setting"),
    [
        ({"model": None}, "ingest_model"),
        ({"timeout": 0.0}, "ingest_timeout"),
        ({"url": None}, "ingest_model"),
        ({"url": None, "model": None}, "ingest_key_file"),
    ],
)
def test_a_proposer_has_all_of_its_settings_or_none(changed: dict[str, object], setting: str) -> None:
    check(Settings(proposing=PROPOSING))
    with pytest.raises(SettingError) as refused:
        check(Settings(proposing=msgspec.structs.replace(PROPOSING, **changed)))
    assert refused.value.setting == setting
