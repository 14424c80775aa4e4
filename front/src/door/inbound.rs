//! Requests of other protocols, as the frames of gRPC's.

use std::sync::Arc;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::request::Parts;
use http::{Version, header};
use http_body::Body;
use hyper::body::Incoming;
use percent_encoding::percent_decode_str;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::count::Refused;
use crate::door::count::Collected;
use crate::door::json::Type;
use crate::door::protocol::{Format, Protocol};
use crate::door::reading::{Problem, on_thread, read};
use crate::framing::Framing;
use crate::limit::{INFLATED_IN_LOOP_BYTES_MAX, INLINE_BYTES_MAX, JSON_BYTES_FACTOR, REST_BYTES_MAX, REST_WAIT};
use crate::payload::{PREFIX_BYTES, prefix};
use crate::request::{Broken, Source, frame_of};
use crate::route::Method;
use crate::status::{INVALID_ARGUMENT, Status, UNIMPLEMENTED};

const URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The request of a call.
pub struct Inbound {
    connection: Arc<Connection>,
    method: Arc<Method>,
    body: Option<Incoming>,
    /// True if the next request of the connection comes behind this one.
    is_in_line: bool,
    form: Form,
}

/// The form in which its messages arrive.
enum Form {
    /// In frames, as gRPC's.
    Frames,
    /// In frames, as base64.
    Text(BytesMut),
    /// In frames, as JSON. ``true`` if frames may be compressed.
    JsonFrames(Framing, Type, bool, Collected),
    /// Without a frame: it is the only one.
    Whole(Box<Whole>),
    /// It was passed on.
    Done,
}

struct Whole {
    data: BytesMut,
    counted: Collected,
    is_complete: bool,
    is_gzip: bool,
    /// The message's type, if it is JSON.
    json: Option<Type>,
    /// What replaces the field ``resume_token``, for a stream of events that goes on.
    resume_token: Option<String>,
}

impl Inbound {
    /// Fails for a request whose head says nothing that can be read.
    pub fn new(
        connection: &Arc<Connection>,
        method: &Arc<Method>,
        protocol: Protocol,
        parts: &Parts,
        body: Incoming,
    ) -> Result<Self, Status> {
        let form = match protocol {
            Protocol::Web { is_text: true } => Form::Text(BytesMut::new()),
            Protocol::Web { is_text: false } | Protocol::Stream(Format::Binary) => Form::Frames,
            Protocol::Stream(Format::Json) => match json_of(method)? {
                Some(kind) => {
                    let is_gzip = is_gzip(parts, "connect-content-encoding")?;
                    Form::JsonFrames(Framing::default(), kind, is_gzip, Collected::new(connection))
                }
                None => Form::Frames,
            },
            Protocol::Unary { format } => {
                let json = match format {
                    Format::Json => json_of(method)?,
                    Format::Binary => None,
                };
                Form::Whole(Box::new(Whole::new(connection, parts, json)?))
            }
            Protocol::Events => {
                let mut whole = Whole::new(connection, parts, json_of(method)?)?;
                let last = parts.headers.get("last-event-id").and_then(|value| value.to_str().ok());
                whole.resume_token = last.filter(|id| !id.is_empty()).map(str::to_owned);
                Form::Whole(Box::new(whole))
            }
        };
        Ok(Self {
            connection: Arc::clone(connection),
            method: Arc::clone(method),
            body: (parts.method != http::Method::GET).then_some(body),
            is_in_line: parts.version < Version::HTTP_2,
            form,
        })
    }

    async fn frame(&mut self) -> Result<Option<Bytes>, Broken> {
        match &mut self.body {
            Some(body) => frame_of(body).await,
            None => Ok(None),
        }
    }

    /// Receive more of the only message, up to a size or its end.
    async fn collect(&mut self, size: usize) -> Result<(), Broken> {
        loop {
            let Form::Whole(whole) = &self.form else {
                return Ok(());
            };
            if whole.is_complete || whole.data.len() > size {
                return Ok(());
            }
            let more = self.frame().await?;
            let maximum = self.method.bytes_max;
            let Form::Whole(whole) = &mut self.form else {
                return Ok(());
            };
            let Some(more) = more else {
                whole.is_complete = true;
                return Ok(());
            };
            let maximum = if whole.json.is_some() {
                maximum * JSON_BYTES_FACTOR
            } else {
                maximum
            };
            if whole.data.len() + more.len() > maximum {
                return Err(too_large(&self.method));
            }
            if !whole.counted.grow(more.len()) {
                let status = self.connection.shared.refusals.collected.clone();
                return Err(Broken::Status(Refused::Waiting, status));
            }
            whole.data.extend_from_slice(&more);
        }
    }

    /// Return the only message in its frame.
    async fn framed(&self, whole: Whole) -> Result<Bytes, Broken> {
        let Some(kind) = whole.json else {
            return Ok(in_frame(whole.is_gzip, &whole.data));
        };
        let mut message = self.converted(kind.clone(), whole.data.freeze(), whole.is_gzip).await?;
        if let Some(token) = whole.resume_token
            && let Some(number) = kind.number("resume_token")
        {
            // The last one counts, of a field that a message has twice.
            prost::encoding::string::encode(number, &token, &mut message);
        }
        drop(whole.counted);
        Ok(in_frame(false, &message))
    }

