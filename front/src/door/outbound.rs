//! The body of a stream of responses, in the framing of the protocol that a call came by.

use std::fmt::Write;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::{BufMut, Bytes, BytesMut};
use http_body::{Body as _, Frame};
use serde_json::{Value, json};

use crate::call::{self, Unsent};
use crate::door::json::{Type, text_of, to_json};
use crate::door::problem::json_of;
use crate::door::protocol::Protocol;
use crate::payload::{PREFIX_BYTES, Payload};
use crate::response::{Body, CutOff, Outflow};
use crate::status::{INTERNAL, Status};

/// The flag of the frame that ends a stream of Connect's, and of gRPC-Web's.
const CONNECT_END: u8 = 2;
const WEB_TRAILERS: u8 = 0x80;

/// The responses of a call.
pub struct Outbound {
    protocol: Protocol,
    source: Source,
    is_over: bool,
}

enum Source {
    /// Frames are passed on as they are.
    Frames(Body),
    /// Each message is written anew.
    Messages(Messages),
}

struct Messages {
    outflow: Box<Outflow>,
    /// The type of the messages, if they are written as JSON.
    json: Option<Json>,
    /// The message that was written last: it counts until the next one is asked for.
    unsent: Option<Unsent>,
}

struct Json {
    kind: Type,
    /// The number of the field by whose text a client resumes.
    token: Option<u32>,
}

impl Outbound {
    /// Frames are passed on as they are.
    pub fn of_frames(body: Body, protocol: Protocol) -> Self {
        Self::new(Source::Frames(body), protocol)
    }

    /// Each message is written anew: as JSON if its type is given.
    pub fn of_messages(outflow: Box<Outflow>, protocol: Protocol, json: Option<Type>) -> Self {
        let json = json.map(|kind| Json {
            token: kind.number("resume_token"),
            kind,
        });
        let messages = Messages {
            outflow,
            json,
            unsent: None,
        };
        Self::new(Source::Messages(messages), protocol)
    }

    fn new(source: Source, protocol: Protocol) -> Self {
        Self {
            protocol,
            source,
            is_over: false,
        }
    }

    pub fn is_over(&self) -> bool {
        self.is_over
    }

    pub fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let next = match &mut self.source {
            Source::Frames(body) => ready!(next_of_frames(body, context)),
            Source::Messages(messages) => ready!(messages.poll_next(self.protocol, context)),
        };
        Poll::Ready(Some(next.map(|next| match next {
            Ok(data) => Frame::data(data),
            Err(status) => {
                self.is_over = true;
                Frame::data(end_of(self.protocol, &status))
            }
        })))
    }
}

/// Data of a stream, or the status that ends it.
type Next = Result<Bytes, Status>;

fn next_of_frames(body: &mut Body, context: &mut Context<'_>) -> Poll<Result<Next, CutOff>> {
    let Some(frame) = ready!(Pin::new(body).poll_frame(context)) else {
        return Poll::Ready(Err(CutOff));
    };
    Poll::Ready(Ok(frame?.into_data().map_err(|frame| {
        let cut_off = || Status::plain(INTERNAL, "the response was cut off");
        let trailers = frame.into_trailers().unwrap_or_default();
        Status::read(&trailers).unwrap_or_else(cut_off)
    })))
}

impl Messages {
    fn poll_next(&mut self, protocol: Protocol, context: &Context<'_>) -> Poll<Result<Next, CutOff>> {
        self.unsent = None;
        Poll::Ready(match ready!(self.outflow.poll_next(context)) {
            call::Next::Message(unsent) => {
                let written = self.written(protocol, &unsent.payload);
                self.unsent = Some(unsent);
                written.map(Ok)
            }
            call::Next::End(status) => Ok(Err(status)),
            call::Next::Reset => Err(CutOff),
        })
    }

    fn written(&self, protocol: Protocol, payload: &Payload) -> Result<Bytes, CutOff> {
        let Some(Json { kind, token }) = &self.json else {
            return Ok(in_frame(protocol, 0, &payload.message()));
        };
        let text = payload.json(|message| to_json(kind, message).ok()).ok_or(CutOff)?;
        if protocol != Protocol::Events {
            return Ok(in_frame(protocol, 0, &text));
        }
        let message = payload.message();
        let token = token.and_then(|number| text_of(&message, number));
        Ok(event(None, token.filter(|token| is_id(token)), &text))
    }
}

/// Return what ends a stream.
pub fn end_of(protocol: Protocol, status: &Status) -> Bytes {
    match protocol {
        Protocol::Web { .. } => {
            let mut text = String::new();
            for (key, value) in &status.trailers() {
                // A string takes whatever is written.
                let _ = write!(text, "{}: {}\r\n", key, value.to_str().unwrap_or_default());
            }
            in_frame(protocol, WEB_TRAILERS, text.as_bytes())
        }
        Protocol::Events if status.code == 0 => event(Some("end"), None, b"{}"),
        Protocol::Events => event(Some("error"), None, json_of(status).to_string().as_bytes()),
        Protocol::Stream(_) | Protocol::Unary { .. } => {
            let end: Value = if status.code == 0 {
                json!({})
            } else {
                json!({"error": json_of(status)})
            };
            in_frame(protocol, CONNECT_END, end.to_string().as_bytes())
        }
    }
}

fn in_frame(protocol: Protocol, flag: u8, message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(PREFIX_BYTES + message.len());
    framed.put_u8(flag);
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(message);
    if protocol == (Protocol::Web { is_text: true }) {
        return STANDARD.encode(&framed).into();
    }
    framed.freeze()
}

/// Return an event. JSON has no line breaks.
fn event(name: Option<&str>, id: Option<&str>, text: &[u8]) -> Bytes {
    let mut event = BytesMut::with_capacity(text.len() + 64);
    for (key, value) in [("event", name), ("id", id)] {
        if let Some(value) = value {
            event.put_slice(format!("{key}: {value}\n").as_bytes());
        }
    }
    event.put_slice(b"data: ");
    event.put_slice(text);
    event.put_slice(b"\n\n");
    event.freeze()
}

/// Return true if a token can be the id of an event, which comes back as `Last-Event-ID`.
fn is_id(token: &str) -> bool {
    !token.is_empty() && !token.contains(['\n', '\r', '\0'])
}
