//! A response: its headers, and a body that sends what Python gives a call.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use tokio::task::AbortHandle;
use tokio::time::sleep_until;

use crate::call::{Call, Next, Unsent};
use crate::connection::Active;
use crate::door::Outbound;
use crate::limit::{COMPRESSED_BYTES_MAX, COMPRESSED_BYTES_MIN, WINDOW_BYTES_MIN};
use crate::payload::Payload;
use crate::status::{DEADLINE_EXCEEDED, Status};

static GRPC: HeaderValue = HeaderValue::from_static("application/grpc");

/// The message of a status whose deadline the front end has seen pass.
pub const LATE: &str = "the deadline is over";

/// A client is to see that a response was cut off: its stream is reset.
#[derive(Debug)]
pub struct CutOff;

impl std::fmt::Display for CutOff {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("the response was cut off")
    }
}

impl std::error::Error for CutOff {}

/// Notes that the client has left, unless the call has come to its end.
pub struct Presence {
    pub call: Arc<Call>,
    /// The task that receives the request.
    pub reader: Option<AbortHandle>,
    pub is_over: bool,
    pub _active: Active,
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            reader.abort();
        }
        if !self.is_over {
            self.call.note_left();
        }
    }
}

/// The body of a response: messages, then a status; or nothing, if the status is in the headers.
pub enum Body {
    Empty,
    Messages(Box<Outflow>),
    /// All of it, of a protocol in which a response is a body of HTTP's.
    Whole(Box<Bytes>),
    /// A stream in another protocol than gRPC.
    Door(Box<Outbound>),
}

/// The messages of a response, as they come.
pub struct Outflow {
    presence: Presence,
    current: Option<Unsent>,
    timer: Option<AbortHandle>,
    compresses: bool,
}

impl Drop for Outflow {
    fn drop(&mut self) {
        if let Some(timer) = &self.timer {
            timer.abort();
        }
    }
}

/// A response that has only a status.
pub fn refusal(status: &Status) -> Response<Body> {
    let mut response = Response::new(Body::Empty);
    response.headers_mut().insert(header::CONTENT_TYPE, GRPC.clone());
    status.write(response.headers_mut());
    if status.code == crate::status::UNIMPLEMENTED {
        response
            .headers_mut()
            .insert("grpc-accept-encoding", HeaderValue::from_static("identity,gzip"));
    }
    response
}

/// A response of HTTP alone, without a body.
pub fn empty(code: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = code;
    response
}

/// A response of HTTP alone, with a body.
pub fn with_body(data: Bytes) -> Response<Body> {
    Response::new(Body::Whole(Box::new(data)))
}

/// Receive the next frame of a body; none after the last.
pub async fn next_frame(body: &mut Body) -> Option<Result<Frame<Bytes>, CutOff>> {
    poll_fn(|context| http_body::Body::poll_frame(Pin::new(&mut *body), context)).await
}

/// The response to a call that has something to send.
pub fn response(presence: Presence, compresses: bool) -> Response<Body> {
    let mut headers = HeaderMap::with_capacity(2);
    headers.insert(header::CONTENT_TYPE, GRPC.clone());
    if compresses {
        headers.insert("grpc-encoding", HeaderValue::from_static("gzip"));
    }
    let mut outflow = Outflow {
        presence,
        current: None,
        timer: None,
        compresses,
    };
    if !outflow.presence.call.has_ended() {
        outflow.begin_timer();
    }
    let mut response = Response::new(Body::Messages(Box::new(outflow)));
    *response.headers_mut() = headers;
    response
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        match self.get_mut() {
            Self::Empty => Poll::Ready(None),
            Self::Messages(outflow) => outflow.poll_frame(context),
            Self::Whole(data) if data.is_empty() => Poll::Ready(None),
            Self::Whole(data) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut **data))))),
            Self::Door(outbound) => outbound.poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Messages(outflow) => outflow.presence.is_over,
            Self::Whole(data) => data.is_empty(),
            Self::Door(outbound) => outbound.is_over(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Whole(data) => SizeHint::with_exact(data.len() as u64),
            Self::Messages(_) | Self::Door(_) => SizeHint::default(),
        }
    }
}

impl Outflow {
    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        if self.presence.is_over {
            return Poll::Ready(None);
        }
        loop {
            if let Some(current) = &mut self.current {
                if let Some(piece) = current.payload.next_piece() {
                    return Poll::Ready(Some(Ok(Frame::data(piece))));
                }
                self.current = None;
            }
            match ready!(self.poll_next(context)) {
                Next::Message(unsent) => self.current = Some(unsent),
                Next::End(status) => return Poll::Ready(Some(Ok(Frame::trailers(status.trailers())))),
                Next::Reset => return Poll::Ready(Some(Err(CutOff))),
            }
        }
    }

    /// Take the next thing to send, for who sends it in another form. Not to be called after the end.
    pub fn poll_next(&mut self, context: &Context<'_>) -> Poll<Next> {
        let mut next = ready!(self.presence.call.poll_next(context));
        match &mut next {
            Next::Message(unsent) => {
                if unsent.payload.size() > WINDOW_BYTES_MIN {
                    self.begin_timer();
                }
                if self.compresses && (COMPRESSED_BYTES_MIN..=COMPRESSED_BYTES_MAX).contains(&unsent.payload.size()) {
                    unsent.payload = Payload::compressed(&unsent.payload);
                }
            }
            Next::End(_) => self.presence.is_over = true,
            Next::Reset => {}
        }
        Poll::Ready(next)
    }

    /// End the call at its deadline, although a client that does not read keeps this from being polled.
    fn begin_timer(&mut self) {
        if self.timer.is_some() {
            return;
        }
        if let Some(deadline) = self.presence.call.deadline {
            let call = Arc::clone(&self.presence.call);
            let timer = tokio::spawn(async move {
                sleep_until(deadline).await;
                call.note_late(Status::plain(DEADLINE_EXCEEDED, LATE));
            });
            self.timer = Some(timer.abort_handle());
        }
    }
}
