"""The promises of the contract: sizes, numbers and durations that a client can rely on.

``Limits`` has those that an operator may set; clients see their names in ``ErrorInfo.metadata["limit"]`` and in
``GetServerInfoResponse.limits``. The constants are the same at every daemon.

A constant's unit is in its name: BYTES are bytes of UTF-8, NS nanoseconds; any other name counts what it names. Bounds
that no client can rely on are in ``engine.limit``, in ``transport.limit``, and in the ``limit`` module of each adapter.
"""

import msgspec

# Units of time.

MILLISECOND_NS = 1_000_000
SECOND_NS = 1_000 * MILLISECOND_NS
DAY_NS = 86_400 * SECOND_NS

# Agents and calls.

AGENT_ID_BYTES_MAX = 256
"""Maximum size of an agent's id, which is in every key of a store and in most log lines."""
ORIGIN_BYTES_MAX = 128
"""Maximum size of an origin: a client's name, which each of its events carries."""
REQUEST_ID_BYTES_MAX = 128
"""Maximum size of a request id: a UUID, with room for a prefix."""
REQUESTS_REMEMBERED_MAX = 1_000
"""Maximum number of request ids that are remembered per agent, with their results."""
REQUESTS_REMEMBERED_NS_MAX = 600 * SECOND_NS
"""Maximum age of a remembered request id: longer than clients retry."""
REQUESTS_REMEMBERED_BYTES_MAX = 4 * 1024 * 1024
"""Maximum size of the results that are remembered per agent."""
METHOD_CHARS_MAX = 256
"""Length at which an error cuts the path of a method that does not exist."""
NAMED_SCOPES_MAX = 3
"""Maximum number of scopes that an error names."""
NAMED_CHARS_MAX = 64
"""Length at which an error cuts the name of a scope."""
STALENESS_NS_MAX = DAY_NS
"""Maximum age that a read may accept for an answer without asking a shared store."""
EXPIRY_NS_MAX = 100 * 366 * DAY_NS
"""Maximum time to live: a hundred years, within 64 bits of nanoseconds."""
WAIT_NS_DEFAULT = 30 * SECOND_NS
"""Time for which a call waits for a reservation or a lease by default."""
WAIT_NS_MAX = 60 * SECOND_NS
"""Maximum time for which a call waits: proxies close connections that are silent for longer."""
LEASE_NS_MIN = 100 * MILLISECOND_NS
"""Minimum duration of a lease or reservation: a shorter one could end before its holder receives it."""
LEASE_NS_DEFAULT = 30 * SECOND_NS
"""Duration of a lease of fragments by default."""
RESERVATION_NS_DEFAULT = 10 * SECOND_NS
"""Duration of a reservation by default: so long do others wait for a holder that died. One that lives renews it."""
LEASE_NS_MAX = 600 * SECOND_NS
"""Maximum duration of a lease or reservation: after this, others can take over from a holder that died."""

# Pages and streams.

PAGE_SIZE_DEFAULT = 100
"""Number of items per page by default."""
PAGE_SIZE_MAX = 1_000
"""Maximum number of items per page."""
REPEATS_MAX = 10_000
"""Maximum number of elements of a repeated field in which repeats are dropped, the repeats included."""
PAGE_BYTES_MAX = 2 * 1024 * 1024
"""Size at which a page or a watch message is closed; well below the 4 MiB that gRPC clients accept by default."""
PREVIOUS_BYTES_MAX = 768 * 1024
"""Maximum size of the records before the changes that one response with events contains: beside a page, and a record
of maximum size at its end, they stay below those 4 MiB."""
TOKEN_BYTES_MAX = 16 * 1024
"""Maximum size of a page token or a resume token, which may name every shard."""
SHARDS_MAX = 512
"""Maximum number of a store's shards, bounded because a resume token may have to name all of them."""
REMOVAL_BYTES_MAX = 64 * 1024
"""Maximum size of what a removal writes for each record that it deletes. A full store accepts removals only."""
STREAM_PIECE_BYTES_MAX = 1024 * 1024
"""Maximum size of the pieces in which a snapshot or a file is streamed."""
SNAPSHOT_ID_BYTES_MAX = 100
"""Maximum size of a snapshot's id, which is the name of a file."""
SNAPSHOT_LABEL_BYTES_MAX = 256
"""Maximum size of a snapshot's label."""

