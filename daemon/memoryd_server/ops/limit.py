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

FILES_LOOK_S = 2.0
"""Interval at which the files of the policy and of the certificates are looked at. Changed ones are read once they have
stayed the same for one interval: a certificate and its key are two files, which are not replaced at once."""

# Metrics.

COUNT_S_MAX = 2.0
"""Maximum time that a scrape waits for the gauges that the engine sets."""
LIVE_S_MAX = 10.0
"""Maximum time that the event loop takes to respond to ``/livez``."""
LOOP_LOOK_S = 0.25
"""Interval in which the lag of the event loop is measured."""
EXPORTS_END_S = 5.0
"""Maximum time that the last exports take when the daemon ends: their receiver may not respond."""
METRICS_REQUESTS_MAX = 32
"""Maximum number of scrapes and probes at a time: each has a thread. Further connections are closed at once."""
METRICS_REQUEST_S_MAX = 20.0
"""Maximum time from the connection of a scraper or a probe until it has read the response."""

# Callers.

CALLS_PER_SECOND_MIN, CALLS_PER_SECOND_MAX = 0.01, 1_000_000.0
"""Lowest and highest rate of a token."""
CALLERS_CACHED_MAX = 1_024
"""Maximum number of tokens that are remembered, to save hashing them again."""

CLOCK_LEEWAY_S_MAX = 300
"""Maximum difference of clocks that an issuer's tokens may be allowed."""
ISSUED_TOKEN_BYTES_MAX = 8 * 1024
"""Maximum size of an issuer's token. The library needs up to half a millisecond for one of this size."""
SUBJECT_BYTES_MAX = 256
"""Maximum size of the subject of an issuer's token, which names the caller."""
ISSUED_TOKENS_VERIFIED_MAX = 4_096
"""Maximum number of issuers' tokens that are remembered until they expire, to save verifying them again."""
ISSUED_TOKENS_REFUSED_MAX = 1_024
"""Maximum number of issuers' tokens that are remembered as not valid, to save finding that out again."""
TOKEN_VERIFICATIONS_PER_SECOND = 500
"""Maximum rate at which issuers' tokens are verified: so they take at most a quarter of the event loop's time."""
KEYS_READ_S = 300.0
"""Interval at which an issuer's keys are read again."""
KEYS_RETRY_S = 10.0
"""Interval at which an issuer's keys are read again that could not be read."""
KEYS_ASKED_S = 5.0
"""Minimum interval between two readings of an issuer's keys, also if tokens name an unknown key."""
KEYS_RESPONSE_S_MAX = 10.0
"""Maximum time to read an issuer's keys."""
KEYS_BYTES_MAX = 256 * 1024
"""Maximum size of an issuer's keys."""
KEYS_MAX = 100
"""Maximum number of an issuer's keys."""
UNKNOWN_KEYS_MAX = 100
"""Maximum number of unknown keys of an issuer that are looked for at a time."""
RSA_KEY_BITS_MIN, RSA_KEY_BITS_MAX = 2_048, 8_192
"""Sizes of an issuer's RSA keys: shorter ones are not secure, and longer ones take long."""

