//! The connection to the daemon: performs calls, and retries them where that is safe and useful.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout_at};
use tonic::client::Grpc;
use tonic::codegen::InterceptedService;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::batching::{Batcher, Perform};
use crate::error::{Error, ErrorKind, Result};
use crate::method::UnaryRequest;
use crate::mirror::{NearCopies, NearWrite};
use crate::retry::Attempts;
use crate::target::Target;
use crate::v1;

pub(crate) const MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The transport of the stubs: a connection that adds the token and the origin to each call.
pub type Transport = InterceptedService<tonic::transport::Channel, Headers>;

/// Adds the token and the origin to each call.
#[derive(Clone, Debug)]
pub struct Headers {
    pub(crate) authorization: Option<MetadataValue<Ascii>>,
    pub(crate) origin: Option<MetadataValue<Ascii>>,
}

impl Interceptor for Headers {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(authorization) = &self.authorization {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        if let Some(origin) = &self.origin {
            request.metadata_mut().insert("memoryd-origin", origin.clone());
        }
        Ok(request)
    }
}

/// The limits of waiting for the daemon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
}

/// One connection, opened by the first call. Clones share it.
#[derive(Clone)]
pub(crate) struct Channel {
    transport: Transport,
    shared: Arc<Shared>,
    pub(crate) patience: Patience,
    /// Whether its calls have the timeout of the batcher's.
    may_batch: bool,
}

struct Shared {
    target: String,
    heard_from_daemon: AtomicBool,
    runtime: Handle,
    near: NearCopies,
    batcher: Option<Arc<Batcher>>,
}

impl Channel {
    /// Panics outside a tokio runtime.
    pub(crate) fn new(
        target: &Target,
        connection: tonic::transport::Channel,
        headers: Headers,
        patience: Patience,
        batcher: Option<Batcher>,
    ) -> Self {
        let shared = Shared {
            target: target.to_string(),
            heard_from_daemon: AtomicBool::new(false),
            runtime: Handle::current(),
            near: NearCopies::default(),
            batcher: batcher.map(Arc::new),
        };
        let transport = InterceptedService::new(connection, headers);
        Self { transport, shared: Arc::new(shared), patience, may_batch: true }
    }

    /// Returns the same connection with another timeout. Its calls are not sent with others.
    pub(crate) fn with_timeout(&self, timeout: Duration) -> Self {
        let mut changed = self.clone();
        changed.patience.timeout = timeout;
        changed.may_batch = false;
        changed
    }

    pub(crate) fn target(&self) -> &str {
        &self.shared.target
    }

    pub(crate) fn transport(&self) -> Transport {
        self.transport.clone()
    }