    /// Return the message that JSON stands for. What is large is read on another thread.
    async fn converted(&self, kind: Type, text: Bytes, is_gzip: bool) -> Result<Vec<u8>, Broken> {
        let maximum = self.method.bytes_max * JSON_BYTES_FACTOR;
        let elements_max = self.connection.shared.settings.elements_max;
        let name = kind.name().to_owned();
        let is_small = text.len()
            <= if is_gzip {
                INFLATED_IN_LOOP_BYTES_MAX
            } else {
                INLINE_BYTES_MAX
            };
        let maximum_now = if is_gzip && is_small {
            INLINE_BYTES_MAX.min(maximum)
        } else {
            maximum
        };
        let result = if is_small {
            match read(&kind, &text, is_gzip, maximum_now, elements_max) {
                Err(Problem::TooLarge) if maximum_now < maximum => {
                    on_thread(move || read(&kind, &text, is_gzip, maximum, elements_max)).await
                }
                result => result,
            }
        } else {
            on_thread(move || read(&kind, &text, is_gzip, maximum, elements_max)).await
        };
        let refusals = &self.connection.shared.refusals;
        result.map_err(|problem| match problem {
            Problem::TooLarge => too_large(&self.method),
            Problem::Late => Broken::Status(Refused::Waiting, refusals.collected.clone()),
            Problem::TooMany => Broken::Status(Refused::TooLarge, refusals.elements.clone()),
            Problem::Malformed(why) => {
                let mut status = refusals.malformed.clone();
                status.message = format!("the request is no JSON of {name}: {why}");
                Broken::Status(Refused::Malformed, status)
            }
        })
    }

    fn malformed(&self) -> Broken {
        Broken::Status(Refused::Malformed, self.connection.shared.refusals.malformed.clone())
    }
}

impl Drop for Inbound {
    fn drop(&mut self) {
        let Some(body) = self.body.take() else {
            return;
        };
        if self.is_in_line
            && !body.is_end_stream()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(drained(body));
        }
    }
}

/// Read the rest of a request whose message is there, such as the last of its chunks, which may be empty. Otherwise the
/// connection would be closed, while the client sends its next request. A rest that is long, or late, closes it.
async fn drained(mut body: Incoming) {
    let reading = async {
        let mut size = 0;
        while let Ok(Some(data)) = frame_of(&mut body).await {
            size += data.len();
            if size > REST_BYTES_MAX {
                break;
            }
        }
    };
    let _ = timeout(REST_WAIT, reading).await;
}

impl Source for Inbound {
    async fn is_small(&mut self) -> Result<bool, Broken> {
        self.collect(INLINE_BYTES_MAX).await?;
        Ok(!matches!(&self.form, Form::Whole(whole) if !whole.is_complete))
    }

    async fn next(&mut self) -> Result<Option<Bytes>, Broken> {
        self.collect(usize::MAX).await?;
        if let Form::Whole(_) = self.form {
            let Form::Whole(whole) = std::mem::replace(&mut self.form, Form::Done) else {
                return Ok(None);
            };
            return self.framed(*whole).await.map(Some);
        }
        loop {
            if let Form::JsonFrames(arrived, kind, is_gzip, counted) = &mut self.form
                && let Some((flag, size)) = arrived.prefix()
            {
                if size > self.method.bytes_max * JSON_BYTES_FACTOR {
                    return Err(too_large(&self.method));
                }
                if flag > u8::from(*is_gzip) {
                    return Err(self.malformed());
                }
                if let Some(text) = arrived.take(size) {
                    let kind = kind.clone();
                    counted.resize(arrived.len());
                    let message = self.converted(kind, text, flag == 1).await?;
                    return Ok(Some(in_frame(false, &message)));
                }
            }
            let Some(data) = self.frame().await? else {
                return match &self.form {
                    Form::Text(rest) if !rest.is_empty() => Err(self.malformed()),
                    Form::JsonFrames(arrived, ..) if !arrived.is_empty() => Err(self.malformed()),
                    _ => Ok(None),
                };
            };
            match &mut self.form {
                Form::Text(rest) => {
                    rest.extend_from_slice(&data);
                    let Some(decoded) = decoded(rest) else {
                        return Err(self.malformed());
                    };
                    if !decoded.is_empty() {
                        return Ok(Some(decoded));
                    }
                }
                Form::JsonFrames(arrived, _, _, counted) => {
                    arrived.append(&data);
                    if !counted.resize(arrived.len()) {
                        let status = self.connection.shared.refusals.collected.clone();
                        return Err(Broken::Status(Refused::Waiting, status));
                    }
                }
                _ => return Ok(Some(data)),
            }
        }
    }
}

