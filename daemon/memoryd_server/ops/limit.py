"""Bounds of the process and of the command line.

A constant's unit is in its name: BYTES, CHARACTERS, S (seconds); any other name counts what it names.
"""

# Settings.

PORT_MAX = 65_535
"""Maximum port of TCP."""
PORT_TRIES_MAX = 16
"""Number of ports that are tried where any will do: each must be free at all addresses of a name."""
UNIX_PATH_BYTES_MAX = 107
"""The kernel's limit for the path of a socket."""
WORKERS_MAX = 256
"""Maximum number of workers: a worker reports its number to the supervisor as one byte."""

# Connections.

FILES_RESERVED = 256
"""Number of files that connections leave free: for databases, snapshots, uploads, and processes that read files."""

CERTIFICATES_LOOK_S = 2.0
"""Interval at which the files of the certificates are looked at. Changed ones are read once they have stayed the same
for one interval: a certificate and its key are two files, which are not replaced at once."""

# Metrics.

COUNT_S_MAX = 2.0
"""Maximum time that a scrape waits for the gauges that the engine sets."""
LIVE_S_MAX = 10.0
"""Maximum time that the event loop takes to respond to ``/livez``."""
LOOP_LOOK_S = 0.25
"""Interval in which the lag of the event loop is measured."""

# Callers.

CALLERS_CACHED_MAX = 1_024
"""Maximum number of tokens that are remembered, to save hashing them again."""

# Workers.

WORKER_STEADY_S = 10.0
"""Minimum lifetime after which a worker that dies is replaced immediately."""
WORKER_REPLACE_S_MIN = 0.1
"""First wait before a worker that died sooner is replaced. The wait doubles each time."""
WORKER_REPLACE_S_MAX = 5.0
"""Maximum wait before a worker is replaced."""

# The command line.

CONNECT_S_MAX = 1.0
"""Maximum time to connect. It is short, for those who forgot to start the daemon; --timeout replaces it."""
TOKEN_FILE_BYTES_MAX = 4_096
"""Maximum size of a file with a token."""
MCP_TOKEN_CHARACTERS_MIN = 16
"""Minimum length of a token that clients of MCP over HTTP send: a shorter one could be guessed."""
STDIN_BYTES_MAX = 64 * 1024 * 1024
"""Maximum size of standard input: that of a message. The daemon's own limit is lower, and is reported by the daemon."""
PREVIEW_CHARACTERS_MAX = 400
"""Maximum number of characters of a value in a table: no terminal is wider."""
ROWS_SHOWN_MAX = 1_000
"""Maximum number of rows in a table: it measures all of them before it prints the first."""
NAMES_SHOWN_MAX = 10
"""Maximum number of agents that one line names."""

# The log.

LOG_REPEATS_MAX = 100
"""Maximum number of lines of one phrase in LOG_REPEAT_S."""
LOG_REPEAT_S = 60.0
"""Time after which lines of a phrase are counted from the start again."""
LOG_PHRASES_MAX = 1_000
"""Maximum number of phrases whose lines are counted."""