# Watches.

FILTERS_MAX = 16
"""Maximum number of filters of a watch."""
FILTER_TERMS_MAX = 256
"""Maximum number of ids, such as those of agents, scopes or users, or of event types per filter."""
FILTER_NAMES_MAX = 64
"""Maximum number of names, such as types, per condition of a filter."""
FILTER_DEPTH_MAX = 4
"""Maximum depth of filters in each other, the outermost included."""
FILTERS_NESTED_MAX = 64
"""Maximum number of filters in each other, the outermost included."""
FILTER_CONDITIONS_MAX = 16
"""Maximum number of conditions on metadata per filter."""
FILTER_CONDITIONS_TOGETHER_MAX = 64
"""Maximum number of conditions on metadata of a filter and all that are nested in it."""
FILTER_PATH_BYTES_MAX = 1_024
"""Maximum size of a path into metadata, and of a text that bounds a range."""
FILTER_PATH_KEYS_MAX = 16
"""Maximum number of keys of a path into metadata."""
FILTER_VALUE_BYTES_MAX = 4_096
"""Maximum size of the values that one condition compares metadata with, as JSON."""
FILTER_VALUES_MAX = 256
"""Maximum number of the values that one condition compares metadata with."""
PROGRESS_INTERVAL_NS_MIN = 100 * MILLISECOND_NS
"""Minimum interval of progress messages, so that they cost little."""
PROGRESS_INTERVAL_NS_DEFAULT = 30 * SECOND_NS
"""Interval of progress messages by default."""
PROGRESS_INTERVAL_NS_MAX = 3_600 * SECOND_NS
"""Maximum interval of progress messages, and so the maximum age of an idle watch's resume token."""

# Entries and scopes.

KEY_BYTES_MAX = 1_024
"""Maximum size of an entry's key, which each of its events carries."""
SCOPE_NAME_BYTES_MAX = 256
"""Maximum size of a scope's name."""
SCOPE_IDLE_TTL_NS_MIN = SECOND_NS
"""Minimum time without use after which a scope is disposed: a scope in use is renewed several times in that time."""
TYPE_NAME_BYTES_MAX = 256
"""Maximum size of the name of a value's type, such as a class name."""
TAG_BYTES_MAX = 256
"""Maximum size of a tag."""
TAGS_MAX = 64
"""Maximum number of tags per record."""
ALIAS_BYTES_MAX = 256
"""Maximum size of an alias."""
ALIASES_MAX = 32
"""Maximum number of aliases per memory: each is searched like its content."""
METADATA_BYTES_MAX = 64 * 1024
"""Maximum size of the metadata of a record, such as an entry or a message, as JSON."""
IMPORTANCE_DEFAULT = 0.5
"""Importance, from 0 to 1, of a record that is written without one."""
BATCH_KEYS_MAX = 1_000
"""Maximum number of keys per BatchGetEntries."""
BATCH_OPERATIONS_MAX = 1_000
"""Maximum number of operations per BatchWriteEntries, which share one revision."""
WRITES_PER_COMMIT_MAX = 1_000
"""Maximum number of writes per Commit, where each item of a batch counts as one."""
EVENTS_PER_COMMIT_MAX = 10_000
"""Maximum number of events of a Commit before its last write, so that no commit occupies the daemon for seconds."""
DISPOSED_SCOPES_REMEMBERED_MAX = 1_000
"""Maximum disposed scopes that an agent remembers, so that late calls get SCOPE_DISPOSED, not RECORD_NOT_FOUND."""
EXPIRED_ENTRIES_PER_SWEEP_MAX = 1_000
"""Maximum number of expired entries that one revision removes. The next revision removes the others."""

# Further agents.

FURTHER_AGENTS_MAX = 16
"""Maximum number of further agents whose records a recall or a search reads."""

# Forgetting of users.

