"""What an operator sees of a running daemon: metrics, traces, health over HTTP, slow calls."""
