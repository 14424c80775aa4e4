"""All limits of the daemon.

``Limits`` has those that an operator may set; clients see their names in ``ErrorInfo.metadata["limit"]`` and in
``GetServerInfoResponse.limits``. The constants are part of the contract. Sizes are in bytes of UTF-8; durations are in
nanoseconds unless the name has another unit.
"""

import msgspec

MILLISECOND_NS = 1_000_000
SECOND_NS = 1_000 * MILLISECOND_NS
DAY_NS = 86_400 * SECOND_NS

AGENT_ID_BYTES_MAX = 256
KEY_BYTES_MAX = 1_024
SCOPE_NAME_BYTES_MAX = 256
TYPE_NAME_BYTES_MAX = 256
TAG_BYTES_MAX = 256
TAGS_MAX = 64
FRAGMENT_TYPE_BYTES_MAX = 256
PARTICIPANT_BYTES_MAX = 256
PARTICIPANTS_MAX = 64
CAUSE_BYTES_MAX = 1_024
CAUSES_MAX = 64
PROPERTIES_BYTES_MAX = 64 * 1024
SOURCES_MAX = 64
SOURCES_BYTES_MAX = 64 * 1024
QUERY_BYTES_MAX = 4_096
USER_ID_BYTES_MAX = 256
PROJECT_ID_BYTES_MAX = 256
RECORD_ID_BYTES_MAX = 128
STORAGE_KEY_BYTES_MAX = 256
TITLE_BYTES_MAX = 1_024
IMPORTANCE_DEFAULT = 0.5
GOAL_BYTES_MAX = 4_096
STEP_DESCRIPTION_BYTES_MAX = 4_096
STEP_NOTES_BYTES_MAX = 4_096
CONTEXT_NOTE_BYTES_MAX = 4_096
STEPS_PER_PLAN_MAX = 200
CONTEXT_NOTES_PER_PLAN_MAX = 100
"""Maximum number of context notes per plan: adding one past it drops the oldest."""
TEMPLATES_PER_PLAN_MAX = 16
DESCRIPTION_BYTES_MAX = 4_096
SOURCE_BYTES_MAX = 2_048
DOCUMENTS_FILTERED_MAX = 256
DOCUMENT_VECTORS_BYTES_MAX = 32 * 1024 * 1024
"""Maximum bytes of a document's vectors, which are committed with it. Chunks past it are found by their words alone."""
MESSAGE_NAME_BYTES_MAX = 256
TOOL_CALL_ID_BYTES_MAX = 256
MESSAGES_PER_CALL_MAX = 1_000
COMPOSED_RECORDS_MAX = 1_000
COMPOSED_BYTES_MAX = 4 * 1024 * 1024
"""Maximum bytes that are considered of each source of a context."""
MESSAGES_KEPT_DEFAULT = 4
MESSAGES_KEPT_MAX = 10_000
"""Maximum number of a conversation's newest messages that a compaction can be asked to keep."""
COMPACTIONS_TRIED_MAX = 3
"""Maximum attempts at a compaction whose messages other commands remove meanwhile; then the call fails."""
SUMMARIZED_BYTES_MAX = 2 * 1024 * 1024
SUMMARIZED_TOGETHER_BYTES_MAX = 32 * 1024
"""Maximum bytes that a summarizer gets in one call: about 8,000 tokens."""
SUMMARY_BYTES_MAX = 16 * 1024
COMPOSED_TEXT_BYTES_MAX = 1024 * 1024
CONTEXT_TOKENS_MAX = 10_000_000
SECTIONS_MAX = 32
SECTION_NAME_BYTES_MAX = 256
COUNTED_TEXTS_MAX = 1_000
COUNTED_TEXT_BYTES_MAX = 4 * 1024 * 1024
CONVERSATION_ID_BYTES_MAX = 256
SESSION_ID_BYTES_MAX = 256
ENTITY_TYPE_BYTES_MAX = 128
ENTITY_ID_BYTES_MAX = 512
ENTITY_NAME_BYTES_MAX = 512
ENTITY_SLUG_BYTES_MAX = 512
ENTITIES_MAX = 1_000
"""Maximum entities of a window, and of a call: one call can load a full window."""
ENTITIES_LISTED_DEFAULT = 5
TOOL_NAME_BYTES_MAX = 256
TOOL_PREFIX_BYTES_MAX = 128
TOOL_RESULT_BYTES_MAX = 1024 * 1024
DOCUMENT_ID_BYTES_MAX = 256
LEARNING_CONTEXT_BYTES_MAX = 1_024
MODEL_BYTES_MAX = 256
EMBEDDING_DIMENSIONS_MAX = 4_096
LINKS_PER_MEMORY_MAX = 1_000
CONFIDENCES_KEPT_MAX = 100
MEMORIES_PER_BATCH_MAX = 1_000
REEMBEDDED_DEFAULT = 100
REEMBEDDED_MAX = 1_000
MATCHES_DEFAULT = 10
MATCHES_MAX = 100
CHUNKS_COMPOSED_DEFAULT = 20
METADATA_BYTES_MAX = 64 * 1024
REQUEST_ID_BYTES_MAX = 128
ORIGIN_BYTES_MAX = 128
TOKEN_BYTES_MAX = 16 * 1024
SHARDS_MAX = 512
"""Maximum number of a store's shards, bounded because a resume token may have to name all of them."""
SNAPSHOT_ID_BYTES_MAX = 100