ERASED_PATHS_MAX = 1_000
"""Maximum number of removed records that an erasure lists besides those that its request names. More are found
by their events."""
FORGOTTEN_RECORDS_TOGETHER_MAX = 1_000
"""Number of records of a forgotten user after which a revision removes no more. The next revision continues. One scope,
conversation or document is always removed with all that belongs to it."""

# Fragments.

FRAGMENT_TYPE_BYTES_MAX = 256
"""Maximum size of the name of a fragment's type."""
PARTICIPANT_BYTES_MAX = 256
"""Maximum size of a participant's name."""
PARTICIPANTS_MAX = 64
"""Maximum number of participants per fragment."""
CAUSE_BYTES_MAX = 1_024
"""Maximum size of one element of a causal chain."""
CAUSES_MAX = 64
"""Maximum length of a fragment's causal chain."""
SOURCES_MAX = 64
"""Maximum number of sources per fragment."""
SOURCES_BYTES_MAX = 64 * 1024
"""Maximum size of all sources of a fragment, as JSON."""
FRAGMENTS_PER_CALL_DEFAULT = 100
"""Number of fragments that a call lists, finds or leases by default."""
FRAGMENTS_PER_CALL_MAX = 1_000
"""Maximum number of fragments that a call lists, finds or leases."""
FRAGMENT_TTL_NS_DEFAULT = 3_600 * SECOND_NS
"""Time to live of fragments that neither their writer, nor their agent, nor the daemon's settings give another."""
EXPIRED_FRAGMENTS_PER_SWEEP_MAX = 1_000
"""Maximum number of expired fragments that one revision removes. The next revision removes the others."""

# Long-term memories.

RECORD_ID_BYTES_MAX = 128
"""Maximum size of the id of a memory, a note, a plan or a document. It has room for ids of other systems."""
USER_ID_BYTES_MAX = 256
"""Maximum size of the id of a record's user."""
PROJECT_ID_BYTES_MAX = 256
"""Maximum size of the id of a memory's project."""
LEARNING_CONTEXT_BYTES_MAX = 1_024
"""Maximum size of the statement how a memory was learned."""
LINKS_PER_DRAFT_MAX = 64
"""Maximum number of links that a memory is created with."""
LINKS_PER_MEMORY_MAX = 1_000
"""Maximum number of links of a memory, in both directions."""
SUPERSEDING_LINKS_MAX = 256
"""Maximum number of links that are followed, from each end, to know that memories do not supersede themselves."""
CONFIDENCES_KEPT_MAX = 100
"""Maximum number of earlier confidences that a memory keeps, the newest ones."""
MEMORIES_PER_BATCH_MAX = 1_000
"""Maximum number of memories per BatchCreateMemories, BatchGetMemories and BatchForgetMemories, and of proposals that a
call creates, accepts or rejects."""
MODEL_BYTES_MAX = 256
"""Maximum size of a model's name."""
EMBEDDING_DIMENSIONS_MAX = 4_096
"""Maximum length of a vector: that of today's largest models, 16 KiB."""
REEMBEDDED_DEFAULT = 100
"""Number of memories that one call embeds again by default."""
REEMBEDDED_MAX = 1_000
"""Maximum number of memories that one call embeds again: more could exceed its deadline."""
QUERY_BYTES_MAX = 4_096
"""Maximum size of a query in words."""
MATCHES_DEFAULT = 10
"""Number of memories or chunks that a search returns by default."""
MATCHES_MAX = 100
"""Maximum number of memories or chunks that a search returns."""
DUE_MEMORIES_PER_SWEEP_MAX = 1_000
"""Maximum number of memories that one revision archives or removes. The next revision continues."""
DUE_MEMORY_BYTES_PER_SWEEP_MAX = 4 * 1024 * 1024
"""Bytes of memories after which a sweep stops archiving: each is written again with its event and as a version."""

# Notes and plans.

