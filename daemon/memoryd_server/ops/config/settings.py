"""Every setting of the daemon. This is the only table: flags, variables, the file's keys and the help come from it.

A setting's name is its group's prefix and its field's name; ``data_dir`` is ``--data-dir``, ``MEMORYD_DATA_DIR`` and
``data_dir`` in the file. Lengths of time are in seconds, sizes in bytes. No setting holds a secret, only its place,
save the password in a store's URL, which is never shown.
"""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from memoryd_server.domain.limit import Limits
from memoryd_server.ops.config.address import Address, TcpAddress
from memoryd_server.ops.config.setting_type import (
    ADDRESSES,
    DURATION,
    ENDPOINT_URL,
    HOSTS,
    NAME,
    PATH,
    SIZE,
    TCP_ADDRESS,
    URL,
    Choice,
    Count,
    SettingType,
    Share,
    Switch,
)

Durability = Literal["synced", "journaled", "memory"]
LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]


class Flag(msgspec.Struct, frozen=True):
    """How a field is set."""

    type: SettingType[Any]
    help: str


class Group(msgspec.Struct, frozen=True):
    """What the names of a group's settings begin with."""

    prefix: str


def default_data_dir() -> Path:
    """Where memory is kept when nothing else is said (freedesktop.org's base directories)."""
    data_home = os.environ.get("XDG_DATA_HOME", "")
    # The specification says to ignore one that is not absolute.
    base = Path(data_home) if data_home.startswith("/") else Path("~/.local/share").expanduser()
    return base / "memoryd"


class Listening(msgspec.Struct, frozen=True, kw_only=True):
    """Where clients come in."""

    listen: Annotated[
        tuple[Address, ...], Flag(ADDRESSES, "Where to listen: HOST:PORT (0: any free port) or unix:PATH; repeatable.")
    ] = (TcpAddress("127.0.0.1", 7600),)
    workers: Annotated[
        int,
        Flag(Count(1), "How many processes serve together, each on a core of its own; more than one need --store."),
    ] = 1
    drain_timeout: Annotated[float, Flag(DURATION, "How long calls may take to end once the daemon is told to.")] = 10.0


class Storage(msgspec.Struct, frozen=True, kw_only=True):
    """Where memory is kept."""

    data_dir: Annotated[
        Path, Flag(PATH, "The directory of the journal and the snapshots; of the snapshots alone with --store.")
    ] = msgspec.field(default_factory=default_data_dir)
    durability: Annotated[
        Durability,
        Flag(
            Choice("synced", "journaled", "memory"),
            "What an acknowledged change survives: a loss of power; a killed process; only what snapshots hold.",
        ),
    ] = "synced"
    store: Annotated[
        str | None,
        Flag(
            URL,
            "Keep memory in Redis or Valkey, where daemons may share it: redis://, rediss://, redis+sentinel:// or "
            "redis+cluster://. A password belongs into the environment.",
        ),
    ] = None
    restore: Annotated[str | None, Flag(NAME, "Begin with this snapshot: its id, or latest.")] = None


class Redis(msgspec.Struct, frozen=True, kw_only=True):
    """How a store in Redis or Valkey is used."""

    prefix: Annotated[str, Flag(NAME, "What the names of all keys begin with: one server may hold several stores.")] = (
        "memoryd"
    )
    shards: Annotated[
        int, Flag(Count(1), "Into how many shards a new store is split; an existing one keeps its own.")
    ] = 64
    replicas: Annotated[int, Flag(Count(), "How many replicas must have a change before it is acknowledged.")] = 0
    timeout: Annotated[float, Flag(DURATION, "How long the server may take before a call is refused.")] = 4.0


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """How far back a watcher may resume."""

    rows_max: Annotated[int, Flag(Count(1), "The most commits that the journal retains.")] = 1_000_000
    age_max: Annotated[float, Flag(DURATION, "How long the journal retains a commit.")] = 7 * 86_400.0


class Snapshots(msgspec.Struct, frozen=True, kw_only=True):
    """When the daemon writes snapshots by itself, and how."""

    on_shutdown: Annotated[
        bool | None,
        Flag(Switch(), "Write a snapshot when the daemon is told to end; by default unless the store is shared."),
    ] = None
    interval: Annotated[float, Flag(DURATION, "Write a snapshot this often; 0: never.")] = 0.0
    keep: Annotated[int, Flag(Count(1), "How many of the snapshots that it wrote by itself the daemon keeps.")] = 5
    key_file: Annotated[Path | None, Flag(PATH, "Encrypt snapshots for the age identity in this file.")] = None


class Fragments(msgspec.Struct, frozen=True, kw_only=True):
    """How long fragments wait, and when they are handed over."""

    ttl: Annotated[float, Flag(DURATION, "How long a fragment lives whose writer does not say.")] = 3_600.0
    flush_threshold: Annotated[
        int, Flag(Count(0), "Flush an agent's fragments once so many are not flushed; 0: only on request.")
    ] = 0
    consolidate: Annotated[
        bool, Flag(Switch(), "Make memories of flushed fragments; without it somebody else leases them and does.")
    ] = False


