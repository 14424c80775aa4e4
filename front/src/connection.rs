//! Connections: accepted, perhaps encrypted, and served until they end, are too old, or the front end stops.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
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
    CLOGGED_BYTES_MIN, CONNECTION_WINDOW_BYTES, EARLY_RESETS_MAX, HEADER_BYTES_FACTOR, HTTP1_BUFFER_BYTES,
    SEND_BUFFER_BYTES, STREAM_WINDOW_BYTES,
};
use crate::queue::Turns;
use crate::response::Body;
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
    let Some((preface, is_http2)) = begun(first_bytes(&mut stream), settings.handshake, &mut stage).await else {
        return;
    };
    let is_unix = connection.address.starts_with(UNIX);
    let connection = Arc::new(connection);
    let io = TokioIo::new(Reread {
        preface,
        stream,
        authorities: (is_unix && is_http2).then(Authorities::default),
    });
    let calls = {
        let connection = Arc::clone(&connection);
        service_fn(move |request| serve(Arc::clone(&connection), request))
    };
    if is_http2 {
        end_in_time(&connection, pin!(builder(&shared).serve_connection(io, calls)), stage).await;
    } else {
        end_in_time(&connection, pin!(builder1(&shared).serve_connection(io, calls)), stage).await;
    }
}

/// Read what tells HTTP/2 apart from HTTP/1.1: its preface, or the first bytes of something else.
async fn first_bytes<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<(Bytes, bool)> {
    let mut bytes = Vec::with_capacity(PREFACE.len());
    while bytes.len() < PREFACE.len() && PREFACE.starts_with(&bytes) {
        let mut rest = (&mut *stream).take((PREFACE.len() - bytes.len()) as u64);
        if rest.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    let is_http2 = bytes == PREFACE;
    Ok((bytes.into(), is_http2))
}

/// A connection that is being served.
trait Serving: Future {
    /// Take no further calls.
    fn end_gracefully(self: Pin<&mut Self>);
}

impl<I, S> Serving for http1::Connection<I, S>
where
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    S: hyper::service::HttpService<Incoming, ResBody = Body>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    fn end_gracefully(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<I, S, E> Serving for http2::Connection<I, S, E>
where
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    S: hyper::service::HttpService<Incoming, ResBody = Body>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    E: hyper::rt::bounds::Http2ServerConnExec<S::Future, Body>,
{
    fn end_gracefully(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Serve a connection until it ends, is too old or idle, or the front end stops.
async fn end_in_time(
    connection: &Connection,
    mut serving: Pin<&mut (dyn Serving<Output = hyper::Result<()>> + Send)>,
    mut stage: watch::Receiver<Stage>,
) {
    let settings = &connection.shared.settings;
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
        serving.as_mut().end_gracefully();
    }
}

/// HTTP/1.1, for which the time is bounded in which the head of a request arrives.
fn builder1(shared: &Shared) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .auto_date_header(false)
        .header_read_timeout(shared.settings.handshake)
        .max_buf_size(HTTP1_BUFFER_BYTES);
    builder
}

fn builder(shared: &Shared) -> http2::Builder<TokioExecutor> {
    let settings = &shared.settings;
    let mut builder = http2::Builder::new(TokioExecutor::new());
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
    preface: Bytes,
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
        let size = self.preface.len().min(buffer.remaining());
        let first = self.preface.split_to(size);
        buffer.put_slice(&first);
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
