"""All settings of the daemon. This is their only table: options, variables, the file's keys and the help come from it.

A setting's name is its group's prefix and its field's name: ``data_dir`` is ``--data-dir``, ``MEMORYD_DATA_DIR`` and
``data_dir`` in the file. Durations are in seconds, sizes in bytes. No setting is a secret, only the path of one, except
for the password in a store's URL, which is never printed.
"""

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from memoryd_server.domain.limit import Limits
from memoryd_server.ops.config.address import Address, TcpAddress
from memoryd_server.ops.config.flag import Flag, Group
from memoryd_server.ops.config.ingesting import Ingesting
from memoryd_server.ops.config.proposing import Proposing
from memoryd_server.ops.config.setting_type import (
    ADDRESSES,
    DURATION,
    ENDPOINT_URL,
    HOSTS,
    NAME,
    ORIGINS,
    PATH,
    SHARE,
    SIZE,
    TCP_ADDRESS,
    URL,
    Choice,
    Count,
    FileMode,
    Switch,
)
from memoryd_server.ports.durability import Durability

LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]


def default_data_dir() -> Path:
    """Return the default data directory, by freedesktop.org's base directory specification."""
    data_home = os.environ.get("XDG_DATA_HOME", "")
    # The specification says that a relative path must be ignored.
    if data_home.startswith("/"):
        return Path(data_home) / "memoryd"
    try:
        return Path("~/.local/share/memoryd").expanduser()
    except RuntimeError:
        # A user without a home, such as a number that a container runs as.
        return Path("/var/lib/memoryd")


