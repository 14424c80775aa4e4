"""Sizes and delays of the transports: messages, pings, and the end of calls.

A constant's unit is in its name: BYTES, MS (milliseconds), S (seconds); any other name counts what it names.
"""

# Messages.

MESSAGE_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of a request. ``GetServerInfo`` reports it."""
SMALL_MESSAGE_BYTES_MAX = 1024 * 1024
"""Maximum size of a request whose fields need no more. That of any other is what its fields allow together."""
MESSAGE_WITHOUT_CONTENT_BYTES_MAX = 4 * 1024 * 1024
"""Maximum size of a request that has no content, such as a list with filters."""
MESSAGE_ELEMENTS_MAX = 256 * 1024
"""Maximum number of fields that are set in a request, at all depths, and of the elements of those that are repeated:
a message of that many is parsed in less than 20 ms, which nothing can interrupt."""
MESSAGE_DEPTH_MAX = 100
"""Maximum depth of messages in each other: that of protobuf's parsers."""
ITEMS_DEFAULT_MAX = 1_000
"""Maximum number of elements of a repeated field that has no maximum of its own, such as a list of types."""
ITEM_BYTES_DEFAULT = 1_024
"""Size that an element of a repeated field is taken to need if it has no maximum of its own, such as an id."""
RECURSIVE_MESSAGE_BYTES_MAX = 1024 * 1024
"""Size that all messages within one of their own type, such as filters, are taken to need."""
JSON_MESSAGE_BYTES_DEFAULT = 4 * 1024 * 1024
"""Size that a JSON value as a message is taken to need if its field has no maximum of its own."""
MESSAGE_BYTES_OF_JSON_MAX = 6
"""Maximum number of a message's bytes per byte of its JSON text: a number in a list, such as ``1,``, takes 11."""
PARSED_IN_LOOP_BYTES_MAX = 64 * 1024
"""Maximum size of a request that is parsed and decoded on the event loop, without counting its elements first."""
SENT_MESSAGE_BYTES_MAX = 4 * MESSAGE_BYTES_MAX
"""Maximum size of a response: it may contain what arrived in several requests."""
ERROR_TEXT_BYTES_MAX = 1_400
"""Maximum size of the message of an error. The trailers of a response contain it three times, encoded, and clients
refuse trailers of 8 KiB."""
CALL_METADATA_BYTES_MAX = 16 * 1024
"""Maximum size of a call's metadata: a token, a deadline, and what proxies add."""
MINOR_VERSIONS_APART_MAX = 2
"""Maximum difference of the minor versions of client and daemon before 1.0. From then on, the major version counts."""
USER_AGENTS_MAX = 256
"""Maximum number of user agents of supported clients that are remembered."""
COLLECTED_BYTES_MAX = 128 * 1024 * 1024
"""Maximum size of all requests together that the front end receives as a whole, such as JSON."""
LARGE_REQUEST_BYTES_MIN = 256 * 1024
"""Size from which a request counts against ``request_bytes``: smaller ones are bounded by the number of calls."""
LARGE_RESPONSE_BYTES_MIN = 16 * 1024
"""Size from which a response counts against ``response_bytes`` until its client has read it."""
RESPONSE_UNREAD_S = 120.0
"""Maximum time for which a large response waits for its client: 16 MiB take as long over a line of 1 Mbit/s."""
LARGE_BLOCK_BYTES_MIN = 4 * 1024 * 1024
"""Size from which a block of memory is returned to the system as soon as it is freed."""
FREE_BYTES_MAX = 64 * 1024 * 1024
"""Maximum size of free memory at the end of the heap. What exceeds it is returned at once."""
MEMORY_RETURN_S = 4.0
"""Time after a large message, a refused request or a stream when the daemon returns the other freed memory."""
ARRIVAL_LOOK_S = 0.05
"""Interval at which the gate looks for requests that are still arriving. Memory may grow by what arrives within two."""
ARRIVAL_LOOKS_MAX = 600
"""Maximum number of looks for which a request may be arriving: 30 seconds."""
STREAM_IDLE_S = 60.0
"""Maximum time between two messages of a file that a client sends, or reads. Clients send a piece within seconds."""
UNREAD_RESPONSES_MAX = 16
"""Maximum number of responses that a method sends within the process before its caller reads them."""

# Connections.

CONNECTION_STREAMS_MAX = 4_096
"""Maximum number of calls and watches on one connection, those included that the daemon has not seen yet. gRPC refuses
more with UNAVAILABLE. Each costs about 10 kB before anybody knows who calls."""
PENDING_CALLS_MAX = 16_384
"""Maximum number of calls, on all connections, that wait for the event loop to admit or refuse them. gRPC drops more
with CANCELLED. Calls that a client took back count until the loop sees them, so that this bounds what they cost: about
200 MB. It is a multiple of what one connection may have, so that one connection cannot shut out the others."""
PING_INTERVAL_MS_MIN = 5_000
"""Minimum interval of a client's pings without calls: sidecars ping every 10 to 60 seconds."""
HANDSHAKE_MS_MAX = 20_000
"""Maximum time from a connection to the end of its handshake: of TLS, if there is one, and of HTTP/2."""
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
CANCELLED_END_S = 1.0
"""Maximum time that calls take to end once the server has stopped: gRPC cancels them without waiting for that."""

# Memory and turns of the event loop.

TURN_S_MAX = 0.001
"""Time after which the front end's further calls wait for the next turn of the event loop."""

ENCODED_ENTRIES_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of all encoded entries that are kept for the next reader."""
ENCODED_ENTRY_BYTES_MAX = 16 * 1024
"""Maximum size of an encoded entry that is kept: a larger one would evict too many others."""

# The audit.

AUDIT_AGENTS_MAX = 100
"""Maximum number of agents in an audit record."""
AUDIT_WATCH_RECORDS_MAX = 1_000
"""Maximum number of audit records that wait for one reader. Beyond it, the oldest are dropped, and counted."""
AUDIT_DENIALS_MAX = 1_000
"""Maximum number of one caller's denied calls in AUDIT_DENIALS_S that leave a record. Further ones are counted."""
AUDIT_DENIALS_S = 60.0
"""Time after which denied calls are counted from the start again."""
