"""The transport over the front end in Rust, which serves gRPC's protocol."""

import os

# Before the front end is imported: its allocator would keep the memory of a burst of connections.
os.environ.setdefault("MIMALLOC_PURGE_DELAY", "0")