class Listening(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses and processes that serve clients."""

    listen: Annotated[
        tuple[Address, ...],
        Flag(ADDRESSES, "Address to serve: HOST:PORT (port 0: any free port) or unix:PATH. Repeatable."),
    ] = (TcpAddress("127.0.0.1", 7600),)
    socket_mode: Annotated[
        int | None,
        Flag(
            FileMode(),
            "Permissions of the unix sockets, such as 0660, to share them on purpose: other users may then also enter "
            "their directories.  [default: 0660 with --socket-group, else 0600 in a directory of mode 0700]",
        ),
    ] = None
    socket_group: Annotated[
        str | None, Flag(NAME, "Group of the unix sockets, by name or number, to share them with its members.")
    ] = None
    transport: Annotated[
        Literal["auto", "front", "grpc"],
        Flag(
            Choice("auto", "front", "grpc"),
            "Server of the connections: front, the front end in Rust, of the package memoryd-front; grpc, the one of "
            "grpcio; auto, the front end where it is installed.",
        ),
    ] = "auto"
    console: Annotated[
        bool,
        Flag(
            Switch(),
            "Serve the console, which shows in a web browser what agents remember, at /console/ of each address. Its "
            "pages hold no data: they ask for a token where calls need one.",
        ),
    ] = False
    http: Annotated[
        TcpAddress | None,
        Flag(TCP_ADDRESS, "One more address, for JSON, Connect, gRPC-Web and events; also without the front end."),
    ] = None
    front_threads: Annotated[int, Flag(Count(1), "Number of threads on which the front end serves connections.")] = 1
    connection_age: Annotated[
        float,
        Flag(
            DURATION,
            "Age at which a client is asked to open a new connection, so that load spreads over new daemons; 0s never.",
        ),
    ] = 0.0
    connection_idle: Annotated[
        float, Flag(DURATION, "Time without calls after which a connection is closed; 0s never.")
    ] = 0.0
    workers: Annotated[
        int, Flag(Count(1), "Number of processes that serve in parallel. More than 1 requires a shared store.")
    ] = 1
    drain_timeout: Annotated[float, Flag(DURATION, "Maximum time for calls in progress to finish after SIGTERM.")] = (
        10.0
    )

    @property
    def addresses(self) -> tuple[Address, ...]:
        """All addresses, that of HTTP last."""
        return self.listen if self.http is None else (*self.listen, self.http)


class Http(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of web pages, curl and Connect."""

    origin: Annotated[
        tuple[str, ...],
        Flag(ORIGINS, "Origin of web pages that may call, such as https://app.example.org; * for any. Repeatable."),
    ] = ()
    host: Annotated[
        tuple[str, ...],
        Flag(
            HOSTS,
            "Name by which web browsers may call a daemon without authentication and TLS, besides IP addresses, "
            "localhost and names without a dot: a page whose own name leads here is refused. Repeatable.",
        ),
    ] = ()


class Security(msgspec.Struct, frozen=True, kw_only=True):
    """Authentication of callers."""

    token_file: Annotated[
        Path | None, Flag(PATH, "Require a token or certificate that this file lists (see memoryd token).")
    ] = None
    insecure: Annotated[
        bool,
        Flag(
            Switch(),
            "Allow what is refused otherwise: a non-loopback --listen without TLS and authentication; a unix socket "
            "in a directory that other users can enter; a data directory that other users can write to; an API key "
            "sent to another machine without TLS.",
        ),
    ] = False


class Tls(msgspec.Struct, frozen=True, kw_only=True):
    """The encryption of TCP connections. Unix sockets are not encrypted."""

    cert_file: Annotated[Path | None, Flag(PATH, "Certificate chain of the server, in PEM.")] = None
    key_file: Annotated[Path | None, Flag(PATH, "Private key of the certificate, in PEM.")] = None
    client_ca_file: Annotated[
        Path | None, Flag(PATH, "Require a client certificate that one of these authorities signed, in PEM.")
    ] = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are set."""
        return tuple(file for file in (self.cert_file, self.key_file, self.client_ca_file) if file is not None)


class Storage(msgspec.Struct, frozen=True, kw_only=True):
    """The store of the agents' memory."""

    data_dir: Annotated[
        Path, Flag(PATH, "Directory of the snapshots, and of the store unless --store names another place.")
    ] = msgspec.field(default_factory=default_data_dir)
    durability: Annotated[
        Durability | None,
        Flag(
            Choice("synced", "journaled", "memory"),
            "Failures that an acknowledged write survives: synced, a killed process and a loss of power; journaled, "
            "a killed process; memory, none, unless a snapshot contains it.  [default: the strongest of the store]",
        ),
    ] = None
    store: Annotated[
        str | None,
        Flag(
            URL,
            "Store of the agents' memory: sqlite (default), sqlite:DIRECTORY or memory, each for one daemon; or "
            "redis://, rediss://, redis+sentinel:// or redis+cluster://, which several daemons can share. Set a URL "
            "with a password in the environment.",
        ),
    ] = None
    restore: Annotated[
        str | None,
        Flag(
            NAME,
            "Restore a snapshot (its id, or latest) before calls are served, if the store is empty. A store that is "
            "not empty stays as it is. Not for a shared store.",
        ),
    ] = None

    @property
    def url(self) -> str:
        """The store's URL, or its scheme alone. The durability ``memory`` selects the store of that name by default."""
        return self.store or ("memory" if self.durability == "memory" else "sqlite")


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """The history from which a watch can resume."""

    rows_max: Annotated[int, Flag(Count(1), "Maximum number of commits in the journal.")] = 1_000_000
    age_max: Annotated[float, Flag(DURATION, "Maximum age of a commit in the journal.")] = 7 * 86_400.0


class Snapshots(msgspec.Struct, frozen=True, kw_only=True):
    """The snapshots that the daemon writes automatically."""

    on_shutdown: Annotated[
        bool | None,
        Flag(Switch(), "Write a snapshot at shutdown.  [default: true, or false with a shared store]"),
    ] = None
    interval: Annotated[float, Flag(DURATION, "Interval of automatic snapshots; 0s disables them.")] = 0.0
    keep: Annotated[int, Flag(Count(1), "Number of automatic snapshots to keep.")] = 5
    key_file: Annotated[
        Path | None,
        Flag(
            PATH,
            "Encrypt snapshots with the key in this identity file of the tool age (see memoryd snapshot keygen).  "
            "[default: not encrypted]",
        ),
    ] = None


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """The agents that are held in memory."""

    agents_max: Annotated[
        int, Flag(Count(1), "Maximum number of agents loaded into RAM. Beyond it, idle ones are evicted.")
    ] = 10_000
    bytes_max: Annotated[
        int, Flag(SIZE, "Maximum estimated size of the agents loaded into RAM. Beyond it, idle ones are evicted.")
    ] = 512 * 1024 * 1024


class Logging(msgspec.Struct, frozen=True, kw_only=True):
    """The log, on standard error."""

    level: Annotated[LogLevel, Flag(Choice("debug", "info", "warning", "error"), "Minimum level to log.")] = "info"
    format: Annotated[LogFormat, Flag(Choice("text", "json"), "Format of a log line.")] = "text"
    slow: Annotated[
        float,
        Flag(DURATION, "Log calls that take longer, unless they wait for others; 0s logs none."),
    ] = 0.0


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """The audit log: who did what to which agent, and who was denied. It never contains a content or a value."""

    log: Annotated[
        Path | None,
        Flag(
            PATH,
            "Append a record of each call that changes, removes or exports something, administers the daemon, or is "
            "denied, to this file as a line of JSON; /dev/stdout for standard output.  [default: no audit]",
        ),
    ] = None
    reads: Annotated[bool, Flag(Switch(), "Append a record of each read and watch, too.")] = False


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """The address of the metrics for Prometheus. They contain counts and durations, and require no token."""

    listen: Annotated[TcpAddress | None, Flag(TCP_ADDRESS, "Serve Prometheus metrics at http://HOST:PORT/metrics.")] = (
        None
    )


class Fragments(msgspec.Struct, frozen=True, kw_only=True):
    """The buffer of fragments, and their consolidation."""

    ttl: Annotated[float, Flag(DURATION, "Default time to live of a fragment.")] = 3_600.0
    flush_threshold: Annotated[
        int, Flag(Count(0), "Number of unflushed fragments at which all fragments of an agent are flushed; 0 disables.")
    ] = 0
    consolidate: Annotated[
        bool,
        Flag(Switch(), "Consolidate flushed fragments into memories. Otherwise, clients lease and consolidate them."),
    ] = False


class Memories(msgspec.Struct, frozen=True, kw_only=True):
    """The lifetime of long-term memories, and the detection of duplicates."""

    half_life: Annotated[float, Flag(DURATION, "Half-life of a memory's salience when it is never recalled.")] = (
        30 * 86_400.0
    )
    access_share: Annotated[
        float,
        Flag(
            SHARE,
            "Maximum effect of recalls on salience: share of the gap between a memory's initial salience (the mean of "
            "its importance and confidence) and 1.",
        ),
    ] = 0.3
    link_share: Annotated[
        float,
        Flag(
            SHARE,
            "Maximum effect of links on salience: share of the gap between a memory's initial salience (the mean of "
            "its importance and confidence) and 1.",
        ),
    ] = 0.2
    archive_below: Annotated[float, Flag(SHARE, "Archive memories whose salience is below this; 0 disables.")] = 0.05
    forgotten: Annotated[float, Flag(DURATION, "Time for which a forgotten memory can be restored.")] = 30 * 86_400.0
    working_ttl: Annotated[float, Flag(DURATION, "Default time to live of a memory of the type working.")] = 86_400.0
    history: Annotated[float, Flag(DURATION, "Time for which earlier versions of a memory are kept.")] = 30 * 86_400.0
    versions_max: Annotated[int, Flag(Count(), "Maximum number of earlier versions kept per memory.")] = 20
    duplicate_words: Annotated[
        float,
        Flag(
            SHARE,
            "Minimum share of common words (Jaccard) of duplicates. They must also have the same words in the same "
            "order, apart from fillers.",
        ),
    ] = 0.85
    duplicate_cosine: Annotated[
        float,
        Flag(
            SHARE,
            "Minimum cosine similarity of duplicates whose share of common words is lower. They must also have the "
            "same words in the same order, apart from fillers.",
        ),
    ] = 0.95
    related_words: Annotated[
        float, Flag(SHARE, "Share of common words (Jaccard) at which two memories are related.")
    ] = 0.5
    related_cosine: Annotated[float, Flag(SHARE, "Cosine similarity at which two memories are related.")] = 0.7


class Embedding(msgspec.Struct, frozen=True, kw_only=True):
    """The models of recall: one makes the vectors that it compares, one scores its best matches."""

    embedder: Annotated[
        str, Flag(NAME, "Embedding model: default (built in), none, folder:PATH (a model2vec model), or endpoint.")
    ] = "default"
    embedding_url: Annotated[
        str | None,
        Flag(
            ENDPOINT_URL,
            "Base URL of an OpenAI-compatible embeddings API (without /embeddings), for --embedder endpoint.",
        ),
    ] = None
    embedding_model: Annotated[str | None, Flag(NAME, "Name of the model in the embeddings API.")] = None
    embedding_dimensions: Annotated[
        int | None, Flag(Count(1), "Number of dimensions of the embedding model's vectors.")
    ] = None
    embedding_shorten: Annotated[
        bool, Flag(Switch(), "Request vectors of --embedding-dimensions from a model that has more.")
    ] = False
    embedding_version: Annotated[
        str | None, Flag(NAME, "Version of the embedding model. Change it when the model behind its name changes.")
    ] = None
    embedding_key_file: Annotated[
        Path | None,
        Flag(PATH, "File with the key of the embeddings API.  [default: the variable MEMORYD_EMBEDDING_API_KEY]"),
    ] = None
    embedding_timeout: Annotated[float, Flag(DURATION, "Maximum duration of one request to the embeddings API.")] = 10.0
    embedding_query_timeout: Annotated[
        float, Flag(DURATION, "Maximum time that a recall waits for its query's vector; then it compares words only.")
    ] = 2.0
    rerank: Annotated[
        bool,
        Flag(
            Switch(),
            "Score the best matches of a recall or a search in documents again, by a fitted model: a score is then a "
            "probability.",
        ),
    ] = True


class Summarizing(msgspec.Struct, frozen=True, kw_only=True):
    """The model that summarizes conversations. Without a URL, there is none."""

    summary_url: Annotated[
        str | None,
        Flag(
            ENDPOINT_URL,
            "Base URL of an OpenAI-compatible API used to summarize conversations (without /chat/completions).",
        ),
    ] = None
    summary_model: Annotated[str | None, Flag(NAME, "Name of the model that summarizes conversations.")] = None
    summary_key_file: Annotated[
        Path | None,
        Flag(PATH, "File with the key of the API for summaries.  [default: the variable MEMORYD_SUMMARY_API_KEY]"),
    ] = None
    summary_timeout: Annotated[float, Flag(DURATION, "Maximum duration of one request for a summary.")] = 60.0


class Documents(msgspec.Struct, frozen=True, kw_only=True):
    """The extraction of text from files, and the hosts to fetch files from."""

    read_timeout: Annotated[float, Flag(DURATION, "Maximum time to extract the text of a file.")] = 30.0
    url_hosts: Annotated[
        tuple[str, ...],
        Flag(
            HOSTS,
            "Host from which documents may be fetched: example.org, *.example.org (its subdomains) or "
            "example.org:8080. Repeatable.  [default: none]",
        ),
    ] = ()
    url_private: Annotated[
        tuple[str, ...],
        Flag(
            HOSTS,
            "Host from which documents may be fetched even if its address is private or this machine's, written as for "
            "--document-url-hosts. Repeatable.  [default: none]",
        ),
    ] = ()


LIMIT_HELP = {
    "entries_per_agent": "Maximum number of entries per agent.",
    "entry_bytes": "Maximum size of an entry's value.",
    "fragments_per_agent": "Maximum number of fragments per agent. Beyond it, the oldest are evicted.",
    "fragment_bytes": "Maximum size of a fragment's content.",
    "memories_per_agent": "Maximum number of memories per agent, counting the blocked contents of purged ones.",
    "memory_bytes": "Maximum size of a memory's content.",
    "memory_proposals_per_agent": "Maximum number of proposals of memories that wait for a review, per agent.",
    "notes_per_agent": "Maximum number of notes per agent.",
    "note_bytes": "Maximum size of a note's content.",
    "plans_per_agent": "Maximum number of plans per agent, counting templates and completed or replaced plans.",
    "plan_bytes": "Maximum size of all texts of a plan.",
    "conversations_per_agent": "Maximum number of conversations per agent.",
    "messages_per_agent": "Maximum number of messages per agent, in all conversations.",
    "message_content_bytes": "Maximum size of a message's content.",
    "context_tokens": "Token budget of a context whose caller names none. It is not a maximum.",
    "context_reserve_tokens": "Tokens that a context leaves free whose caller names no budget: at most a quarter.",
    "entity_windows_per_agent": "Maximum number of conversations with a window of entities per agent.",
    "documents_per_agent": "Maximum number of documents per agent.",
    "document_file_bytes": "Maximum size of a document's file.",
    "document_text_bytes": "Maximum size of a document's text.",
    "scopes_per_agent": "Maximum number of active scopes per agent.",
    "storage_bytes_per_agent": "Maximum size of all records of an agent.",
    "concurrent_calls": "Maximum number of concurrent calls, not counting waits, transfers and watches.",
    "concurrent_calls_per_caller": "Maximum number of concurrent calls of one caller (token, certificate; else "
    "connection).",
    "concurrent_waits": "Maximum number of concurrent calls that wait for other callers.",
    "concurrent_waits_per_caller": "Maximum number of concurrent waits of one caller.",
    "concurrent_transfers": "Maximum number of files that are uploaded, imported or exported at a time.",
    "concurrent_transfers_per_caller": "Maximum number of concurrent transfers of one caller.",
    "concurrent_watches": "Maximum number of concurrent watches.",
    "concurrent_watches_per_caller": "Maximum number of concurrent watches of one caller.",
    "concurrent_probes": "Maximum number of concurrent calls of health, reflection and GetServerInfo.",
    "concurrent_probes_per_caller": "Maximum number of concurrent probes of one caller.",
    "request_bytes": "Maximum size of all large requests that are arriving or in progress.",
    "request_bytes_per_caller": "Maximum size of one caller's large requests that are arriving or in progress.",
    "response_bytes": "Maximum size of all large responses that clients have not read yet.",
    "response_bytes_per_caller": "Maximum size of one caller's large responses that it has not read yet.",
    "connections": "Maximum number of connections to each address.",
    "watch_bytes": "Memory of all watches together. Beyond it, slow ones wait, and continue from the journal.",
    "concurrent_operations": "Maximum number of operations that run at a time.",
    "concurrent_operations_per_caller": "Maximum number of one caller's operations that run at a time.",
    "queued_commands_per_agent": "Maximum number of queued changes per agent.",
    "snapshot_bytes": "Maximum size of an imported snapshot.",
}
"""The help of the fields of domain.limit.Limits, which knows no options."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings by group. ``Settings()`` has the defaults."""

    listening: Annotated[Listening, Group("Listening")] = msgspec.field(default_factory=Listening)
    http: Annotated[Http, Group("HTTP", "http_")] = msgspec.field(default_factory=Http)
    security: Annotated[Security, Group("Access")] = msgspec.field(default_factory=Security)
    tls: Annotated[Tls, Group("TLS", "tls_")] = msgspec.field(default_factory=Tls)
    storage: Annotated[Storage, Group("Storage")] = msgspec.field(default_factory=Storage)
    journal: Annotated[Journal, Group("Journal", "journal_")] = msgspec.field(default_factory=Journal)
    snapshots: Annotated[Snapshots, Group("Snapshots", "snapshot_")] = msgspec.field(default_factory=Snapshots)
    cache: Annotated[Cache, Group("Cache", "cache_")] = msgspec.field(default_factory=Cache)
    logging: Annotated[Logging, Group("Log", "log_")] = msgspec.field(default_factory=Logging)
    audit: Annotated[Audit, Group("Audit", "audit_")] = msgspec.field(default_factory=Audit)
    metrics: Annotated[Metrics, Group("Metrics", "metrics_")] = msgspec.field(default_factory=Metrics)
    fragments: Annotated[Fragments, Group("Fragments", "fragment_")] = msgspec.field(default_factory=Fragments)
    memories: Annotated[Memories, Group("Memories", "memory_")] = msgspec.field(default_factory=Memories)
    ingesting: Annotated[Ingesting, Group("Ingestion")] = msgspec.field(default_factory=Ingesting)
    embedding: Annotated[Embedding, Group("Embedding")] = msgspec.field(default_factory=Embedding)
    summarizing: Annotated[Summarizing, Group("Summaries")] = msgspec.field(default_factory=Summarizing)
    proposing: Annotated[Proposing, Group("Memories of conversations", "ingest_")] = msgspec.field(
        default_factory=Proposing
    )
    documents: Annotated[Documents, Group("Documents", "document_")] = msgspec.field(default_factory=Documents)
    limits: Annotated[Limits, Group("Limits", "limit_")] = msgspec.field(default_factory=Limits)

    @property
    def is_open(self) -> bool:
        """True if nobody has to authenticate."""
        return self.security.token_file is None and self.tls.client_ca_file is None
