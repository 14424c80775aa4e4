"""Sizes and times of the transport over HTTP/1.1. A constant's unit is in its name, as in ``transport.limit``."""

from memoryd_server.transport.limit import HANDSHAKE_MS_MAX

PARAMETERS_MAX = 16
"""Maximum number of parameters of a query."""
HEAD_S_MAX = HANDSHAKE_MS_MAX / 1_000
"""Maximum time in which the head of a request arrives, and the handshake of TLS before it."""
JSON_BYTES_FACTOR = 2
"""Maximum number of bytes of a request's JSON for each byte that its largest message may have."""
HEAD_BYTES_MAX = 64 * 1024
"""Maximum size of the head of a request: of a larger one, no more than its connection is ended."""
COMPRESSED_BYTES_MIN = 1024
"""Size from which a response is compressed: a smaller one gains nothing."""
COMPRESSED_BYTES_MAX = 256 * 1024
"""Maximum size of a response that is compressed: a larger one would hold up the others."""
LINGER_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of a body that nobody reads and that is received all the same, so that its client sees the response."""
LINGER_S = 2.0  # time: a client that does not wait within a body has sent it by then
"""Maximum time for which such a body is received."""
IDLE_S = 120.0  # time: as long as proxies keep a connection
"""Time without a request after which a connection is closed, unless the settings say otherwise."""
BACKLOG = 2048
"""Maximum number of connections that wait to be accepted."""
