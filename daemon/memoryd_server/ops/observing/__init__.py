"""The view of a running daemon from outside: metrics, probes, slow calls."""
