"""Bounds of the engine, which keep its memory, its waits and its turns of the event loop small.

No client can rely on them: the promises of the contract are in ``domain.limit``.

A constant's unit is in its name: BYTES, CHARACTERS, S (seconds), NS (nanoseconds); any other name counts what it names.
"""

from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS

# Writers, which decide and commit an agent's commands.

WRITE_BATCH_COMMANDS_MAX = 64
"""Maximum commands of one agent that are decided and committed as one unit: other agents wait for as many at a time."""
CHANGES_ENCODED_AT_ONCE_MAX = 2_000
"""Maximum changed records of a commit that are encoded in the turn of the event loop in which they are decided."""
CONFLICTS_IN_A_ROW_MAX = 1_000
"""Maximum conflicts in a row between an agent's changes and those of other daemons; then the calls fail."""
SNAPSHOT_CLOCKS_NS = 60 * SECOND_NS
"""Time by which the clock of a daemon that takes a snapshot of all agents may be ahead of that of another."""
END_TRIES_MAX = 3
"""Maximum number of attempts to end an agent that is written to at the same time."""
TOKEN_NUMBER_MAX = 2**63 - 1
"""Maximum number in a token. Anybody can make tokens, and neither stores nor responses have larger numbers."""

# The event loop, which all calls share.

LOOP_ITEMS_MAX = 256
"""Maximum number of records processed on the event loop: they take a few milliseconds. More go to a thread."""
LONG_LIVED_MIN = 10_000
"""Minimum number of records of one agent that are made without the garbage collector."""
LOOP_CHARACTERS_MAX = 4_096
"""Maximum length of texts counted on the event loop: that takes less time than a switch of threads."""

# Pages of listings.

LISTINGS_PINNED_MAX = 128
"""Maximum number of listings that are kept for their next pages."""
LISTING_PINNED_NS_MAX = 120 * SECOND_NS
"""Maximum time for which a listing is kept after its last page."""

# Operations.

OPERATIONS_KEPT_MAX = 1_000
"""Maximum number of ended operations that are kept for those who ask for them."""
OPERATIONS_KEPT_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of the responses of ended operations that are kept."""
OPERATIONS_KEPT_NS_MAX = 3_600 * SECOND_NS
"""Maximum time for which an operation is kept after its end."""
OPERATION_CHANGES_INTERVAL_S = 0.1
"""Minimum time between two messages of a watch about the progress of an operation."""

# Watches and the journal.

WATCH_QUEUE_COMMITS_MAX = 1_024
"""Maximum number of commits in the queue of a watcher. Past it, the watcher catches up from the journal."""
WATCH_QUEUE_BYTES_MAX = 4 * 1024 * 1024
"""Maximum size of the commits in the queue of a watcher. Past it, the watcher catches up from the journal."""
WATCH_MESSAGE_BYTES_SMALL = 16 * 1024
"""Size of commits that are sent to a watcher whether the budget has room or not: a client that reads at all has room
for them."""
WATCH_MESSAGE_BYTES_USUAL = PAGE_BYTES_MAX
"""Size with which a message is charged to the budget before it is known."""
WATCH_STALL_S = 1.0
"""Time in which a client that reads has taken a message. After such a time without any, one more message is sent."""
WATCH_PROVEN_BYTES = 16 * 1024 * 1024
"""Size of messages that a client takes without a stall only if it reads: more than the buffers on the way hold."""
WATCHERS_WOKEN_PER_TURN = 16
"""Number of watchers that are woken in one turn of the event loop, so that calls are served between them."""
WATCH_REST_PER_WATCHER_S = 0.0002
"""Estimated time to send one message to one watcher. After a message, a watcher pauses for this, times the number of
watchers of the commit: all of them receive it before the first of them receives its next message."""
WATCH_REST_PER_CALL_S = 0.000_005
"""The same of a watcher whose transport sends one message to many calls at once."""
BROADCAST_CALLS_PER_TURN = 2_048
"""Number of such watchers that are sent a small message in a turn of the event loop. Of larger ones, as many bytes."""
BROADCAST_BYTES_MAX = 128 * 1024
"""Maximum size of a message that is sent to many calls at once, and is copied for them first."""
WATCH_PATIENCE_S = 0.01
"""Time for which a group of watchers waits for those that have not sent their last message, before the next one."""
WATCH_REST_S_MIN = 0.002
"""Minimum pause of a watcher: a shorter one is not worth a timer."""
WATCH_REST_S_ROUNDING = 0.000_5
"""Time by which a pause may end early. The timers of uvloop are rounded to milliseconds: for the rest of one, the loop
would turn again and again without a pause."""
WATCH_REST_S_MAX = 0.5
"""Maximum pause of a watcher, however many watch the same commits."""
JOURNAL_READ_COMMITS_MAX = 256
"""Maximum number of journal rows per read."""
PAGE_STARTS_MAX = 8
"""Maximum number of times that a page of the oldest events begins again because the journal was pruned meanwhile."""
PAGE_READS_MAX = 16
"""Maximum number of journal reads per page, in addition to one per shard. It bounds the time of a call that selects
rare events: the page ends early, even empty, with a token."""

# Following the commits of other daemons.

FOLLOW_LINGER_S = 60.0
"""Time for which a shard is followed after its last watch or read."""
FOLLOW_WAIT_S = 0.2
"""Maximum time that the store waits for commits before it replies. An idle shard is confirmed as current this often."""
FOLLOW_RETRY_S_MIN = 0.05
"""First pause after a failure of the store. It doubles with each failure."""
FOLLOW_RETRY_S_MAX = 1.0
"""Maximum pause after a failure of the store."""
FOLLOWED_ROWS_PER_TURN_MAX = 256
"""Maximum number of rows handled before other tasks get a turn of the event loop."""
OWN_COMMITS_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of own commits that are kept until their rows arrive, to save decoding these. Past it, all are dropped,
and the rows are decoded."""
STORE_LOOK_S = 1.0
"""Interval of the checks that a shared store is available."""