impl Whole {
    fn new(connection: &Arc<Connection>, parts: &Parts, json: Option<Type>) -> Result<Self, Status> {
        let mut whole = Self {
            data: BytesMut::new(),
            counted: Collected::new(connection),
            is_complete: false,
            is_gzip: false,
            json,
            resume_token: None,
        };
        if parts.method == http::Method::GET {
            let query = parts.uri.query();
            whole.data.put_slice(&message_of(query)?);
            whole.is_gzip = gzip_by(parameter(query, "compression").as_deref().map(str::as_bytes))?;
            whole.is_complete = true;
        } else {
            whole.is_gzip = is_gzip(parts, header::CONTENT_ENCODING.as_str())?;
        }
        Ok(whole)
    }
}

/// Return the type of a method's requests; none for paths that have no method, whose requests nobody reads.
fn json_of(method: &Method) -> Result<Option<Type>, Status> {
    if method.is_unknown() {
        return Ok(None);
    }
    let message = "the messages of the method cannot be written as JSON";
    let types = method
        .types
        .as_ref()
        .ok_or_else(|| Status::plain(UNIMPLEMENTED, message))?;
    Ok(Some(types.request.clone()))
}

fn too_large(method: &Method) -> Broken {
    Broken::Status(Refused::TooLarge, method.too_large.clone())
}

fn in_frame(is_compressed: bool, message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(PREFIX_BYTES + message.len());
    framed.extend_from_slice(&prefix(is_compressed, message.len()));
    framed.extend_from_slice(message);
    framed.freeze()
}

fn is_gzip(parts: &Parts, key: &str) -> Result<bool, Status> {
    gzip_by(parts.headers.get(key).map(http::HeaderValue::as_bytes))
}

fn gzip_by(encoding: Option<&[u8]>) -> Result<bool, Status> {
    match encoding {
        None | Some(b"identity" | b"") => Ok(false),
        Some(b"gzip") => Ok(true),
        Some(_) => Err(Status::plain(
            UNIMPLEMENTED,
            "the compression of the request is unknown: use gzip, or none",
        )),
    }
}

/// Return a parameter of a query.
pub fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    let value = query?.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    })?;
    let spaced = value.replace('+', " ");
    Some(percent_decode_str(&spaced).decode_utf8_lossy().into_owned())
}

/// Return the message in a query: as text, or in base64 if the query says so.
fn message_of(query: Option<&str>) -> Result<Vec<u8>, Status> {
    let text = parameter(query, "message").unwrap_or_else(|| "{}".to_owned());
    if parameter(query, "base64").as_deref() != Some("1") {
        return Ok(text.into_bytes());
    }
    URL.decode(text.replace(' ', "+").replace('+', "-").replace('/', "_"))
        .map_err(|_| Status::plain(INVALID_ARGUMENT, "the message is not in base64"))
}

/// Take what can be decoded of base64 that may have padding within. Returns none for what is no base64.
fn decoded(rest: &mut BytesMut) -> Option<Bytes> {
    let mut plain = Vec::with_capacity(rest.len() / 4 * 3);
    while rest.len() >= 4 {
        let whole = rest.len() / 4 * 4;
        // Padding ends what was encoded at once.
        let end = rest[..whole]
            .iter()
            .position(|byte| *byte == b'=')
            .map_or(whole, |place| (place / 4 + 1) * 4);
        plain.extend(STANDARD.decode(&rest[..end]).ok()?);
        rest.advance(end);
    }
    Some(plain.into())
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use proptest::collection::vec;
    use proptest::prelude::{any, proptest};
    use proptest::prop_assert_eq;

    use base64::Engine;

    use super::{STANDARD, decoded, message_of, parameter};

    proptest! {
        #[test]
        fn base64_in_any_pieces_is_decoded(texts in vec(vec(any::<u8>(), 0..20), 0..5), size in 1..9_usize) {
            let encoded: String = texts.iter().map(|text| STANDARD.encode(text)).collect();
            let (mut rest, mut plain) = (BytesMut::new(), Vec::new());
            for piece in encoded.as_bytes().chunks(size) {
                rest.extend_from_slice(piece);
                plain.extend(decoded(&mut rest).unwrap());
            }
            prop_assert_eq!(plain, texts.concat());
            prop_assert_eq!(rest.len(), 0);
        }
    }

    #[test]
    fn what_is_no_base64_is_noticed() {
        assert_eq!(decoded(&mut BytesMut::from("a*bc")), None);
    }

    #[test]
    fn a_query_has_the_message_as_text_or_base64() {
        let text = |query| {
            message_of(Some(query))
                .ok()
                .map(|data| String::from_utf8(data).unwrap())
        };
        assert_eq!(text("message=%7B%22a%22%3A+1%7D").as_deref(), Some("{\"a\": 1}"));
        assert_eq!(text("base64=1&message=e30").as_deref(), Some("{}"));
        assert_eq!(text("base64=1&message=e30%3D").as_deref(), Some("{}"));
        assert_eq!(text("connect=v1").as_deref(), Some("{}"));
        assert_eq!(text("base64=1&message=*"), None);
        assert_eq!(parameter(None, "message"), None);
    }
}
