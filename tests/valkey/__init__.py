"""Real Valkey or Redis servers for tests: one server, a cluster, a primary under a sentinel."""
