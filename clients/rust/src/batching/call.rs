//! The calls that can be sent with others, and their responses.

use std::any::Any;

use prost::Message;
use tokio::sync::oneshot;

use crate::error::{Error, ErrorKind, Result};
use crate::method::UnaryRequest;
use crate::v1;
use crate::v1::write::Write;
use crate::v1::write_result;

/// The request of a call that has the same result and error among others.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a box would be one more allocation for each set")]
pub(super) enum Request {
    Get(v1::GetEntryRequest),
    Set(v1::SetEntryRequest),
    Remove(v1::RemoveEntryRequest),
}

/// The response to the same call by itself.
#[allow(clippy::large_enum_variant, reason = "it is moved once, to its caller")]
pub(super) enum Response {
    Get(v1::GetEntryResponse),
    Set(v1::SetEntryResponse),
    Remove(v1::RemoveEntryResponse),
}

/// A call that waits to be sent with others.
pub(super) struct Pending {
    pub(super) request: Request,
    answer: oneshot::Sender<Result<Response>>,
}

/// Returns the request if it has the same result and error among others.
pub(super) fn batched<R: UnaryRequest>(request: &R) -> Option<Request> {
    let request: &dyn Any = request;
    if let Some(get) = request.downcast_ref::<v1::GetEntryRequest>() {
        return get.consistency.is_none().then(|| Request::Get(get.clone()));
    }
    if let Some(set) = request.downcast_ref::<v1::SetEntryRequest>() {
        let is_conditional = set.precondition.is_some() || set.agent_precondition.is_some();
        let is_alone = is_conditional
            || !set.reservation_token.is_empty()
            || !set.request_id.is_empty()
            || set.update_mask.is_some();
        return (!is_alone).then(|| Request::Set(set.clone()));
    }
    let remove = request.downcast_ref::<v1::RemoveEntryRequest>()?;
    let is_conditional = remove.precondition.is_some() || remove.agent_precondition.is_some();
    let is_alone = is_conditional || !remove.request_id.is_empty() || remove.erase;
    (!is_alone).then(|| Request::Remove(remove.clone()))
}

impl Request {
    pub(super) fn key(&self) -> &str {
        match self {
            Self::Get(request) => &request.key,
            Self::Set(request) => &request.key,
            Self::Remove(request) => &request.key,
        }
    }

    /// Returns the size of a write.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Get(request) => request.encoded_len(),
            Self::Set(request) => request.encoded_len(),
            Self::Remove(request) => request.encoded_len(),
        }
    }

    /// Returns the write of a commit; none for a get.
    pub(super) fn to_write(&self) -> v1::Write {
        let write = match self {
            Self::Get(_) => None,
            Self::Set(request) => Some(Write::SetEntry(request.clone())),
            Self::Remove(request) => Some(Write::RemoveEntry(request.clone())),
        };
        v1::Write { write }
    }
}

impl Response {
    /// Returns the response to a write of a commit.
    pub(super) fn of(result: v1::WriteResult) -> Result<Self> {
        match result.result {
            Some(write_result::Result::SetEntry(response)) => Ok(Self::Set(response)),
            Some(write_result::Result::RemoveEntry(response)) => Ok(Self::Remove(response)),
            _ => Err(Error::new(ErrorKind::InternalError, "the commit has the result of another write")),
        }
    }

    /// Returns the response of the method whose request it is for.
    pub(super) fn into_response_of<R: UnaryRequest>(self) -> R::Response {
        let response: Box<dyn Any> = match self {
            Self::Get(response) => Box::new(response),
            Self::Set(response) => Box::new(response),
            Self::Remove(response) => Box::new(response),
        };
        *response.downcast().expect("a request has a response of its method")
    }
}

impl Pending {
    pub(super) fn new(request: Request, answer: oneshot::Sender<Result<Response>>) -> Self {
        Self { request, answer }
    }

    /// Returns whether the caller has given up.
    pub(super) fn is_over(&self) -> bool {
        self.answer.is_closed()
    }

    /// Waits until the caller gives up.
    pub(super) async fn given_up(&mut self) {
        self.answer.closed().await;
    }

    /// Answers the call, unless the caller has given up.
    pub(super) fn answer(self, result: Result<Response>) {
        let _ = self.answer.send(result);
    }
}
