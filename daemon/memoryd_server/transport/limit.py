"""Sizes and delays of the transports: messages, pings, and the end of calls.

A constant's unit is in its name: BYTES, MS (milliseconds), S (seconds); any other name counts what it names.
"""

# Messages.

MESSAGE_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of a request. ``GetServerInfo`` reports it."""
SENT_MESSAGE_BYTES_MAX = 4 * MESSAGE_BYTES_MAX
"""Maximum size of a response: it may contain what arrived in several requests."""
ERROR_TEXT_BYTES_MAX = 1_400
"""Maximum size of the message of an error. The trailers of a response contain it three times, encoded, and clients
refuse trailers of 8 KiB."""
CALL_METADATA_BYTES_MAX = 16 * 1024
"""Maximum size of a call's metadata: a token, a deadline, and what proxies add."""
UNREAD_RESPONSES_MAX = 16
"""Maximum number of responses that a method sends within the process before its caller reads them."""

# Connections.

PING_INTERVAL_MS_MIN = 5_000
"""Minimum interval of a client's pings without calls: sidecars ping every 10 to 60 seconds."""
KEEPALIVE_INTERVAL_MS = 60_000
"""Time without traffic after which the server pings a client."""
KEEPALIVE_TIMEOUT_MS = 20_000
"""Maximum time for the reply to a ping; then the connection is closed."""
RETRY_DELAY_MS = 250
"""Delay that a client is asked to wait before it retries a call to an unavailable server."""

# The end of the server.

OPERATIONS_END_S = 5.0
"""Maximum time that operations take to stop, once they did not end in the time that calls get."""
WATCHES_END_S = 5.0
"""Maximum time that watches take to send their last messages when the daemon drains."""
RESPONSES_END_S = 1.0
"""Maximum time that the last responses take to leave when the server stops. Without it gRPC cancels them."""

# Memory and turns of the event loop.

DECODED_IN_LOOP_BYTES_MAX = 128 * 1024
"""Maximum size of a change of many records that is decoded on the event loop: that takes some milliseconds."""
HASHED_IN_LOOP_BYTES_MAX = 256 * 1024
"""Maximum size of a piece of a file that is hashed on the event loop: that takes less than a millisecond."""
ENCODED_ENTRIES_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of all encoded entries that are kept for the next reader."""
ENCODED_ENTRY_BYTES_MAX = 16 * 1024
"""Maximum size of an encoded entry that is kept: a larger one would evict too many others."""