class Memories(msgspec.Struct, frozen=True, kw_only=True):
    """How long-term memories fade and stay, and when two tell the same."""

    half_life: Annotated[float, Flag(DURATION, "After how long a memory that nobody needs matters half as much.")] = (
        30 * 86_400.0
    )
    access_share: Annotated[
        float, Flag(Share(), "How much of what a memory lacks in salience being recalled may give it.")
    ] = 0.3
    link_share: Annotated[
        float, Flag(Share(), "How much of what a memory lacks in salience its links may give it.")
    ] = 0.2
    archive_below: Annotated[float, Flag(Share(), "Archive memories whose salience falls below this; 0: never.")] = 0.05
    forgotten: Annotated[float, Flag(DURATION, "How long a forgotten memory can be restored.")] = 30 * 86_400.0
    working_ttl: Annotated[
        float, Flag(DURATION, "How long a memory of the type working lives whose writer does not say.")
    ] = 86_400.0
    history: Annotated[float, Flag(DURATION, "How long it is known what a memory was before a change.")] = 30 * 86_400.0
    versions_max: Annotated[int, Flag(Count(), "Of how many changes of a memory that is known at most.")] = 20
    duplicate_words: Annotated[
        float, Flag(Share(), "How much of their words two duplicates share at least (Jaccard).")
    ] = 0.85
    duplicate_cosine: Annotated[
        float, Flag(Share(), "Or how near their vectors are (cosine), if they share half of their words.")
    ] = 0.95
    related_words: Annotated[
        float, Flag(Share(), "How much of their words two memories share at least to be about the same.")
    ] = 0.5
    related_cosine: Annotated[float, Flag(Share(), "Or how near their vectors are (cosine).")] = 0.7


class Embedding(msgspec.Struct, frozen=True, kw_only=True):
    """What makes the vectors by which memories are found by their meaning."""

    embedder: Annotated[
        str,
        Flag(NAME, "What makes vectors: default (in the daemon), none, folder:PATH (of model2vec), or endpoint."),
    ] = "default"
    embedding_url: Annotated[
        str | None,
        Flag(ENDPOINT_URL, "An endpoint like OpenAI's: what comes before /embeddings; for --embedder endpoint."),
    ] = None
    embedding_model: Annotated[str | None, Flag(NAME, "The endpoint's model.")] = None
    embedding_dimensions: Annotated[int | None, Flag(Count(1), "How long the model's vectors are.")] = None
    embedding_shorten: Annotated[
        bool, Flag(Switch(), "Ask the endpoint for vectors of that length, where the model's own are longer.")
    ] = False
    embedding_version: Annotated[
        str | None, Flag(NAME, "Tells vectors apart when the model behind the same name changes.")
    ] = None
    embedding_key_file: Annotated[
        Path | None, Flag(PATH, "The endpoint's API key; else it is taken from MEMORYD_EMBEDDING_API_KEY.")
    ] = None
    embedding_timeout: Annotated[float, Flag(DURATION, "How long the endpoint may take for one attempt.")] = 10.0
    embedding_query_timeout: Annotated[
        float, Flag(DURATION, "How long a recall waits for its query's vector before words must do.")
    ] = 2.0


class Summarizing(msgspec.Struct, frozen=True, kw_only=True):
    """What sums conversations up. Without an endpoint nothing does."""

    summary_url: Annotated[
        str | None,
        Flag(
            ENDPOINT_URL, "What sums conversations up, an endpoint like OpenAI's: what comes before /chat/completions."
        ),
    ] = None
    summary_model: Annotated[str | None, Flag(NAME, "The endpoint's model.")] = None
    summary_key_file: Annotated[
        Path | None, Flag(PATH, "The endpoint's API key; else it is taken from MEMORYD_SUMMARY_API_KEY.")
    ] = None
    summary_timeout: Annotated[float, Flag(DURATION, "How long the endpoint may take for one attempt.")] = 60.0


class Documents(msgspec.Struct, frozen=True, kw_only=True):
    """How documents are made of files, and where they may be fetched from."""

    read_timeout: Annotated[float, Flag(DURATION, "How long a file may take to be read.")] = 30.0
    url_hosts: Annotated[
        tuple[str, ...],
        Flag(
            HOSTS,
            "Fetch documents from this host: example.org, *.example.org (those below it) or example.org:8080; "
            "repeatable. Without any none is fetched.",
        ),
    ] = ()


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """How much is held in memory of what is on disk."""

    agents_max: Annotated[int, Flag(Count(1), "The most agents that are held in memory.")] = 10_000
    bytes_max: Annotated[int, Flag(SIZE, "The most memory that loaded agents take, estimated.")] = 512 * 1024 * 1024


