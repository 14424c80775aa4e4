//! A request: its headers, and its messages as they arrive.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body::Body;
use hyper::body::Incoming;

use crate::call::Call;
use crate::limit::{ARRIVING_BYTES_MAX, INFLATED_IN_LOOP_BYTES_MAX, INLINE_BYTES_MAX};
use crate::payload::{Inflation, PREFIX_BYTES, inflated};
use crate::queue::Signal;
use crate::route::{Method, Shared};
use crate::status::{INTERNAL, Status, UNIMPLEMENTED};

/// The compression of a request's messages, by its headers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Identity,
    Gzip,
    Unknown,
}

impl Encoding {
    pub fn of(headers: &HeaderMap) -> Self {
        match headers.get("grpc-encoding").map(http::HeaderValue::as_bytes) {
            None | Some(b"identity") => Self::Identity,
            Some(b"gzip") => Self::Gzip,
            Some(_) => Self::Unknown,
        }
    }
}

/// Return how long a client waits, by its headers: none for ever. Fails for a value that gRPC does not allow.
pub fn timeout_of(headers: &HeaderMap) -> Result<Option<Duration>, ()> {
    let Some(value) = headers.get("grpc-timeout") else {
        return Ok(None);
    };
    let text = value.to_str().map_err(drop)?;
    let (digits, unit) = text.split_at_checked(text.len().wrapping_sub(1)).ok_or(())?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(());
    }
    let count: u64 = digits.parse().map_err(drop)?;
    let timeout = match unit {
        "H" => Duration::from_secs(count * 3_600),
        "M" => Duration::from_secs(count * 60),
        "S" => Duration::from_secs(count),
        "m" => Duration::from_millis(count),
        "u" => Duration::from_micros(count),
        "n" => Duration::from_nanos(count),
        _ => return Err(()),
    };
    Ok(Some(timeout))
}

/// Why no further message comes.
pub enum Broken {
    /// The call is to be ended with this status.
    Status(Status),
    /// The client has left.
    Left,
}

/// What has arrived of a request before its call is admitted.
pub enum Early {
    /// The only message, or nothing if the request has none.
    Whole(Option<Bytes>),
    /// It is to be received once the call is admitted.
    Later,
}

/// The messages of a request.
pub struct Messages {
    body: Incoming,
    method: Arc<Method>,
    encoding: Encoding,
    buffer: BytesMut,
    /// A compressed message that has arrived, and is too large to be inflated before the call is admitted.
    compressed: Option<Bytes>,
}

impl Messages {
    pub fn new(body: Incoming, method: Arc<Method>, encoding: Encoding) -> Self {
        Self {
            body,
            method,
            encoding,
            buffer: BytesMut::new(),
            compressed: None,
        }
    }

    /// Receive the message of a call that is not admitted, if it is small and there is room for it.
    pub async fn early(&mut self, shared: &Shared) -> Result<Early, Broken> {
        let Some(first) = self.frame().await? else {
            return Ok(Early::Whole(None));
        };
        // Nearly every request is small, and arrives as one frame.
        if let Some(message) = self.only_message(&first) {
            return Ok(Early::Whole(Some(message)));
        }
        self.buffer.extend_from_slice(&first);
        let mut arriving = Arriving { shared, size: 0 };
        loop {
            if let Some((is_compressed, size)) = self.next_prefix()? {
                if size > INLINE_BYTES_MAX {
                    return Ok(Early::Later);
                }
                if self.buffer.len() >= PREFIX_BYTES + size {
                    let data = self.split(size);
                    if !is_compressed {
                        return Ok(Early::Whole(Some(data)));
                    }
                    if data.len() > INFLATED_IN_LOOP_BYTES_MAX {
                        self.compressed = Some(data);
                        return Ok(Early::Later);
                    }
                    return match inflated(&data, INLINE_BYTES_MAX.min(self.method.bytes_max)) {
                        Ok(message) => Ok(Early::Whole(Some(message))),
                        Err(Inflation::Damaged) => Err(self.damaged(shared)),
                        Err(Inflation::TooLarge) if self.method.bytes_max <= INLINE_BYTES_MAX => Err(self.too_large()),
                        Err(Inflation::TooLarge) => {
                            self.compressed = Some(data);
                            Ok(Early::Later)
                        }
                    };
                }
                if !arriving.grow(PREFIX_BYTES + size) {
                    return Ok(Early::Later);
                }
            }
            if !self.receive().await? {
                return if self.buffer.is_empty() {
                    Ok(Early::Whole(None))
                } else {
                    Err(self.damaged(shared))
                };
            }
        }
    }