TIER_BYTES_MAX = 64
"""Maximum size of the name of a tier."""
DISPLAY_NAME_BYTES_MAX = 256
"""Maximum size of the name of an agent for people."""
TITLE_BYTES_MAX = 1_024
"""Maximum size of the title of a note or a document."""
NOTEBOOK_BYTES_MAX = 256
"""Maximum size of the name of a notebook, which keeps notes of different people or tasks apart."""
GOAL_BYTES_MAX = 4_096
"""Maximum size of a plan's goal, which is in every prompt."""
STEP_DESCRIPTION_BYTES_MAX = 4_096
"""Maximum size of a step's description."""
STEP_NOTES_BYTES_MAX = 4_096
"""Maximum size of a step's notes."""
PLAN_NOTE_BYTES_MAX = 4_096
"""Maximum size of a plan's note."""
STEPS_PER_PLAN_MAX = 200
"""Maximum number of steps per plan."""
NOTES_PER_PLAN_MAX = 100
"""Maximum number of notes per plan: adding one past it drops the oldest."""
TEMPLATES_PER_PLAN_MAX = 16
"""Maximum number of plans from which a new plan takes its first steps."""

# Documents.

DOCUMENT_ID_BYTES_MAX = 256
"""Maximum size of the id of a document that a memory refers to. It may be of another system."""
DESCRIPTION_BYTES_MAX = 4_096
"""Maximum size of a document's description."""
SOURCE_BYTES_MAX = 2_048
"""Maximum size of a document's source, a URL or the name of a file."""
CHUNK_NUMBER_MAX = 10**12 - 1
"""Maximum number of a document's chunk, by which it can be read. Its key has as many digits."""
CHUNKS_COMPOSED_DEFAULT = 20
"""Number of chunks of documents that a context considers by default."""

# Conversations and contexts.

CONVERSATION_ID_BYTES_MAX = 256
"""Maximum size of a conversation's id. It may be of another system."""
MESSAGE_NAME_BYTES_MAX = 256
"""Maximum size of the name of a message's author."""
TOOL_CALL_ID_BYTES_MAX = 256
"""Maximum size of the id of a tool call."""
MESSAGE_PARTS_MAX = 256
"""Maximum number of parts of a message."""
FILE_NAME_BYTES_MAX = 1_024
"""Maximum size of the name of a file that a message refers to."""
MEDIA_TYPE_BYTES_MAX = 256
"""Maximum size of the media type of such a file."""
MESSAGES_PER_CALL_MAX = 1_000
"""Maximum number of messages that one call appends, or makes memories of."""
DUE_INGESTIONS_PER_SWEEP_MAX = 1_000
"""Maximum number of conversations that are due to be ingested, and that one revision drops where no daemon ingests."""
INGESTION_LEASE_NS_MIN = 60 * SECOND_NS
"""Duration of the first lease of a conversation that a daemon ingests by itself: so long does another one wait if that
daemon dies. Each further lease is twice as long."""
INGESTION_LEASE_NS_MAX = 3_600 * SECOND_NS
"""Maximum duration of such a lease, and so the maximum interval of attempts at an ingestion that fails."""
MESSAGES_KEPT_DEFAULT = 4
"""Number of a conversation's newest messages that a compaction keeps by default."""
MESSAGES_KEPT_MAX = 10_000
"""Maximum number of a conversation's newest messages that a compaction can be asked to keep."""
SUMMARY_BYTES_MAX = 16 * 1024
"""Size at which a conversation's summary is cut: it is in every prompt."""
CONTEXT_TOKENS_MAX = 10_000_000
"""Maximum budget of a context, in tokens: more than any model reads."""
COMPOSED_TEXT_BYTES_MAX = 1024 * 1024
"""Maximum size of one text that a call adds to a context."""
SECTIONS_MAX = 32
"""Maximum number of sections of a context."""
SECTION_NAME_BYTES_MAX = 256
"""Maximum size of a section's name."""
COUNTED_TEXTS_MAX = 1_000
"""Maximum number of texts per CountTokens."""
COUNTED_TEXT_BYTES_MAX = 4 * 1024 * 1024
"""Maximum size of all texts of a CountTokens."""

# Entities.