# Maintenance.

DUE_AGENTS_PER_SWEEP_MAX = 256
"""Maximum number of agents per sweep."""
ERASURE_PASSES_MAX = 10
"""Maximum number of passes over the journal. Two are enough unless other daemons erase at the same time."""
REMOVAL_RESUME_NS = 30 * SECOND_NS
"""Time since the last commit of a removal of a user's records, after which maintenance continues it: its call ended."""
ERASURES_REMEMBERED_MAX = 1_000
"""Maximum number of finished erasures whose number of rewritten rows is remembered."""
ERASED_ROWS_TOGETHER_MAX = 16
"""Maximum number of rows rewritten in one call: other calls to the store wait meanwhile."""
ERASED_BYTES_TOGETHER_MAX = 1024 * 1024
"""Maximum size of the rows rewritten in one call."""
JOURNALED_CHANGES_BYTES_MAX = 256 * 1024
"""Maximum size of the changed records in a journal row of an embedded store that no event of the row has. A row is
written whole, while small commits of others wait, and a document's chunks would be written twice."""
SEGMENT_BYTES_MAX = 64 * 1024 * 1024
"""Size of the rows at which an exported segment of the journal ends, so that its file has a bound."""
MIGRATION_ROWS_TOGETHER_MAX = 16
"""Maximum number of rows read at a time: a row of an earlier migration holds a whole agent."""

# Indexes and vectors.

INDEX_THREADS = 2
"""Number of threads that update and search indexes."""
SAVED_ITEMS_MIN = 1_000
"""Minimum number of items of an index that is saved: to read fewer again takes a fraction of a second."""
SAVED_CHANGES_MIN = 1_000
"""Number of changed items after which an index is saved again, unless it is so large that they are a small share."""
SAVED_CHANGES_SHARE = 1 / 8
"""Share of changed items after which a large index is saved again: what is written is in proportion to its growth."""
SAVED_INTERVAL_S = 60.0
"""Minimum time between two such saves of an index: searches of it wait meanwhile."""
SCANNED_MEMORIES_MAX = 1_000
"""Maximum number of memories of an agent that a filter checks one by one: for more, an index is built."""
EMBEDDED_TOGETHER_MAX = 64
"""Maximum number of memories without vector per embedder call."""
EMBEDDED_AT_ONCE_MAX = 256
"""Maximum number of a document's chunks per embedder call. On a timeout, vectors of earlier calls are kept."""
EMBEDDER_RETRY_S = 5.0
"""Pause after a failure of the embedder."""
RELATIVES_CONSIDERED_MAX = 8
"""Maximum number of similar memories that are compared with a new one."""
CONTRADICTIONS_MAX = 3
"""Maximum number of memories that a new one is recorded to contradict."""
RIVAL_CLAIMS_MAX = 64
"""Maximum number of earlier claims of one attribute in a batch that a claim is compared with."""

# Consolidation of fragments.

CONSOLIDATED_FRAGMENTS_MAX = 100
"""Maximum number of fragments that are leased, and become memories, at a time."""
CONSOLIDATION_LEASE_NS = 60 * SECOND_NS
"""Duration of the lease of the fragments that are being consolidated."""
CONSOLIDATED_RELATIVES_MAX = 2
"""Maximum number of memories to which the memory of a fragment is linked."""

# Documents.

DOCUMENTS_READ_TOGETHER_MAX = 2
"""Maximum number of texts prepared at a time: one may be cut while another is embedded."""
DOCUMENT_VECTORS_BYTES_MAX = 32 * 1024 * 1024
"""Maximum bytes of a document's vectors, which are committed with it. Chunks past it are found by their words alone."""
DOCUMENT_VECTORS_WAIT_S = 30.0
"""Maximum time for embedding the chunks of a document."""

# Contexts and compaction.

COMPOSED_RECORDS_MAX = 1_000
"""Maximum number of records that are considered of each source of a context."""
COMPOSED_BYTES_MAX = 4 * 1024 * 1024
"""Maximum bytes that are considered of each source of a context."""
COMPACTIONS_TRIED_MAX = 3
"""Maximum attempts at a compaction whose messages other commands remove meanwhile; then the call fails."""
INGESTIONS_TRIED_MAX = 3
"""Maximum attempts at ingesting messages that other commands remove or ingest meanwhile; then the call fails."""
INGESTIONS_LEASED_MAX = 16
"""Maximum number of an agent's conversations that are ingested in the background before other agents get a turn."""
INGESTIONS_WAITING_MAX = 10_000
"""Maximum number of agents that wait for the ingestion of conversations. Others are found due again later."""
SUMMARIZED_BYTES_MAX = 2 * 1024 * 1024
"""Maximum bytes of messages that one compaction summarizes."""
SUMMARIZED_TOGETHER_BYTES_MAX = 32 * 1024
"""Maximum bytes that a summarizer gets in one call: about 8,000 tokens."""

RESTORES_REMEMBERED_MAX = 100
"""Maximum number of restores of all agents whose request ids a daemon remembers."""
