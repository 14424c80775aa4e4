//! A request: its headers, and its messages as they arrive.

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body::Body;
use hyper::body::Incoming;

use crate::call::Call;
use crate::count::Refused;
use crate::framing::Framing;
use crate::limit::{ARRIVING_BYTES_MAX, INFLATED_IN_LOOP_BYTES_MAX, INLINE_BYTES_MAX, PART_BYTES};
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
        match headers.get("grpc-encoding").map(HeaderValue::as_bytes) {
            None | Some(b"identity") => Self::Identity,
            Some(b"gzip") => Self::Gzip,
            Some(_) => Self::Unknown,
        }
    }
}

/// Return whether the client reads messages that are compressed by gzip: one that compresses its own, and does not say.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let mut named = headers.get_all("grpc-accept-encoding").iter().peekable();
    if named.peek().is_none() {
        return true;
    }
    named
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .any(|name| name.trim_ascii() == b"gzip")
}

/// Return true for gRPC, in any format of its messages, and not for gRPC-Web.
pub fn is_grpc(content_type: &HeaderValue) -> bool {
    let rest = content_type.as_bytes().strip_prefix(b"application/grpc");
    rest.is_some_and(|rest| matches!(rest, [] | [b'+' | b';' | b' ', ..]))
}

/// What a client sends with a call: headers, apart from those of HTTP/2 and of gRPC itself.
pub type Metadata = Box<[(HeaderName, HeaderValue)]>;

pub fn metadata_of(headers: &HeaderMap) -> Metadata {
    let own = headers.iter().filter(|(key, _)| !is_transports(key.as_str()));
    own.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The text of a key, the last one if there are several. What is not UTF-8 is replaced.
pub fn text_of<'a>(metadata: &'a Metadata, key: &str) -> Option<Cow<'a, str>> {
    let (_, value) = metadata.iter().rfind(|(name, _)| name.as_str() == key)?;
    // Values of other keys are bytes.
    (!key.ends_with("-bin")).then(|| String::from_utf8_lossy(value.as_bytes()))
}

fn is_transports(key: &str) -> bool {
    matches!(
        key,
        "content-type" | "te" | "grpc-timeout" | "grpc-encoding" | "grpc-accept-encoding" | "content-length" | "host"
    )
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
    Status(Refused, Status),
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

/// Where the frames of a request's messages come from.
pub trait Source: Send + 'static {
    /// Return false if the next piece is too large to be received before the call is admitted.
    fn is_small(&mut self) -> impl Future<Output = Result<bool, Broken>> + Send {
        std::future::ready(Ok(true))
    }

    /// Receive the next piece, which ends anywhere in a frame; none after the last.
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>, Broken>> + Send;
}

impl Source for Incoming {
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>, Broken>> + Send {
        frame_of(self)
    }
}