class Tls(msgspec.Struct, frozen=True, kw_only=True):
    """What TCP is encrypted with. A unix socket never is."""

    cert_file: Annotated[Path | None, Flag(PATH, "The server's certificate chain (PEM).")] = None
    key_file: Annotated[Path | None, Flag(PATH, "The certificate's private key (PEM).")] = None
    client_ca_file: Annotated[
        Path | None, Flag(PATH, "Demand a client certificate that one of these authorities (PEM) signed.")
    ] = None


class Security(msgspec.Struct, frozen=True, kw_only=True):
    """Who may call."""

    token_file: Annotated[
        Path | None, Flag(PATH, "Demand a token or certificate that this file knows (see: memoryd token).")
    ] = None
    insecure: Annotated[
        bool,
        Flag(
            Switch(),
            "Allow to listen where others can come in without encryption and authentication, and to send an "
            "endpoint's API key to another machine without encryption.",
        ),
    ] = False


class Logging(msgspec.Struct, frozen=True, kw_only=True):
    """What is logged, to standard error."""

    level: Annotated[LogLevel, Flag(Choice("debug", "info", "warning", "error"), "The least that is logged.")] = "info"
    format: Annotated[LogFormat, Flag(Choice("text", "json"), "Lines of text or of JSON.")] = "text"


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """Where Prometheus reads metrics. They tell counts and times, and nobody is asked for a token."""

    listen: Annotated[TcpAddress | None, Flag(TCP_ADDRESS, "Serve metrics at http://HOST:PORT/metrics.")] = None


LIMIT_HELP = {
    "entries_per_agent": "The most entries of an agent.",
    "entry_bytes": "The largest value of an entry.",
    "fragments_per_agent": "The most fragments of an agent; the oldest make room for newer ones.",
    "fragment_bytes": "The largest content of a fragment.",
    "memories_per_agent": "The most long-term memories of an agent, with what was purged so that it stays out.",
    "memory_bytes": "The largest content of a memory.",
    "notes_per_agent": "The most notes of an agent.",
    "note_bytes": "The largest content of a note.",
    "plans_per_agent": "The most plans of an agent, with those that ended and the templates.",
    "plan_bytes": "The largest plan: all of its texts together.",
    "messages_per_agent": "The most messages of an agent, in all of its conversations.",
    "message_content_bytes": "The largest content of a message of a conversation.",
    "context_tokens": "The context window that is composed for where no other is named, in tokens.",
    "sessions_per_agent": "The most sessions of an agent whose entities are kept.",
    "documents_per_agent": "The most documents of an agent.",
    "document_file_bytes": "The largest file that a document is made of.",
    "document_text_bytes": "The longest text of a document.",
    "scopes_per_agent": "The most active scopes of an agent.",
    "storage_bytes_per_agent": "The most that an agent stores.",
    "concurrent_calls": "The most calls at a time, watches apart.",
    "concurrent_watches": "The most watches at a time.",
    "queued_commands_per_agent": "The most changes of an agent that wait.",
    "snapshot_bytes": "The largest snapshot that is imported.",
}
"""What the fields of domain.limit.Limits are, which knows of no flags."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings. ``Settings()`` has the defaults."""

    listening: Annotated[Listening, Group("")] = msgspec.field(default_factory=Listening)
    storage: Annotated[Storage, Group("")] = msgspec.field(default_factory=Storage)
    redis: Annotated[Redis, Group("redis_")] = msgspec.field(default_factory=Redis)
    journal: Annotated[Journal, Group("journal_")] = msgspec.field(default_factory=Journal)
    snapshots: Annotated[Snapshots, Group("snapshot_")] = msgspec.field(default_factory=Snapshots)
    fragments: Annotated[Fragments, Group("fragment_")] = msgspec.field(default_factory=Fragments)
    memories: Annotated[Memories, Group("memory_")] = msgspec.field(default_factory=Memories)
    embedding: Annotated[Embedding, Group("")] = msgspec.field(default_factory=Embedding)
    summarizing: Annotated[Summarizing, Group("")] = msgspec.field(default_factory=Summarizing)

    documents: Annotated[Documents, Group("document_")] = msgspec.field(default_factory=Documents)
    cache: Annotated[Cache, Group("cache_")] = msgspec.field(default_factory=Cache)
    tls: Annotated[Tls, Group("tls_")] = msgspec.field(default_factory=Tls)
    security: Annotated[Security, Group("")] = msgspec.field(default_factory=Security)
    logging: Annotated[Logging, Group("log_")] = msgspec.field(default_factory=Logging)
    metrics: Annotated[Metrics, Group("metrics_")] = msgspec.field(default_factory=Metrics)
    limits: Annotated[Limits, Group("limit_")] = msgspec.field(default_factory=Limits)