BATCH_OPERATIONS_MAX = 1_000
BATCH_KEYS_MAX = 1_000
FRAGMENTS_PER_CALL_DEFAULT = 100
FRAGMENTS_PER_CALL_MAX = 1_000
PAGE_SIZE_DEFAULT = 100
PAGE_SIZE_MAX = 1_000
PAGE_BYTES_MAX = 2 * 1024 * 1024
"""Size at which a page or a watch message is closed; well below the 4 MiB that gRPC clients accept by default."""

FILTERS_MAX = 16
FILTER_TERMS_MAX = 256

EXPIRY_NS_MAX = 100 * 366 * DAY_NS
LEASE_NS_MIN = 100 * MILLISECOND_NS
LEASE_NS_DEFAULT = 30 * SECOND_NS
LEASE_NS_MAX = 600 * SECOND_NS
WAIT_NS_DEFAULT = 30 * SECOND_NS
WAIT_NS_MAX = 60 * SECOND_NS
STALENESS_NS_MAX = DAY_NS
PROGRESS_INTERVAL_NS_MIN = 100 * MILLISECOND_NS
PROGRESS_INTERVAL_NS_DEFAULT = 30 * SECOND_NS
PROGRESS_INTERVAL_NS_MAX = 3_600 * SECOND_NS

DISPOSED_SCOPES_REMEMBERED_MAX = 1_000
"""Maximum disposed scopes per agent that are remembered, so that late calls get SCOPE_DISPOSED, not SCOPE_NOT_FOUND."""

EXPIRED_ENTRIES_PER_SWEEP_MAX = 1_000
EXPIRED_FRAGMENTS_PER_SWEEP_MAX = 1_000
DUE_MEMORIES_PER_SWEEP_MAX = 1_000
DUE_MEMORY_BYTES_PER_SWEEP_MAX = 4 * 1024 * 1024
"""Bytes of memories after which a sweep stops archiving: each is written again with its event and as a version."""

REQUESTS_REMEMBERED_MAX = 1_000
REQUESTS_REMEMBERED_NS_MAX = 600 * SECOND_NS
REQUESTS_REMEMBERED_BYTES_MAX = 4 * 1024 * 1024
"""Size of an agent's window of remembered request ids; count and age limit it as well."""

WRITE_BATCH_COMMANDS_MAX = 512
"""Maximum commands of one agent that are decided and committed as one unit."""

CONFLICTS_IN_A_ROW_MAX = 1_000
"""Maximum conflicts in a row between an agent's changes and those of other daemons; then the calls fail."""

WATCH_QUEUE_COMMITS_MAX = 1_024
WATCH_QUEUE_BYTES_MAX = 4 * 1024 * 1024
"""A watcher whose queue exceeds either limit leaves live delivery, and catches up from the journal."""

WATCHERS_WOKEN_PER_TURN = 16

JOURNAL_READ_COMMITS_MAX = 256
LISTINGS_PINNED_MAX = 128
LISTING_PINNED_NS_MAX = 120 * SECOND_NS

MESSAGE_BYTES_MAX = 16 * 1024 * 1024
CHUNK_BYTES_MAX = 1024 * 1024
RETRY_DELAY_MS = 250
"""Delay that a client is asked to wait before it retries a call to an unavailable server."""


class Limits(msgspec.Struct, frozen=True):
    """The limits that an operator may set. They are the same for every agent."""

    entries_per_agent: int = 10_000
    entry_bytes: int = 1024 * 1024
    scopes_per_agent: int = 100
    fragments_per_agent: int = 1_000
    fragment_bytes: int = 64 * 1024
    memories_per_agent: int = 100_000
    memory_bytes: int = 1024 * 1024
    notes_per_agent: int = 1_000
    note_bytes: int = 64 * 1024
    plans_per_agent: int = 10_000
    plan_bytes: int = 1024 * 1024
    messages_per_agent: int = 100_000
    message_content_bytes: int = 256 * 1024
    context_tokens: int = 16_000
    sessions_per_agent: int = 1_000
    documents_per_agent: int = 1_000
    document_file_bytes: int = 32 * 1024 * 1024
    document_text_bytes: int = 4 * 1024 * 1024
    storage_bytes_per_agent: int = 1024 * 1024 * 1024
    concurrent_calls: int = 4_096
    concurrent_watches: int = 20_000
    queued_commands_per_agent: int = 4_096
    snapshot_bytes: int = 16 * 1024 * 1024 * 1024
