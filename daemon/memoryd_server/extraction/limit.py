"""The resources that reading one file may take.

A constant's unit is in its name: BYTES, S (seconds); any other name counts what it names.
"""

# Processes that read.

PROCESSES_MAX = 2
"""Maximum number of processes."""
BEGIN_S_MAX = 30.0
"""Maximum time until a new process is ready."""
READ_S_MAX = 30.0
"""Maximum time per file by default."""
IDLE_S_MAX = 60.0
"""Time without a file after which a process is stopped."""
MEMORY_BYTES_MAX = 512 * 1024 * 1024
"""Maximum memory per process."""
MEMORY_KEPT_BYTES_MAX = 128 * 1024 * 1024
"""Maximum memory with which a process is kept for the next file."""
THREAD_STACK_BYTES = 256 * 1024
"""Stack size of a thread of a process, because the process's memory is bounded."""
DESCRIPTORS_MAX = 16
"""Maximum number of open files per process."""

# Files.

UNPACKED_BYTES_MAX = 128 * 1024 * 1024
"""Maximum size of a file's content when decompressed."""
PAGES_MAX = 2_000
"""Maximum number of pages of a PDF."""
MEMBERS_MAX = 10_000
"""Maximum number of files within a DOCX."""

# Fetching.

REDIRECTS_MAX = 5
"""Maximum number of redirects."""
ADDRESSES_MAX = 4
"""Maximum number of a host's addresses that are tried."""