ENTITY_TYPE_BYTES_MAX = 128
"""Maximum size of an entity's type, such as ``page``."""
ENTITY_ID_BYTES_MAX = 512
"""Maximum size of an entity's id, which comes from a tool."""
ENTITY_NAME_BYTES_MAX = 512
"""Maximum size of an entity's name, which comes from a tool."""
ENTITY_SLUG_BYTES_MAX = 512
"""Maximum size of an entity's slug, its name in addresses."""
ENTITIES_MAX = 1_000
"""Maximum entities of a window, and of a call: one call can load a full window."""
ENTITY_WINDOW_DEFAULT = 10
"""Number of entities that a window keeps by default."""
ENTITIES_SHOWN_PER_TYPE_MAX = 3
"""Maximum number of entities of one type in a prompt, the newest ones."""
EXTRACTED_MATCHES_MAX = 3
"""Maximum number of entities extracted from the matches of a tool's answer."""
EXTRACTED_ITEMS_MAX = 5
"""Maximum number of entities extracted from a list in a tool's answer."""
TOOL_NAME_BYTES_MAX = 256
"""Maximum size of a tool's name."""
TOOL_PREFIX_BYTES_MAX = 128
"""Maximum size of the common prefix of tool names."""
TOOL_RESULT_BYTES_MAX = 1024 * 1024
"""Maximum size of a tool's answer from which entities are extracted."""
DUE_MEMORY_CHANGES_PER_SWEEP_MAX = 10_000
"""Number of changed records, such as removed links, after which a revision handles no further due memory."""

# Limits that an operator may set.


class Limits(msgspec.Struct, frozen=True):
    """The limits that an operator may set. They are the same for every agent.

    ``entry_bytes`` is the maximum size of an entry's value; its key and metadata have constants of their own above. The
    other sizes are of one content, file or text, ``plan_bytes`` of all texts of a plan, and ``storage_bytes_per_agent``
    of all records. What ends in ``_per_caller`` is the share of one caller in the limit that its name begins with: of a
    token or a certificate, or of a connection where nobody has to authenticate; operations have one share there.
    ``context_tokens`` is no maximum, but the budget of a context whose caller names none, and
    ``context_reserve_tokens`` is what such a context leaves free.
    """

    entries_per_agent: int = 10_000
    entry_bytes: int = 1024 * 1024
    scopes_per_agent: int = 100
    fragments_per_agent: int = 1_000
    fragment_bytes: int = 64 * 1024
    memories_per_agent: int = 100_000
    memory_bytes: int = 1024 * 1024
    memory_proposals_per_agent: int = 10_000
    notes_per_agent: int = 1_000
    note_bytes: int = 64 * 1024
    plans_per_agent: int = 10_000
    plan_bytes: int = 1024 * 1024
    conversations_per_agent: int = 100_000
    messages_per_agent: int = 100_000
    message_content_bytes: int = 256 * 1024
    context_tokens: int = 16_000
    context_reserve_tokens: int = 2_500
    entity_windows_per_agent: int = 1_000
    documents_per_agent: int = 1_000
    document_file_bytes: int = 32 * 1024 * 1024
    document_text_bytes: int = 4 * 1024 * 1024
    storage_bytes_per_agent: int = 1024 * 1024 * 1024
    concurrent_calls: int = 4_096
    concurrent_calls_per_caller: int = 1_024
    concurrent_waits: int = 4_096
    concurrent_waits_per_caller: int = 1_024
    concurrent_transfers: int = 32
    concurrent_transfers_per_caller: int = 8
    concurrent_watches: int = 20_000
    concurrent_watches_per_caller: int = 10_000
    concurrent_probes: int = 4_096
    concurrent_probes_per_caller: int = 64
    request_bytes: int = 512 * 1024 * 1024
    request_bytes_per_caller: int = 128 * 1024 * 1024
    response_bytes: int = 256 * 1024 * 1024
    response_bytes_per_caller: int = 64 * 1024 * 1024
    connections: int = 10_000
    watch_bytes: int = 128 * 1024 * 1024
    concurrent_operations: int = 64
    concurrent_operations_per_caller: int = 32
    queued_commands_per_agent: int = 4_096
    snapshot_bytes: int = 16 * 1024 * 1024 * 1024