    /// Returns the runtime that drives the connection, for tasks that must outlive the caller's future.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.shared.runtime
    }

    /// Returns the near caches, which the writes of this client wait for.
    pub(crate) fn near(&self) -> &NearCopies {
        &self.shared.near
    }

    /// Runs work in the background. If the runtime ends first, it is not done.
    pub(crate) fn perform_later(&self, work: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime().spawn(work));
    }

    /// Performs a call with all its retries. Dropping the future cancels the call.
    pub(crate) async fn call<R: UnaryRequest>(&self, request: R) -> Result<R::Response> {
        self.call_waiting(request, Duration::ZERO).await
    }

    /// Performs a call that the daemon may hold for `wait`, which is added to the timeout.
    pub(crate) async fn call_waiting<R: UnaryRequest>(&self, request: R, wait: Duration) -> Result<R::Response> {
        match &self.shared.batcher {
            Some(batcher) if self.may_batch && wait.is_zero() => Box::pin(batcher.run(self, request)).await,
            Some(batcher) => {
                Box::pin(batcher.settle(self, request.agent_id())).await;
                self.call_while(request, wait, pause).await
            }
            None => self.call_while(request, wait, pause).await,
        }
    }

    /// Performs a call as `call_waiting` does, with a pause before each retry that says whether there is one.
    pub(crate) async fn call_while<R: UnaryRequest, P: Future<Output = bool>>(
        &self,
        mut request: R,
        wait: Duration,
        pause: impl FnMut(Duration) -> P,
    ) -> Result<R::Response> {
        if let Some(id) = request.request_id().filter(|id| id.is_empty()) {
            *id = new_request_id();
        }
        let timeout = self.patience.timeout + wait;
        let heard = self.shared.heard_from_daemon.load(Ordering::Relaxed);
        let unreachable = if heard { timeout } else { self.patience.connect_timeout };
        let attempts = Attempts::new(R::REPEATABLE, timeout, unreachable);
        let write = NearWrite::begin(self.near(), &request);
        let response = repeat(attempts, |deadline| self.attempt(&request, deadline), pause).await?;
        write.end(R::revision_of(&response)).await;
        Ok(response)
    }

    /// Opens the stream of a watch, in one attempt and without a deadline.
    pub(crate) async fn watch(&self, request: v1::WatchEventsRequest) -> Result<Streaming<v1::WatchEventsResponse>> {
        let mut stub = v1::event_service_client::EventServiceClient::new(self.transport())
            .max_decoding_message_size(MESSAGE_BYTES_MAX);
        match stub.watch_events(request).await {
            Ok(response) => Ok(response.into_inner()),
            Err(status) => Err(self.failure(status)),
        }
    }

    /// Converts a status of gRPC into an error of this crate.
    pub(crate) fn failure(&self, status: Status) -> Error {
        let error = Error::from(status);
        if !error.reason().is_empty() {
            self.heard();
        }
        error.at(self.target())
    }

    async fn attempt<R: UnaryRequest>(&self, message: &R, deadline: Instant) -> Result<R::Response> {
        let mut request = Request::new(message.clone());
        request.set_timeout(deadline.saturating_duration_since(Instant::now()));
        let mut stub = Grpc::new(self.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX);
        let answer = async {
            stub.ready().await.map_err(|error| Status::from_error(error.into()))?;
            let path = PathAndQuery::from_static(R::PATH);
            stub.unary(request, path, ProstCodec::<R, R::Response>::default()).await
        };
        match timeout_at(deadline, answer).await {
            Ok(Ok(response)) => {
                self.heard();
                Ok(response.into_inner())
            }
            Ok(Err(status)) => Err(self.failure(status)),
            Err(_) => Err(Error::new(
                ErrorKind::DeadlineExceeded,
                format!("memoryd at {} did not respond in time", self.target()),
            )),
        }
    }

    fn heard(&self) {
        self.shared.heard_from_daemon.store(true, Ordering::Relaxed);
    }
}

impl Perform for Channel {
    fn perform<R: UnaryRequest>(&self, request: R) -> impl Future<Output = Result<R::Response>> + Send {
        self.call_while(request, Duration::ZERO, pause)
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.perform_later(work);
    }
}

async fn repeat<T, F, P>(
    mut attempts: Attempts,
    mut attempt: impl FnMut(Instant) -> F,
    mut pause: impl FnMut(Duration) -> P,
) -> Result<T>
where
    F: Future<Output = Result<T>>,
    P: Future<Output = bool>,
{
    loop {
        match attempt(attempts.deadline()).await {
            Ok(answer) => return Ok(answer),
            Err(error) => {
                let delay = attempts.delay_after(error.clone())?;
                if !pause(delay).await {
                    return Err(error);
                }
            }
        }
    }
}

/// Waits, and returns that there is a retry.
async fn pause(delay: Duration) -> bool {
    sleep(delay).await;
    true
}

/// Returns a new request id, which makes a change safe to repeat.
pub(crate) fn new_request_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::tests::error_of;

    #[test]
    fn a_request_id_has_128_bits_and_is_unique() {
        let id = new_request_id();
        assert_eq!(id.len(), 32);
        assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(id, new_request_id());
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_call_is_retried_until_it_succeeds() {
        let mut tries = 0;
        let attempt = |_| {
            tries += 1;
            std::future::ready(if tries < 4 { Err(error_of(ErrorKind::Unavailable)) } else { Ok(tries) })
        };
        let answer = repeat(Attempts::new(true, 10 * SECOND, 10 * SECOND), attempt, pause);
        assert_eq!(answer.await.unwrap(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_refused_is_tried_once() {
        let mut tries = 0;
        let attempt = |_| {
            tries += 1;
            std::future::ready(Err(error_of(ErrorKind::NotFound)))
        };
        let answer: Result<()> = repeat(Attempts::new(true, SECOND, SECOND), attempt, pause).await;
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(tries, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_is_not_retried_after_a_pause_that_ends_it() {
        let mut tries = 0;
        let attempt = |_| {
            tries += 1;
            std::future::ready(Err(error_of(ErrorKind::Unavailable)))
        };
        let attempts = Attempts::new(true, 10 * SECOND, 10 * SECOND);
        let answer: Result<()> = repeat(attempts, attempt, |_| std::future::ready(false)).await;
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::Unavailable);
        assert_eq!(tries, 1);
    }
}
