"""The format of SQLite's write-ahead log, and the repair of a damaged one."""
