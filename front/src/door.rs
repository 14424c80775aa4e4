//! The protocols of web browsers, of curl and of Connect: their requests become those of gRPC, and its responses theirs.
//!
//! Connect: <https://connectrpc.com/docs/protocol>. gRPC-Web: `PROTOCOL-WEB.md` of gRPC.

mod answer;
mod count;
mod inbound;
mod json;
mod outbound;
mod page;
mod problem;
mod protocol;
mod reading;
mod visitor;

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method as HttpMethod, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use tokio::time::Instant;

use crate::connection::{Active, Connection};
use crate::request::is_grpc;
use crate::response::{Body, empty};
use crate::route::Method;
use crate::service;
use crate::status::{INVALID_ARGUMENT, Status};

pub use json::{Codec, Type};
pub use outbound::Outbound;
pub use page::{Page, Pages};
pub use visitor::Visitors;

use inbound::Inbound;
use protocol::{Format, Protocol};

/// What Connect's clients may send with a request, apart from metadata.
static GRPC: HeaderValue = HeaderValue::from_static("application/grpc");
const ACCEPTED: &str = "application/json, application/proto, application/connect+json, application/connect+proto, \
application/grpc-web, application/grpc-web+proto, application/grpc-web-text, application/grpc";

/// Return true for a request that is not gRPC's own.
pub fn is_for_door(parts: &Parts) -> bool {
    parts.method != HttpMethod::POST || !parts.headers.get(header::CONTENT_TYPE).is_some_and(is_grpc)
}

/// Serve a call of another protocol than gRPC.
pub async fn serve(
    connection: &Arc<Connection>,
    request: Request<Incoming>,
    active: Active,
    began: Instant,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let visitors = &connection.shared.visitors;
    let origin = match visitors.origin_of(&parts) {
        Ok(origin) => origin,
        Err(refused) => return problem::plain(StatusCode::FORBIDDEN, &refused),
    };
    let mut response = if parts.method == HttpMethod::OPTIONS {
        visitor::preflight(&parts.headers)
    } else if let Some(page) = connection.shared.pages.response(&parts) {
        page
    } else {
        translated(connection, parts, body, active, began).await
    };
    visitor::allow(response.headers_mut(), origin.as_ref());
    response
}

async fn translated(
    connection: &Arc<Connection>,
    mut parts: Parts,
    body: Incoming,
    active: Active,
    began: Instant,
) -> Response<Body> {
    let Some(protocol) = Protocol::of(&parts) else {
        return not_served(&parts);
    };
    let method = Arc::clone(connection.shared.method(parts.uri.path()));
    if !method.is_unknown()
        && let Some(refused) = unfit(protocol, &method, &parts)
    {
        return refused;
    }
    let inbound = match Inbound::new(connection, &method, protocol, &parts, body) {
        Ok(inbound) => inbound,
        Err(status) => return answer::of_status(protocol, &status),
    };
    let accepts_gzip = names_gzip(&parts.headers, header::ACCEPT_ENCODING.as_str());
    if let Err(status) = make_grpc(&mut parts, protocol) {
        return answer::of_status(protocol, &status);
    }
    let response = service::call(connection, parts, inbound, active, began).await;
    let mut response = answer::of(connection, protocol, &method, response, accepts_gzip).await;
    if method.is_unknown() && response.status() == StatusCode::NOT_IMPLEMENTED {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

/// Refuse what is no call in any protocol.
fn not_served(parts: &Parts) -> Response<Body> {
    if parts.method == HttpMethod::POST {
        let mut response = empty(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        response
            .headers_mut()
            .insert("accept-post", HeaderValue::from_static(ACCEPTED));
        return response;
    }
    only_post()
}

fn only_post() -> Response<Body> {
    let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
    response
        .headers_mut()
        .insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

/// Return the refusal of a method that is not called in the way that its streams need.
fn unfit(protocol: Protocol, method: &Method, parts: &Parts) -> Option<Response<Body>> {
    let streams = method.streams || method.answers;
    let why = match protocol {
        Protocol::Unary { .. } if streams => {
            "the method has a stream: call it with application/connect+json, or with accept: text/event-stream"
        }
        // A stream of responses alone is a read.
        Protocol::Unary { .. } if parts.method == HttpMethod::GET && !method.is_read => return Some(only_post()),
        Protocol::Stream(_) if !streams => {
            "the method has no stream: call it with application/json or application/proto"
        }
        Protocol::Events if method.streams || !method.answers => "the method has no stream of responses alone",
        _ => return None,
    };
    Some(not_served_as(why))
}

fn not_served_as(text: &str) -> Response<Body> {
    problem::response(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        &Status::plain(INVALID_ARGUMENT, text),
    )
}

/// Change the head of a request into that of gRPC's.
fn make_grpc(parts: &mut Parts, protocol: Protocol) -> Result<(), Status> {
    let headers = &mut parts.headers;
    if let Some(timeout) = headers.remove("connect-timeout-ms") {
        headers.insert("grpc-timeout", timeout_of(&timeout)?);
    }
    let encoding = match protocol {
        Protocol::Unary { format: Format::Binary } => headers.remove(header::CONTENT_ENCODING),
        Protocol::Stream(Format::Binary) => headers.remove("connect-content-encoding"),
        Protocol::Web { .. } => headers.remove("grpc-encoding"),
        // What is JSON was inflated before it became a message.
        _ => None,
    };
    headers.remove("grpc-encoding");
    headers.remove("grpc-accept-encoding");
    if let Some(encoding) = encoding {
        headers.insert("grpc-encoding", encoding);
        // The door compresses what it sends by itself.
        headers.insert("grpc-accept-encoding", HeaderValue::from_static("identity"));
    }
    headers.insert(header::CONTENT_TYPE, GRPC.clone());
    Ok(())
}

/// Return gRPC's form of a number of milliseconds, which has up to ten digits; gRPC's up to eight.
fn timeout_of(milliseconds: &HeaderValue) -> Result<HeaderValue, Status> {
    let malformed = || Status::plain(INVALID_ARGUMENT, "the header connect-timeout-ms is malformed");
    let digits = milliseconds.to_str().map_err(|_| malformed())?;
    if digits.is_empty() || digits.len() > 10 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(malformed());
    }
    let count: u64 = digits.parse().map_err(|_| malformed())?;
    let text = if count < 100_000_000 {
        format!("{count}m")
    } else {
        format!("{}S", count / 1_000)
    };
    HeaderValue::from_str(&text).map_err(|_| malformed())
}

fn names_gzip(headers: &HeaderMap, key: &str) -> bool {
    headers
        .get_all(key)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .any(|name| name.trim_ascii().eq_ignore_ascii_case(b"gzip"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::timeout_of;

    fn timeout(text: &'static str) -> Option<String> {
        let value = timeout_of(&HeaderValue::from_static(text)).ok()?;
        Some(value.to_str().unwrap().to_owned())
    }

    #[test]
    fn milliseconds_become_what_grpc_allows() {
        assert_eq!(timeout("0").as_deref(), Some("0m"));
        assert_eq!(timeout("99999999").as_deref(), Some("99999999m"));
        assert_eq!(timeout("9999999999").as_deref(), Some("9999999S"));
        for malformed in ["", "-1", "1.5", "12345678901", "1e3", " 1"] {
            assert_eq!(timeout(malformed), None, "{malformed}");
        }
    }
}
