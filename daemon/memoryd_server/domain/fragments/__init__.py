"""The fragment buffer: short-lived pieces of memory, and the leases that hand them out."""
