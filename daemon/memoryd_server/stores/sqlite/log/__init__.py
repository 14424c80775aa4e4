"""The write-ahead log: when it is copied, what its frames are, and the repair of a damaged one."""