    /// Receive the next message; none after the last.
    async fn next(&mut self, shared: &Shared) -> Result<Option<Bytes>, Broken> {
        let (is_compressed, data) = match self.compressed.take() {
            Some(data) => (true, data),
            None => loop {
                if let Some((is_compressed, size)) = self.next_prefix()?
                    && self.buffer.len() >= PREFIX_BYTES + size
                {
                    break (is_compressed, self.split(size));
                }
                if !self.receive().await? {
                    return if self.buffer.is_empty() {
                        Ok(None)
                    } else {
                        Err(self.damaged(shared))
                    };
                }
            },
        };
        if !is_compressed {
            return Ok(Some(data));
        }
        let maximum = self.method.bytes_max;
        let result = if data.len() <= INFLATED_IN_LOOP_BYTES_MAX && maximum <= INLINE_BYTES_MAX {
            inflated(&data, maximum)
        } else {
            let inflating = tokio::task::spawn_blocking(move || inflated(&data, maximum));
            inflating.await.unwrap_or(Err(Inflation::Damaged))
        };
        match result {
            Ok(message) => Ok(Some(message)),
            Err(Inflation::TooLarge) => Err(self.too_large()),
            Err(Inflation::Damaged) => Err(self.damaged(shared)),
        }
    }

    /// Pass the messages on to Python, each when it asks for it.
    pub async fn pass_on(mut self, call: Arc<Call>) {
        let shared = &call.connection.shared;
        loop {
            call.wanted.notified().await;
            let (signal, is_last) = match self.next(shared).await {
                Ok(Some(message)) => (Signal::Message(message), false),
                Ok(None) => (Signal::End, true),
                Err(Broken::Status(status)) => (Signal::Broken(status), true),
                Err(Broken::Left) => return,
            };
            shared.queue.tell(call.id, signal);
            if is_last {
                return;
            }
        }
    }

    /// Return the prefix of the message that comes next, once it has arrived.
    fn next_prefix(&self) -> Result<Option<(bool, usize)>, Broken> {
        let Some(&[flag, a, b, c, d]) = self.buffer.first_chunk::<PREFIX_BYTES>() else {
            return Ok(None);
        };
        let size = u32::from_be_bytes([a, b, c, d]) as usize;
        if size > self.method.bytes_max {
            return Err(self.too_large());
        }
        match (flag, self.encoding) {
            (0, _) => Ok(Some((false, size))),
            (1, Encoding::Gzip) => Ok(Some((true, size))),
            (1, Encoding::Unknown) => {
                let message = "the compression of the request is unknown: use gzip, or none";
                Err(Broken::Status(Status::plain(UNIMPLEMENTED, message)))
            }
            _ => {
                let message = "a message is marked as compressed, and the headers name no compression";
                Err(Broken::Status(Status::plain(INTERNAL, message)))
            }
        }
    }

    fn split(&mut self, size: usize) -> Bytes {
        let mut message = self.buffer.split_to(PREFIX_BYTES + size);
        let _ = message.split_to(PREFIX_BYTES);
        message.freeze()
    }

    /// Return a copy of the message that is alone in a frame, if there is one. The frame is a part of a larger buffer,
    /// which is not to be held.
    fn only_message(&self, frame: &[u8]) -> Option<Bytes> {
        let (&[flag, a, b, c, d], data) = frame.split_first_chunk::<PREFIX_BYTES>()?;
        let size = u32::from_be_bytes([a, b, c, d]) as usize;
        let is_whole = flag == 0 && size == data.len() && size <= self.method.bytes_max && size <= INLINE_BYTES_MAX;
        is_whole.then(|| Bytes::copy_from_slice(data))
    }

    /// Receive more of the request. Returns false at its end.
    async fn receive(&mut self) -> Result<bool, Broken> {
        let Some(data) = self.frame().await? else {
            return Ok(false);
        };
        self.buffer.extend_from_slice(&data);
        Ok(true)
    }

    /// Receive the data of the next frame; none after the last.
    async fn frame(&mut self) -> Result<Option<Bytes>, Broken> {
        loop {
            match poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await {
                None => return Ok(None),
                Some(Err(_)) => return Err(Broken::Left),
                Some(Ok(frame)) => {
                    // Trailers of a request mean nothing to gRPC.
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    fn too_large(&self) -> Broken {
        Broken::Status(self.method.too_large.clone())
    }

    #[allow(clippy::unused_self)]
    fn damaged(&self, shared: &Shared) -> Broken {
        Broken::Status(shared.refusals.malformed.clone())
    }
}

/// What a request that arrives counts of the bytes that all such requests may have together.
struct Arriving<'a> {
    shared: &'a Shared,
    size: usize,
}

impl Arriving<'_> {
    /// Count the request as one of this size. Returns false if there is no room for it.
    fn grow(&mut self, size: usize) -> bool {
        let more = size - self.size;
        self.size = size;
        self.shared.arriving_bytes.fetch_add(more, Ordering::AcqRel) + more <= ARRIVING_BYTES_MAX
    }
}

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        self.shared.arriving_bytes.fetch_sub(self.size, Ordering::AcqRel);
    }
}
