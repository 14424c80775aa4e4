"""Sizes and durations of the shared store.

A constant's unit is in its name: BYTES, S (seconds), MS (milliseconds); any other name counts what it names.
"""

# Options of a URL.

REPLICAS_MAX = 1_000
"""Maximum number of replicas that can be waited for: more than any server has."""
TIMEOUT_S_MAX = 3_600
"""Maximum timeout of a request."""

# Requests.

REQUESTS_TOGETHER_MAX = 256
"""Maximum number of requests per exchange: all of them must arrive within its timeout."""
BYTES_TOGETHER_MAX = 4 * 1024 * 1024
"""Maximum size of the requests of an exchange."""
PORTION_BYTES = 1024 * 1024
"""Approximate size of a reply: the larger the rows are, the fewer are requested."""
RETRY_S_MIN = 0.01
"""First pause before a request is retried after a failover or the move of a slot. It doubles with each attempt."""
RETRY_S_MAX = 0.25
"""Maximum pause before a request is retried."""
ASK_S = 2.0
"""Maximum time for each request while the store is opened."""
CLOSE_S = 2.0
"""Maximum time to finish submitted commits when the store is closed."""

# Agents and rows read at a time.

AGENTS_TOGETHER = 32
"""Number of agents that a scan loads at a time."""
NAMES_TOGETHER = 256
"""Number of agent ids that a scan reads at a time."""
ROWS_PER_READ = 256
"""Number of rows of a journal read at a time."""
ROWS_PASSED_MAX = 4_096
"""Maximum number of rows of other agents that a filtered page skips before it returns its position."""
ROWS_PRUNED_TOGETHER = 1_000
"""Number of rows, and of ended agents, that one script deletes."""
BLOCK_ROWS_MAX = 100
"""Number of rows in one block of a stream, unless the server's stream-node-max-entries differs."""
BLOCK_BYTES_MAX = 4_096
"""Size of one block of a stream, unless the server's stream-node-max-bytes differs."""

# Following a journal.

ROWS_FOLLOWED_MAX = 1_024
"""Maximum number of rows of all shards that one wait returns."""
LOOK_BACK_S = 2.0
"""Interval of checks that rows already read still exist: a wait for new rows does not reveal that old ones are gone."""
ANSWER_S = 2.0
"""Maximum time of a server's reply, in addition to the wait that it was asked for."""

# The daemons that share the store.

DUTY_S = 1.0
"""Time for which a daemon relies on its knowledge of the others. Each query also announces the daemon."""
DUTY_ANSWER_S = 1.0
"""Maximum time for the reply to that query; then the earlier knowledge stays in use."""
GONE_MS = 5_000
"""Time without an announcement after which a daemon counts as gone, and the others take over its shards."""

# Log lines.

AGAIN_S = 30.0
"""Minimum time between two log lines of the same text."""
TEXTS_MAX = 100
"""Maximum number of different texts logged within that time."""

# A server without memory.

ROOM_LOOK_S = 1.0
"""Interval at which a server without memory is asked for room."""