/// Receive the data of the next frame of a body; none after the last.
pub async fn frame_of(body: &mut Incoming) -> Result<Option<Bytes>, Broken> {
    loop {
        match poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
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

/// The messages of a request.
pub struct Messages<S> {
    body: S,
    method: Arc<Method>,
    encoding: Encoding,
    arrived: Framing,
    /// A compressed message that has arrived, and is too large to be inflated before the call is admitted.
    compressed: Option<Bytes>,
    /// The number of bytes of the current message that are to be passed on, if it is passed on in parts.
    rest: usize,
    /// What is to be passed on of a message that has arrived in full.
    whole: Bytes,
}

/// A message, or a part of one that is large.
struct Part {
    data: Bytes,
    is_last: bool,
}

impl<S: Source> Messages<S> {
    pub fn new(body: S, method: Arc<Method>, encoding: Encoding) -> Self {
        Self {
            body,
            method,
            encoding,
            arrived: Framing::default(),
            compressed: None,
            rest: 0,
            whole: Bytes::new(),
        }
    }

    /// Receive the message of a call that is not admitted, if it is small and there is room for it.
    pub async fn early(&mut self, shared: &Shared) -> Result<Early, Broken> {
        if !self.body.is_small().await? {
            return Ok(Early::Later);
        }
        let Some(first) = self.body.next().await? else {
            return Ok(Early::Whole(None));
        };
        // Nearly every request is small, and arrives as one frame.
        if let Some(message) = self.only_message(&first) {
            return Ok(Early::Whole(Some(message)));
        }
        self.arrived.append(&first);
        let mut arriving = Arriving { shared, size: 0 };
        loop {
            if let Some((is_compressed, size)) = self.next_prefix()? {
                if size > INLINE_BYTES_MAX {
                    return Ok(Early::Later);
                }
                if let Some(data) = self.arrived.take(size) {
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
                return if self.arrived.is_empty() {
                    Ok(Early::Whole(None))
                } else {
                    Err(self.damaged(shared))
                };
            }
        }
    }

    /// Receive the next message, or the next part of it; none after the last message.
    async fn next(&mut self, shared: &Shared) -> Result<Option<Part>, Broken> {
        if self.rest > 0 {
            return self.next_part(shared).await.map(Some);
        }
        if !self.whole.is_empty() {
            return Ok(Some(self.part_of_whole()));
        }
        let (is_compressed, data) = match self.compressed.take() {
            Some(data) => (true, data),
            None => loop {
                if let Some((is_compressed, size)) = self.next_prefix()? {
                    if size > PART_BYTES && !is_compressed {
                        self.arrived.skip_prefix();
                        self.rest = size;
                        return self.next_part(shared).await.map(Some);
                    }
                    if let Some(data) = self.arrived.take(size) {
                        break (is_compressed, data);
                    }
                }
                if !self.receive().await? {
                    return if self.arrived.is_empty() {
                        Ok(None)
                    } else {
                        Err(self.damaged(shared))
                    };
                }
            },
        };
        if !is_compressed {
            return Ok(Some(Part { data, is_last: true }));
        }
        let maximum = self.method.bytes_max;
        let result = if data.len() <= INFLATED_IN_LOOP_BYTES_MAX && maximum <= INLINE_BYTES_MAX {
            inflated(&data, maximum)
        } else {
            let inflating = tokio::task::spawn_blocking(move || inflated(&data, maximum));
            inflating.await.unwrap_or(Err(Inflation::Damaged))
        };
        match result {
            Ok(message) => {
                self.whole = message;
                Ok(Some(self.part_of_whole()))
            }
            Err(Inflation::TooLarge) => Err(self.too_large()),
            Err(Inflation::Damaged) => Err(self.damaged(shared)),
        }
    }

    fn part_of_whole(&mut self) -> Part {
        let data = self.whole.split_to(self.whole.len().min(PART_BYTES));
        let is_last = self.whole.is_empty();
        Part { data, is_last }
    }

    /// Receive the next part of a message whose prefix was dropped.
    async fn next_part(&mut self, shared: &Shared) -> Result<Part, Broken> {
        let size = self.rest.min(PART_BYTES);
        loop {
            if let Some(data) = self.arrived.take_part(size) {
                self.rest -= size;
                return Ok(Part {
                    data,
                    is_last: self.rest == 0,
                });
            }
            if !self.receive().await? {
                return Err(self.damaged(shared));
            }
        }
    }

    /// Pass the messages on to Python, each when it asks for it.
    pub async fn pass_on(mut self, call: Arc<Call>) {
        let shared = &call.connection.shared;
        loop {
            if self.rest == 0 && self.whole.is_empty() {
                call.wanted.notified().await;
            }
            let (signal, is_last) = match self.next(shared).await {
                Ok(Some(Part { data, is_last: true })) => (Signal::Message(data), false),
                Ok(Some(Part { data, .. })) => (Signal::Part(data), false),
                Ok(None) => (Signal::End, true),
                Err(Broken::Status(refused, status)) => {
                    shared.refused.add(refused);
                    (Signal::Broken(status), true)
                }
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
        let Some((flag, size)) = self.arrived.prefix() else {
            return Ok(None);
        };
        if size > self.method.bytes_max {
            return Err(self.too_large());
        }
        match (flag, self.encoding) {
            (0, _) => Ok(Some((false, size))),
            (1, Encoding::Gzip) => Ok(Some((true, size))),
            (1, Encoding::Unknown) => {
                let message = "the compression of the request is unknown: use gzip, or none";
                Err(Broken::Status(
                    Refused::Malformed,
                    Status::plain(UNIMPLEMENTED, message),
                ))
            }
            _ => {
                let message = "a message is marked as compressed, and the headers name no compression";
                Err(Broken::Status(Refused::Malformed, Status::plain(INTERNAL, message)))
            }
        }
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
        let Some(data) = self.body.next().await? else {
            return Ok(false);
        };
        self.arrived.append(&data);
        Ok(true)
    }

    fn too_large(&self) -> Broken {
        Broken::Status(Refused::TooLarge, self.method.too_large.clone())
    }

    #[allow(clippy::unused_self)]
    fn damaged(&self, shared: &Shared) -> Broken {
        Broken::Status(Refused::Malformed, shared.refusals.malformed.clone())
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::{HeaderMap, HeaderValue};
    use proptest::prelude::{any, proptest};
    use proptest::{prop_assert, prop_assert_eq};

    use super::timeout_of;

    fn timeout(value: &[u8]) -> Option<Result<Option<Duration>, ()>> {
        let value = HeaderValue::from_bytes(value).ok()?;
        Some(timeout_of(&HeaderMap::from_iter([(
            http::HeaderName::from_static("grpc-timeout"),
            value,
        )])))
    }

    proptest! {
        #[test]
        fn a_timeout_of_up_to_eight_digits_and_a_unit_is_read(count in 0..100_000_000_u32, zeros in 0..3_usize, unit in 0..6_usize) {
            let (letter, ns) = [
                ('n', 1),
                ('u', 1_000),
                ('m', 1_000_000),
                ('S', 1_000_000_000),
                ('M', 60_000_000_000),
                ('H', 3_600_000_000_000_u128),
            ][unit];
            let digits = format!("{}{count}", "0".repeat(zeros));
            let read = timeout(format!("{digits}{letter}").as_bytes()).unwrap();
            if digits.len() > 8 {
                prop_assert_eq!(read, Err(()));
            } else {
                prop_assert_eq!(read.unwrap().unwrap().as_nanos(), u128::from(count) * ns);
            }
        }

        #[test]
        fn any_other_timeout_is_refused(value in any::<Vec<u8>>()) {
            let is_valid = value.split_last().is_some_and(|(unit, digits)| {
                b"HMSmun".contains(unit) && (1..=8).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
            });
            prop_assert!(timeout(&value).is_none_or(|read| read.is_ok() == is_valid));
        }
    }

    #[test]
    fn a_call_without_a_timeout_waits_for_ever() {
        assert_eq!(timeout_of(&HeaderMap::new()), Ok(None));
    }
}
