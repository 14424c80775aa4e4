//! Calls methods on their generated stubs by name.

use std::time::Duration;

use memoryd::{Client, Transport, v1};
use prost::Message;
use serde_json::{Value, json};
use tonic::{Request, Response, Status};
use tonic_types::StatusExt as _;

use super::{Played, message, wrapped};

pub const CALL_MAX: Duration = Duration::from_secs(30);
const DOMAIN: &str = "memoryd";

include!(concat!(env!("OUT_DIR"), "/dispatch.rs"));

/// Calls the method, and returns its response or its status. The request is that of its wrapper, if it has one that can
/// say it.
pub async fn call(client: &Client, method: &str, request: &Value) -> Played<Result<Value, Status>> {
    let (request_type, response_type) = message::unary_method(method)?;
    let request = message::encode(request_type.clone(), request)?;
    let request = wrapped::again(client, method, &request_type, &request)?.unwrap_or(request);
    match dispatch(client.transport(), method, &request).await {
        Some(Ok(response)) => Ok(Ok(message::decode(response_type, &response)?)),
        Some(Err(status)) => Ok(Err(status)),
        None => Err(format!("the stubs have no method {method:?}")),
    }
}

/// Returns the status in the form in which scenarios expect it.
pub fn error_of(status: &Status) -> Value {
    let details = status.get_error_details();
    let mut error = json!({"code": code_name(status.code()), "message": status.message()});
    if let Some(info) = details.error_info().filter(|info| info.domain == DOMAIN) {
        error["reason"] = json!(info.reason);
        error["metadata"] = json!(info.metadata);
    }
    if let Some(bad) = details.bad_request().and_then(|bad| bad.field_violations.first()) {
        error["field"] = json!(bad.field);
    }
    error
}

/// Returns gRPC's name of the code, such as `DATA_LOSS`.
pub fn code_name(code: tonic::Code) -> String {
    let mut name = String::new();
    for (index, letter) in format!("{code:?}").char_indices() {
        if letter.is_uppercase() && index > 0 {
            name.push('_');
        }
        name.extend(letter.to_uppercase());
    }
    name
}

async fn unary<Q, R>(
    request: &[u8],
    call: impl AsyncFnOnce(Request<Q>) -> Result<Response<R>, Status>,
) -> Result<Vec<u8>, Status>
where
    Q: Message + Default,
    R: Message,
{
    let message = Q::decode(request).map_err(|error| Status::internal(error.to_string()))?;
    let mut request = Request::new(message);
    request.set_timeout(CALL_MAX);
    Ok(call(request).await?.into_inner().encode_to_vec())
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    #[test]
    fn codes_have_the_names_of_grpc() {
        let names = [Code::Aborted, Code::DataLoss, Code::DeadlineExceeded, Code::Cancelled].map(code_name);
        assert_eq!(names, ["ABORTED", "DATA_LOSS", "DEADLINE_EXCEEDED", "CANCELLED"]);
    }
}