POLICY_SETTLED_S = 0.2
"""Time for which a changed token file must stay the same before an unknown token lets it be read."""
POLICY_LOOK_S = 60.0
"""Interval at which the uses of tokens are noted, and the clock is read for those that expire."""

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
COMPLETION_S_MAX = 0.5
"""Maximum time to connect, and for each call, while a shell waits for names that complete a word."""
NAMES_LISTED_MAX = 10_000
"""Maximum number of names among which a short or a mistyped one is looked up."""
SHORT_ID_CHARACTERS_MIN = 4
"""Minimum length of the beginning of an id that stands for the id."""
CANDIDATES_SHOWN_MAX = 5
"""Maximum number of ids that are named where a short one is ambiguous."""
COMPLETIONS_MAX = 200
"""Maximum number of names that a shell gets."""
METRICS_S_MAX = 1.0
"""Maximum time to read the daemon's metrics for `memoryd top`."""
METRICS_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of the daemon's metrics for `memoryd top`."""
TOP_AGENTS_MAX = 50
"""Maximum number of agents in `memoryd top`: each costs a call."""
CLOCK_S_MAX = 60.0
"""Maximum time by which a file may be newer than the clock before `memoryd doctor` reports it."""
FREE_BYTES_MIN = 256 * 1024 * 1024
"""Minimum room on the disk below which `memoryd doctor` fails."""
FREE_SHARE_MIN = 0.1
"""Minimum free share of the disk below which `memoryd doctor` warns."""
SNAPSHOT_AGE_S_MAX = 7 * 86_400.0
"""Maximum age of the newest snapshot before `memoryd doctor` warns."""
CERTIFICATE_DAYS_MIN = 30
"""Minimum number of days for which a certificate is valid before `memoryd doctor` warns."""
BENCH_CALLERS_MAX = 64
"""Maximum number of callers of `memoryd bench`: each is a thread."""
BENCH_KEYS = 100
"""Number of entries that `memoryd bench` sets."""
BENCH_MEMORIES = 500
"""Number of memories that `memoryd bench` creates and recalls."""
TOKEN_COMMAND_S_MAX = 60.0
"""Maximum time for which the command of a profile may run that prints a token: it may ask a person."""
HISTORY_LINES_MAX = 1_000
"""Maximum number of lines in the history of `memoryd shell`."""
HEALTH_S_MAX = 3.0
"""Maximum time that `memoryd health` waits for a response, unless --timeout says otherwise."""
HEALTH_PAUSE_S = 0.1
"""Time between two questions of `memoryd health --wait`."""
TOKEN_FILE_BYTES_MAX = 8 * 1024
"""Maximum size of a file with a token."""
MCP_TOKEN_CHARACTERS_MIN = 16
"""Minimum length of a token that clients of MCP over HTTP send: a shorter one could be guessed."""
STDIN_BYTES_MAX = 64 * 1024 * 1024
"""Maximum size of standard input: that of a message. The daemon's own limit is lower, and is reported by the daemon."""
PREVIEW_CHARACTERS_MAX = 400
"""Maximum number of characters of a value in a table: no terminal is wider."""
TABLE_CHARACTERS_MAX = 10_000
"""Width of a table that no terminal cuts."""
ROWS_SHOWN_MAX = 1_000
"""Maximum number of rows in a table: it measures all of them before it prints the first."""
COPY_LINE_BYTES_MAX = 64 * 1024 * 1024
"""Maximum length of a line that `memoryd agent import` reads: a document with its text."""
COPY_COMMIT_WRITES = 500
"""Number of writes that an import commits together, unless one record needs more."""
COPY_COMMIT_BYTES = 1024 * 1024
"""Size of the writes that an import commits together, unless one record is larger."""
COPY_COMMIT_S_MAX = 60.0
"""Time that a commit of an import may take in addition to --timeout: a model may embed hundreds of memories."""
NAMES_SHOWN_MAX = 10
"""Maximum number of agents that one line names."""

# The log.

LOG_REPEATS_MAX = 100
"""Maximum number of lines of one phrase in LOG_REPEAT_S."""
LOG_REPEAT_S = 60.0
"""Time after which lines of a phrase are counted from the start again."""
LOG_PHRASES_MAX = 1_000
"""Maximum number of phrases whose lines are counted."""

BASES_TRIED_MAX = 5
"""Maximum number of bases of one backup run: one is made in vain if a large document is added meanwhile."""
RESTORED_BYTES_TOGETHER = 64 * 1024 * 1024
"""Compressed size of a backup's files of which all agents are in memory at a time."""
ANNOUNCED_S = 1.0
"""Interval at which a restore says that it uses a shared store: what is silent for 5 s counts as gone."""
RESTORED_COMMITS_TOGETHER = 64
"""Number of agents that a restore of a backup commits at a time."""

# The audit log.

AUDIT_QUEUE_MAX = 10_000
"""Maximum number of audit records that wait to be written: about 6 MB, if each is about one agent."""
AUDIT_RETRY_S = 1.0
"""Interval at which an audit log that cannot be written is tried again."""
AUDIT_END_S = 5.0
"""Maximum time to write the last audit records when the daemon ends: the reader of a pipe may have stopped."""
AUDIT_LOOK_S = 0.25
"""Interval at which the records of other workers are read from the audit log, while anybody watches."""
AUDIT_READ_BYTES_MAX = 1024 * 1024
"""Maximum number of bytes that are read from the audit log at a time."""
