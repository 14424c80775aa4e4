//! Connections: accepted, perhaps encrypted, and served until they end, are too old, or the front end stops.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::server::conn::http2::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use crate::authority::Authorities;
use crate::lane::Lane;
use crate::limit::{
    CLOGGED_BYTES_MIN, CONNECTION_WINDOW_BYTES, EARLY_RESETS_MAX, HEADER_BYTES_FACTOR, SEND_BUFFER_BYTES,
    STREAM_WINDOW_BYTES,
};
use crate::queue::Turns;
use crate::route::Shared;
use crate::service::serve;

/// What a client of HTTP/2 sends first: RFC 9113, section 3.4.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What the addresses of clients of a unix socket begin with.
pub const UNIX: &str = "unix:";

/// How far the end of the front end has come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Serving,
    /// Connections take no new calls, and end with those that they have.
    Draining,
    /// Connections end at once.
    Closing,
}

/// One client's connection.
pub struct Connection {
    /// The client's address, as people read it.
    pub address: String,
    /// The same for Python, once it has asked: the calls of a connection share it.
    pub python_address: PyOnceLock<Py<PyString>>,
    /// The names in the client's certificate.
    pub identities: Vec<String>,
    pub shared: Arc<Shared>,
    pub lane: Arc<Lane>,
    pub turns: Arc<Turns>,
    /// The bytes of responses that were not sent yet.
    pub unsent_bytes: AtomicUsize,
    active: AtomicUsize,
    quiet_since: Mutex<Instant>,
}

/// A call of a connection, which is not idle while it lasts.
pub struct Active(Arc<Connection>);

impl Connection {
    pub fn new(address: String, identities: Vec<String>, shared: Arc<Shared>, lane: Arc<Lane>) -> Self {
        let turns = shared.queue.turns();
        Self {
            address,
            python_address: PyOnceLock::new(),
            identities,
            shared,
            lane,
            turns,
            unsent_bytes: AtomicUsize::new(0),
            active: AtomicUsize::new(0),
            quiet_since: Mutex::new(Instant::now()),
        }
    }

    pub fn enter(self: &Arc<Self>) -> Active {
        self.active.fetch_add(1, Ordering::Relaxed);
        self.shared.calls.fetch_add(1, Ordering::Relaxed);
        Active(Arc::clone(self))
    }

    /// Return true if so many responses wait for their clients that one that does not read its own gets no more.
    pub fn is_clogged(&self) -> bool {
        let shared = &self.shared;
        self.unsent_bytes.load(Ordering::Acquire) > CLOGGED_BYTES_MIN
            && shared.unsent_bytes.load(Ordering::Acquire) + shared.told_bytes.load(Ordering::Acquire)
                > shared.settings.unsent_bytes_max
    }

    /// Return when the connection has been idle for a time, if no call comes meanwhile.
    fn idle_end(&self, idle: Duration) -> Instant {
        if self.active.load(Ordering::Relaxed) == 0 {
            *self.quiet_since.lock().expect("no holder of the lock panics") + idle
        } else {
            Instant::now() + idle
        }
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.0.shared.calls.fetch_sub(1, Ordering::Relaxed);
        if self.0.active.fetch_sub(1, Ordering::Relaxed) == 1 && !self.0.shared.settings.idle.is_zero() {
            *self.0.quiet_since.lock().expect("no holder of the lock panics") = Instant::now();
        }
    }
}

/// Take a step of a connection's beginning. Returns none if it fails, takes too long, or the front end drains meanwhile.
pub async fn begun<T>(
    step: impl Future<Output = io::Result<T>>,
    maximum: Duration,
    stage: &mut watch::Receiver<Stage>,
) -> Option<T> {
    tokio::select! {
        result = timeout(maximum, step) => result.ok()?.ok(),
        _ = stage.changed() => None,
    }
}

/// Serve a connection until it ends. ``stream`` is past its handshake of TLS, if there is one.
pub async fn run<S>(connection: Connection, mut stream: S, mut stage: watch::Receiver<Stage>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let shared = Arc::clone(&connection.shared);
    let settings = &shared.settings;
    // Another protocol would be told apart here, by its first bytes.
    let mut preface = [0; PREFACE.len()];
    let reading = stream.read_exact(&mut preface);
    if begun(reading, settings.handshake, &mut stage).await.is_none() || preface != *PREFACE {
        return;
    }
    let is_unix = connection.address.starts_with(UNIX);
    let connection = Arc::new(connection);
    let io = TokioIo::new(Reread {
        preface: PREFACE,
        stream,
        authorities: is_unix.then(Authorities::default),
    });
    let calls = {
        let connection = Arc::clone(&connection);
        service_fn(move |request| serve(Arc::clone(&connection), request))
    };
    let mut serving = pin!(builder(&shared).serve_connection(io, calls));
    let age_end = Instant::now() + settings.age;
    let mut is_ending = false;
    loop {
        let idle_end = connection.idle_end(settings.idle);
        tokio::select! {
            _ = serving.as_mut() => return,
            _ = stage.changed() => match *stage.borrow_and_update() {
                Stage::Serving => continue,
                Stage::Draining => {}
                Stage::Closing => return,
            },
            () = sleep_until(age_end), if !is_ending && !settings.age.is_zero() => {}
            () = sleep_until(idle_end), if !is_ending && !settings.idle.is_zero() => {
                if connection.idle_end(settings.idle) > Instant::now() {
                    continue;
                }
            }
        }
        // GOAWAY: the client opens another connection for its next call.
        is_ending = true;
        serving.as_mut().graceful_shutdown();
    }
}

fn builder(shared: &Shared) -> Builder<TokioExecutor> {
    let settings = &shared.settings;
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .auto_date_header(false)
        .max_concurrent_streams(settings.streams_max)
        .max_header_list_size(settings.metadata_bytes_max * HEADER_BYTES_FACTOR)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(SEND_BUFFER_BYTES)
        .max_pending_accept_reset_streams(EARLY_RESETS_MAX)
        .keep_alive_interval(settings.keep_alive)
        .keep_alive_timeout(settings.keep_alive_timeout);
    builder
}

/// A stream of bytes whose first ones, the preface, are read again. What comes over a unix socket is mended.
struct Reread<S> {
    preface: &'static [u8],
    stream: S,
    authorities: Option<Authorities>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Reread<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.preface.is_empty() {
            let before = buffer.filled().len();
            let result = Pin::new(&mut self.stream).poll_read(context, buffer);
            if let Some(authorities) = &mut self.authorities {
                authorities.mend(&mut buffer.filled_mut()[before..]);
            }
            return result;
        }
        let (first, rest) = self.preface.split_at(self.preface.len().min(buffer.remaining()));
        buffer.put_slice(first);
        self.preface = rest;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Reread<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, data)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, data)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
