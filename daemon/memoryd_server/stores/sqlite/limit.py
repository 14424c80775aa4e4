"""Sizes and durations of the embedded store.

A constant's unit is in its name: BYTES, KIB, PAGES (of 4 KiB), S (seconds), MS (milliseconds); any other name counts
what it names.
"""

# Groups of commits.

GROUP_COMMITS_MAX = 256
"""Maximum number of commits per transaction."""
GROUP_BYTES_MAX = 8 * 1024 * 1024
"""Size of a transaction's commits at which the others wait for the next one."""
LARGE_COMMIT_ROWS_MIN = 1_000
"""Number of records from which on a commit lets others pass."""
LARGE_COMMIT_BYTES_MIN = 256 * 1024
"""Size from which on a commit lets others pass."""
STEP_ROWS_MAX = 256
"""Maximum number of rows of a large commit that are written ahead of it, or deleted after it, at a time."""
STEP_BYTES_MAX = 512 * 1024
"""Maximum size of these rows, but for a single one that is larger. It takes about 3 ms of processor time."""
STEP_PAGES_MAX = STEP_ROWS_MAX + STEP_BYTES_MAX // 4096
"""The approximate maximum number of pages that such a step adds to the log."""
GATHER_S_MAX = 0.003
"""Maximum time for which a group is gathered where each call costs the event loop much. A group costs an fsync and a
dozen handovers of the interpreter's lock, whatever its size; see
docs/decisions/0009-group-commit-waits-under-load.md."""
GATHER_S_MAX_HASTY = 0.0005
"""The same where calls cost the event loop little: about the time of an fsync."""
GATHERED_REVISIONS_MIN = 5
"""Number of commands in a group from which more are expected than in the last one, where calls cost much."""
HEADS_KNOWN_MAX = 16_384
"""Maximum number of heads of agents that the writer keeps in memory."""

# The write-ahead log.

LOG_PAGES_MAX = 4_096
"""Size at which the log is copied: rarely enough that a hot page is copied once for hundreds of commits, in tens of
milliseconds."""
LOG_REST_PAGES_MAX = 512
"""Maximum size of what was committed while the log was copied for which commits wait until it is copied, too."""
LOG_COPIED_LOOK_S = 0.005
"""Interval at which the end of copying is looked for while large commits wait for it."""
LOG_ROUNDS_MAX = 4
"""Maximum number of times that the log is copied beside the commits; then they wait for the rest, whatever its size."""
LOG_IDLE_PAGES_MIN = 256
"""Minimum size at which the log is copied while nobody writes."""
LOG_IDLE_S = 0.25
"""Time without a commit after which the log counts as idle."""
LOG_SYNC_S = 1.0
"""Maximum time until a journaled commit is synced."""
LOG_KEPT_BYTES_MAX = 32 * 1024 * 1024
"""Maximum size that the log's file keeps after a long scan made it grow. Below it, blocks are reused, because fsync is
faster for a file that does not grow."""
READERS_WAIT_S = 0.1
"""Maximum time that truncating the log waits for its readers, and all commits with it. Readers that start once
everything is copied read the main file, and do not delay it."""
TRUNCATIONS_MAX = 20
"""Maximum number of attempts to truncate the log while it is read, for example by a scan."""
TRUNCATION_REST_S = 0.25
"""Pause between these attempts, in which commits are carried out."""

# A damaged log.

LOG_MENDED_BYTES_MAX = 256 * 1024 * 1024
"""Maximum size of a log that is mended. It is read at once, at about 100 ms for 1,000 pages."""
LOG_ENDS_MAX = 8
"""Maximum number of places of a damaged log that are tried as its end."""

# Connections and statements.

READERS_MAX = 4
"""Maximum number of connections that read."""
WRITER_CACHE_KIB = 16 * 1024
"""Size of the writer's page cache."""
READER_CACHE_KIB = 2 * 1024
"""Size of a reader's page cache."""
BUSY_WAIT_S = 5.0
"""Maximum time that SQLite waits for a lock that is held briefly."""
STATEMENTS_CACHED_MAX = 256
"""Maximum number of prepared statements per connection."""
ROWS_PER_STATEMENT = 64
"""Maximum number of rows per statement. Statements of each number up to it stay prepared."""
ROWS_AT_ONCE_MAX = 8
"""Maximum number of rows of each table that are written by a single statement for all tables. With one row of each, it
takes as much processor time as a statement for each table; with eight, a quarter more."""
MANY_ROWS_PER_STATEMENT = 256
"""Number of rows per statement as long as there are as many. After each statement, the thread waits for the lock of the
interpreter again."""
IDS_PER_STATEMENT = 512
"""Maximum number of agents per statement."""
PATTERNS_PER_STATEMENT = 32
"""Maximum number of patterns of agents per statement; with more, the agents are chosen after they were read."""
TIME_NS_MAX = 2**63 - 1
"""The last time that a column can hold."""
POSITIONS_PER_STATEMENT = 512
"""Maximum number of positions per statement."""

# Long operations, in steps between which others get their turn.

SCANNED_AGENTS_PER_STEP_MAX = 64
"""Maximum number of agents per step of a scan."""
SCANNED_RECORDS_PER_STEP_MAX = 10_000
"""Number of records at which a step of a scan ends, with the agent that exceeds it."""
PRUNED_ROWS_PER_STEP_MAX = 256
"""Maximum number of rows that one step of pruning deletes."""
PRUNED_BYTES_PER_STEP_MAX = 4 * 1024 * 1024
"""Maximum size of the rows that one step of pruning deletes, but for a single one that is larger."""
CHAIN_STEPS_MAX = 4_096
"""Maximum number of steps back along the chains of agents to find a page; then the journal is read from the front."""

# A full disk.

RESERVE_BYTES_MAX = 32 * 1024 * 1024
"""Maximum size of the space that is kept for removals on a full disk."""
RESERVE_SHARE = 8
"""The reserve is at most one part in this many of the file system, and of the maximum size of a file."""
REMOVAL_STEP_SHARE = 2
"""A step of a removal that exceeds the reserve writes about one part in this many of the reserve."""
REMOVED_ROWS_PER_STEP_MAX = 4_096
"""Maximum number of rows that such a step reads."""
ROW_OVERHEAD_BYTES = 100
"""An estimate of what a row takes beside its data: its key and its place, in the table and in the index."""
LOOK_S = 1.0
"""Interval at which a full disk is looked at for room, and one that fails is tried again."""
DATABASE_PAGES_MAX = 0xFFFFFFFE
"""Maximum number of pages of a database: that of SQLite."""
