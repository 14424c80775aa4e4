//! The end of a call, as gRPC puts it into headers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode, percent_encode};

/// What gRPC's message must not contain: see "Responses" in its protocol over HTTP/2.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');

pub static GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
static GRPC_MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
static DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");

pub const OK: u32 = 0;
pub const CANCELLED: u32 = 1;
pub const INVALID_ARGUMENT: u32 = 3;
pub const DEADLINE_EXCEEDED: u32 = 4;
pub const UNIMPLEMENTED: u32 = 12;
pub const INTERNAL: u32 = 13;

/// A status: its code, a message for people, and a serialized `google.rpc.Status`, empty for none.
#[derive(Clone, Debug, Default)]
pub struct Status {
    pub code: u32,
    pub message: String,
    pub details: Bytes,
}

impl Status {
    /// A status without details.
    pub fn plain(code: u32, message: &str) -> Self {
        Self {
            code,
            message: message.to_owned(),
            details: Bytes::new(),
        }
    }

    /// Write the status into trailers, or into the headers of a response that has nothing else.
    pub fn write(&self, headers: &mut HeaderMap) {
        headers.insert(&GRPC_STATUS, HeaderValue::from(self.code));
        if !self.message.is_empty() {
            let escaped = percent_encode(self.message.as_bytes(), ESCAPED).to_string();
            headers.insert(&GRPC_MESSAGE, ascii(&escaped));
        }
        if !self.details.is_empty() {
            headers.insert(&DETAILS, ascii(&STANDARD_NO_PAD.encode(&self.details)));
        }
    }

    /// Read a status as ``write`` writes it; none without one.
    pub fn read(headers: &HeaderMap) -> Option<Self> {
        let code = headers.get(&GRPC_STATUS)?.to_str().ok()?.parse().ok()?;
        let message = headers
            .get(&GRPC_MESSAGE)
            .map(HeaderValue::as_bytes)
            .unwrap_or_default();
        let details = headers.get(&DETAILS).map(HeaderValue::as_bytes).unwrap_or_default();
        Some(Self {
            code,
            message: percent_decode(message).decode_utf8_lossy().into_owned(),
            details: STANDARD_NO_PAD.decode(details).unwrap_or_default().into(),
        })
    }

    /// The trailers of a response.
    pub fn trailers(&self) -> HeaderMap {
        let mut trailers = HeaderMap::with_capacity(1);
        self.write(&mut trailers);
        trailers
    }
}

fn ascii(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("the text was encoded for headers")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::Status;

    #[test]
    fn a_status_is_read_as_it_was_written() {
        let status = Status {
            code: 5,
            message: "50 % of \u{e9}\n".to_owned(),
            details: Bytes::from_static(b"\x08\x05"),
        };
        let read = Status::read(&status.trailers()).unwrap();
        assert_eq!(
            (read.code, read.message, read.details),
            (5, status.message, status.details)
        );
        assert!(Status::read(&http::HeaderMap::new()).is_none());
    }
}
