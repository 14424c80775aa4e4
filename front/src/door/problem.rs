//! Errors as Connect writes them: JSON with the name of the code, the message and the details.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use prost::Message;
use serde_json::{Value, json};

use crate::response::{Body, with_body};
use crate::status::Status;

/// The codes' names, and the statuses of HTTP that Connect maps them to, in the order of their numbers.
const CODES: [(&str, u16); 17] = [
    ("ok", 200),
    ("canceled", 499),
    ("unknown", 500),
    ("invalid_argument", 400),
    ("deadline_exceeded", 504),
    ("not_found", 404),
    ("already_exists", 409),
    ("permission_denied", 403),
    ("resource_exhausted", 429),
    ("failed_precondition", 400),
    ("aborted", 409),
    ("out_of_range", 400),
    ("unimplemented", 501),
    ("internal", 500),
    ("unavailable", 503),
    ("data_loss", 500),
    ("unauthenticated", 401),
];
const UNKNOWN: u32 = 2;

/// A `google.rpc.Status`, of which the details are of interest.
#[derive(Clone, PartialEq, prost::Message)]
struct RpcStatus {
    #[prost(message, repeated, tag = "3")]
    details: Vec<Detail>,
}

/// A `google.protobuf.Any`.
#[derive(Clone, PartialEq, prost::Message)]
struct Detail {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "bytes", tag = "2")]
    value: Bytes,
}

fn code(status: &Status) -> (&'static str, u16) {
    *CODES.get(status.code as usize).unwrap_or(&CODES[UNKNOWN as usize])
}

/// Return the status of HTTP for an error.
pub fn http_status(status: &Status) -> StatusCode {
    StatusCode::from_u16(code(status).1).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Return the error as JSON.
pub fn json_of(status: &Status) -> Value {
    let details = RpcStatus::decode(status.details.clone()).unwrap_or_default().details;
    let details: Vec<Value> = details
        .into_iter()
        .map(|detail| {
            let name = detail.type_url.rsplit('/').next().unwrap_or_default();
            json!({"type": name, "value": STANDARD_NO_PAD.encode(&detail.value)})
        })
        .collect();
    let mut problem = json!({"code": code(status).0, "message": status.message});
    if !details.is_empty() {
        problem["details"] = Value::Array(details);
    }
    problem
}

/// Return the response of a call that failed.
pub fn response(code: StatusCode, status: &Status) -> Response<Body> {
    let mut response = with_body(json_of(status).to_string().into());
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if code == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Return a response with a text for people, to what is no call.
pub fn plain(code: StatusCode, text: &str) -> Response<Body> {
    let mut response = with_body(Bytes::from(format!("{text}\n")));
    *response.status_mut() = code;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    response
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use prost::Message;
    use serde_json::json;

    use super::{Detail, RpcStatus, http_status, json_of};
    use crate::status::Status;

    #[test]
    fn details_are_named_without_their_host() {
        let detail = Detail {
            type_url: "type.googleapis.com/google.rpc.ErrorInfo".to_owned(),
            value: Bytes::from_static(b"\x0a\x01x"),
        };
        let status = Status {
            code: 5,
            message: "there is none".to_owned(),
            details: RpcStatus { details: vec![detail] }.encode_to_vec().into(),
        };
        let expected = json!({"code": "not_found", "message": "there is none",
            "details": [{"type": "google.rpc.ErrorInfo", "value": "CgF4"}]});
        assert_eq!(json_of(&status), expected);
        assert_eq!(http_status(&status).as_u16(), 404);
    }

    #[test]
    fn an_error_without_details_has_none() {
        let expected = json!({"code": "unknown", "message": "?"});
        assert_eq!(json_of(&Status::plain(99, "?")), expected);
    }
}
