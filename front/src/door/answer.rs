//! Responses of gRPC, as those of the protocol that a call came by.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use flate2::Compression;
use flate2::read::GzEncoder;
use http::{HeaderValue, Response, StatusCode, header};

use crate::connection::Connection;
use crate::door::count::Unread;
use crate::door::json::{Type, to_json};
use crate::door::outbound::{Outbound, end_of};
use crate::door::problem;
use crate::door::protocol::{Format, Protocol};
use crate::limit::{COMPRESSED_BYTES_MAX, COMPRESSED_BYTES_MIN, INLINE_BYTES_MAX};
use crate::payload::PREFIX_BYTES;
use crate::response::{Body, next_frame, with_body};
use crate::route::Method;
use crate::status::{INTERNAL, Status};

/// Return the response in a protocol.
pub async fn of(
    connection: &Arc<Connection>,
    protocol: Protocol,
    method: &Method,
    response: Response<Body>,
    accepts_gzip: bool,
) -> Response<Body> {
    if response.status() != StatusCode::OK {
        return response;
    }
    if let Some(status) = Status::read(response.headers()) {
        return of_status(protocol, &status);
    }
    let json = || method.types.as_ref().map(|types| types.response.clone());
    let body = response.into_body();
    match protocol {
        Protocol::Unary { format: Format::Binary } => unary(connection, body, None, accepts_gzip).await,
        Protocol::Unary { format: Format::Json } => unary(connection, body, json(), accepts_gzip).await,
        Protocol::Stream(Format::Binary) | Protocol::Web { is_text: false } => {
            streamed(protocol, Outbound::of_frames(body, protocol))
        }
        Protocol::Web { is_text: true } => anew(protocol, body, None),
        Protocol::Stream(Format::Json) | Protocol::Events => anew(protocol, body, json()),
    }
}

/// Return a stream of which each message is written anew: as JSON if its type is given.
fn anew(protocol: Protocol, body: Body, json: Option<Type>) -> Response<Body> {
    let outbound = match body {
        Body::Messages(outflow) => Outbound::of_messages(outflow, protocol, json),
        // It has no messages.
        body => Outbound::of_frames(body, protocol),
    };
    streamed(protocol, outbound)
}

/// Return the response of a call that has only a status.
pub fn of_status(protocol: Protocol, status: &Status) -> Response<Body> {
    match protocol {
        Protocol::Unary { .. } | Protocol::Events => problem::response(problem::http_status(status), status),
        Protocol::Stream(_) | Protocol::Web { .. } => {
            let mut response = with_body(end_of(protocol, status));
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, content_type(protocol));
            response
        }
    }
}

fn streamed(protocol: Protocol, outbound: Outbound) -> Response<Body> {
    let mut response = Response::new(Body::Door(Box::new(outbound)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type(protocol));
    if protocol == Protocol::Events {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

fn content_type(protocol: Protocol) -> HeaderValue {
    HeaderValue::from_static(match protocol {
        Protocol::Unary { format: Format::Binary } => "application/proto",
        Protocol::Unary { format: Format::Json } => "application/json",
        Protocol::Stream(Format::Binary) => "application/connect+proto",
        Protocol::Stream(Format::Json) => "application/connect+json",
        Protocol::Web { is_text: false } => "application/grpc-web+proto",
        Protocol::Web { is_text: true } => "application/grpc-web-text+proto",
        Protocol::Events => "text/event-stream",
    })
}

/// Wait for the only response, and return it as the body of HTTP's.
async fn unary(connection: &Arc<Connection>, mut body: Body, json: Option<Type>, accepts_gzip: bool) -> Response<Body> {
    let failed = |message| {
        let status = Status::plain(INTERNAL, message);
        problem::response(problem::http_status(&status), &status)
    };
    let mut collected = BytesMut::new();
    let status = loop {
        match next_frame(&mut body).await {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => collected.extend_from_slice(&data),
                Err(frame) => break frame.into_trailers().ok().and_then(|trailers| Status::read(&trailers)),
            },
            Some(Err(_)) | None => break None,
        }
    };
    let Some(status) = status else {
        return failed("the response was cut off");
    };
    if status.code != 0 {
        return problem::response(problem::http_status(&status), &status);
    }
    let message = if collected.len() > PREFIX_BYTES {
        collected.split_off(PREFIX_BYTES).freeze()
    } else {
        Bytes::new()
    };
    let format = if json.is_some() { Format::Json } else { Format::Binary };
    // Counted before it is made larger: by its client it is read only later.
    let unread = Unread::new(connection, message.len());
    let text = match json {
        Some(kind) => match converted(kind, message).await {
            Ok(text) => text,
            Err(why) => return failed(&format!("the response is no message: {why}")),
        },
        None => message,
    };
    let is_compressed = accepts_gzip && (COMPRESSED_BYTES_MIN..=COMPRESSED_BYTES_MAX).contains(&text.len());
    let text = if is_compressed { compressed(&text) } else { text };
    let mut response = with_body(Bytes::from_owner(Held { text, _unread: unread }));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type(Protocol::Unary { format }));
    if is_compressed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Return the JSON of a message. What is large is written on another thread.
async fn converted(kind: Type, message: Bytes) -> Result<Bytes, String> {
    let text = if message.len() <= INLINE_BYTES_MAX {
        to_json(&kind, &message)
    } else {
        let given_up = |_| Err("it could not be written".to_owned());
        tokio::task::spawn_blocking(move || to_json(&kind, &message))
            .await
            .unwrap_or_else(given_up)
    };
    text.map(Bytes::from)
}

fn compressed(text: &[u8]) -> Bytes {
    let mut data = Vec::new();
    // It reads from memory, which cannot fail.
    let _ = std::io::Read::read_to_end(&mut GzEncoder::new(text, Compression::fast()), &mut data);
    data.into()
}

struct Held {
    text: Bytes,
    _unread: Unread,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}
