//! Sizes and times of the front end that no setting changes. What clients can rely on comes with the settings.

use std::time::Duration;

/// Maximum size of a message that is received before Python has admitted its call: up to here Python parses it at once.
pub const INLINE_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of bytes that all requests have together that are received before their calls are admitted.
/// Those beyond it are received after that, as large ones are.
pub const ARRIVING_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Maximum number of bytes that all requests have together that must arrive as a whole before they are passed on: messages
/// without frames, and JSON.
pub const COLLECTED_BYTES_MAX: usize = 128 * 1024 * 1024;
/// Factor by which JSON may be larger than the largest message of its method: base64 takes a third more, and names.
pub const JSON_BYTES_FACTOR: usize = 2;
/// Time for which a request as JSON waits to be read, after all that came before it. It is less than what a request may take
/// to arrive.
pub const READING_WAIT: Duration = Duration::from_secs(10);
/// Maximum number of bytes of a request of HTTP/1.1 that are read behind its message, and the time for that. Those of a
/// request that is refused as too large are among them: a client that still sends would lose the refusal with the connection.
pub const REST_BYTES_MAX: usize = 16 * 1024 * 1024;
pub const REST_WAIT: Duration = Duration::from_secs(2);
/// Maximum number of bytes of the head of a request of HTTP/1.1, and of what is read ahead of it.
pub const HTTP1_BUFFER_BYTES: usize = 64 * 1024;
/// Size from which a message is passed on to Python in parts of it: while one is copied, the interpreter does nothing else.
pub const PART_BYTES: usize = 128 * 1024;
/// Maximum size of a piece of a message that is handed to HTTP/2 at a time: that of its frames.
pub const PIECE_BYTES: usize = 16 * 1024;
/// Maximum number of bytes that a stream of responses may have unsent while its method goes on.
pub const UNSENT_BYTES_MAX: usize = 16 * 1024;
/// Maximum number of bytes that all streams of responses may have unsent while their methods go on.
pub const UNSENT_TOTAL_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Number of unsent bytes from which a connection is one that does not read, once all have too many unsent.
pub const CLOGGED_BYTES_MIN: usize = 64 * 1024;
/// Size from which a response may wait for a client that does not read: that of the window of a client that sets none.
pub const WINDOW_BYTES_MIN: usize = 65_535;
/// Size from which a response is sent from the memory of its Python object, instead of being copied.
pub const SHARED_BYTES_MIN: usize = 8 * 1024;
/// Size from which a response is compressed for a client that compresses its request.
pub const COMPRESSED_BYTES_MIN: usize = 1024;
/// Maximum size of a response that is compressed: 256 KiB take about 3 ms, in which the thread serves no other connection.
pub const COMPRESSED_BYTES_MAX: usize = 256 * 1024;
/// Size of compressed data above which it is inflated on a thread of its own.
pub const INFLATED_IN_LOOP_BYTES_MAX: usize = 16 * 1024;
/// Bytes that HTTP/2 may send of one request before they are received.
pub const STREAM_WINDOW_BYTES: u32 = 64 * 1024;
/// Bytes that HTTP/2 may send of all requests of a connection before they are received.
pub const CONNECTION_WINDOW_BYTES: u32 = 1024 * 1024;
/// Maximum number of bytes that HTTP/2 buffers of one response.
pub const SEND_BUFFER_BYTES: usize = 16 * 1024;
/// Factor by which the headers of a call may exceed the limit of its metadata before the connection is in error. Between
/// the two, only the call is refused.
pub const HEADER_BYTES_FACTOR: u32 = 4;
/// Maximum number of streams that were reset before the front end has seen them; then the connection ends.
pub const EARLY_RESETS_MAX: usize = 100;
/// Maximum number of calls that are refused for their full pool before Python's event loop takes its next turn.
pub const REFUSALS_MAX: usize = 64;
/// Maximum number of signals that Python's event loop gets in one turn.
pub const SIGNALS_MAX: usize = 8;
/// Number of TCP's probes without an answer after which a connection is closed.
pub const KEEP_ALIVE_RETRIES: u32 = 3;
/// Time after which connections are accepted again when there were no more open files.
pub const ACCEPT_RETRY: Duration = Duration::from_millis(50);
/// Maximum number of connections that wait to be accepted.
pub const BACKLOG: i32 = 4_096;
