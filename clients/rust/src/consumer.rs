//! Consumers of flushed fragments.

use std::error::Error as StdError;
use std::fmt;
use std::future::pending;
use std::panic::resume_unwind;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::agent::Agent;
use crate::error::{Error, ErrorKind, Result};
use crate::kinds::Fragments;
use crate::method::UnaryRequest;
use crate::new_entry::duration_of;
use crate::retry::{backoff, jitter};
use crate::v1;

const LIMIT: i32 = 10;
const LEASE: Duration = Duration::from_secs(10);
/// One renewal may fail: the next one still comes before the lease expires.
const RENEWALS_PER_LEASE: u32 = 3;
/// How long one call waits for fragments. None is cancelled when the consumer is closed: the daemon may have leased
/// fragments to it already, which nobody would get before the lease expires.
const WAIT: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// No retry can resolve these.
const PERMANENT: [ErrorKind; 4] =
    [ErrorKind::InvalidArgument, ErrorKind::PermissionDenied, ErrorKind::Unauthenticated, ErrorKind::Unimplemented];

/// The error of a handler, or an [`Error`] of a call.
type AnyError = dyn StdError + Send + Sync + 'static;
type OnError = Box<dyn FnMut(&AnyError) + Send>;

/// The options of a [`Consumer`].
#[must_use = "a consumer begins when it is started"]
pub struct NewConsumer {
    agent: Agent,
    limit: i32,
    lease: Duration,
    on_error: OnError,
}

impl NewConsumer {
    pub(crate) fn new(agent: &Agent) -> Self {
        let on_error = |error: &AnyError| tracing::warn!(%error, "fragments are delivered again");
        Self { agent: agent.clone(), limit: LIMIT, lease: LEASE, on_error: Box::new(on_error) }
    }

    /// Maximum number of fragments that the handler receives together. Default: 10.
    pub fn limit(mut self, limit: i32) -> Self {
        self.limit = limit;
        self
    }

    /// Sets the lease of the fragments, which is renewed while the handler runs. Default: 10 s.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Calls a function with each error of the handler, and of the calls that are tried again. Default: they are
    /// logged.
    pub fn on_error(mut self, on_error: impl FnMut(&(dyn StdError + Send + Sync + 'static)) + Send + 'static) -> Self {
        self.on_error = Box::new(on_error);
        self
    }

    /// Starts the consumer in a task of its own. Fragments are delivered again unless the handler succeeds.
    pub fn start<F, E>(self, handler: impl FnMut(Delivery) -> F + Send + 'static) -> Consumer
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Box<AnyError>> + Send + 'static,
    {
        let runtime = self.agent.channel.runtime().clone();
        let (closing, closed) = watch::channel(());
        let task = runtime.spawn(Delivering { options: self, closed }.run(handler));
        Consumer { closing: Some(closing), task: Some(task) }
    }
}

impl fmt::Debug for NewConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewConsumer").field("limit", &self.limit).field("lease", &self.lease).finish_non_exhaustive()
    }
}

/// Fragments that a [`Consumer`] delivers to its handler, oldest first.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The fragments.
    pub fragments: Vec<v1::Fragment>,
    lost: watch::Receiver<bool>,
}

impl Delivery {
    /// Waits until the lease of the fragments is lost, so that other consumers may receive them; forever if it is not.
    pub async fn lease_lost(&self) {
        if self.lost.clone().wait_for(|lost| *lost).await.is_err() {
            pending::<()>().await;
        }
    }
}

/// Delivers flushed fragments to a handler, each at least once, also across restarts of the daemon.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// let consumer = agent.fragments().consumer().limit(5).start(async |delivery| {
///     println!("{:?}", delivery.fragments);
///     Ok::<_, memoryd::Error>(())
/// });
/// // …
/// consumer.close().await?;
/// # Ok(())
/// # }
/// ```
///
/// When the handler succeeds, its fragments leave the buffer. When it fails, they are delivered again, and the consumer
/// pauses for up to 30 seconds. It ends when it is closed or dropped, and with an error that no retry can resolve. Any
/// number of consumers share the fragments.
#[derive(Debug)]
#[must_use = "a consumer ends when it is dropped"]
pub struct Consumer {
    /// The consumer is closed when this is dropped.
    closing: Option<watch::Sender<()>>,
    task: Option<JoinHandle<Result<()>>>,
}

impl Consumer {
    /// Ends the consumer once a running handler has returned. A pending call for fragments ends within a second, and
    /// what it still receives is released.
    ///
    /// # Errors
    ///
    /// The error that the consumer ended with.
    pub async fn close(mut self) -> Result<()> {
        self.closing = None;
        self.ended().await
    }

    /// Waits until the consumer has ended with an error. Once that was returned, the result is `Ok`.
    ///
    /// # Errors
    ///
    /// `InvalidArgument`, `PermissionDenied`, `Unauthenticated` or `Unimplemented`, which no retry can resolve, and
    /// `Cancelled` if the runtime ends.
    ///
    /// # Panics
    ///
    /// Panics if the handler did.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not end the consumer.
    pub async fn ended(&mut self) -> Result<()> {
        let Some(task) = &mut self.task else { return Ok(()) };
        let outcome = task.await;
        self.task = None;
        match outcome {
            Ok(outcome) => outcome,
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(error) => Err(Error::new(ErrorKind::Cancelled, "the runtime has ended").with_source(error)),
        }
    }
}

/// The task of a consumer.
struct Delivering {
    options: NewConsumer,
    /// Changes never, and fails once the consumer is closed.
    closed: watch::Receiver<()>,
}

impl Delivering {
    async fn run<F, E>(mut self, mut handler: impl FnMut(Delivery) -> F) -> Result<()>
    where
        F: Future<Output = Result<(), E>>,
        E: Into<Box<AnyError>>,
    {
        let mut failures = 0;
        while !self.is_closed() {
            match self.turn(&mut handler).await {
                Ok(true) => failures = 0,
                Ok(false) => failures += 1,
                Err(_) if self.is_closed() => return Ok(()),
                Err(error) if PERMANENT.into_iter().any(|kind| error.is(kind)) => {
                    tracing::error!(%error, "consumer of fragments ended");
                    return Err(error);
                }
                Err(error) => {
                    (self.options.on_error)(&error);
                    failures += 1;
                }
            }
            if failures > 0 {
                pause(backoff(failures, LONGEST_PAUSE, jitter()), self.closed.clone()).await;
            }
        }
        Ok(())
    }

    fn is_closed(&self) -> bool {
        self.closed.has_changed().is_err()
    }

    /// Has some fragments handled, if there are any. Returns false if the handler has failed.
    async fn turn<F, E>(&mut self, handler: &mut impl FnMut(Delivery) -> F) -> Result<bool>
    where
        F: Future<Output = Result<(), E>>,
        E: Into<Box<AnyError>>,
    {
        let request = v1::LeaseFragmentsRequest {
            agent_id: self.agent_id(),
            limit: self.options.limit,
            lease_duration: Some(duration_of(self.options.lease)),
            wait_duration: Some(duration_of(WAIT)),
            ..Default::default()
        };
        let v1::LeaseFragmentsResponse { lease_token, fragments, .. } = self.call(request, WAIT).await?;
        if fragments.is_empty() {
            return Ok(true);
        }
        if self.is_closed() {
            self.release(lease_token).await;
            return Ok(true);
        }
        if let Err(error) = self.handle(&lease_token, fragments, handler).await {
            self.release(lease_token).await;
            (self.options.on_error)(&*error.into());
            return Ok(false);
        }
        let request = v1::AcknowledgeFragmentsRequest { agent_id: self.agent_id(), lease_token, ..Default::default() };
        match self.call(request, Duration::ZERO).await {
            // They are not released: they were handled, and the daemon may have removed them before the call failed.
            Err(error) if error.kind() == ErrorKind::LeaseLost => (self.options.on_error)(&error),
            answer => drop(answer?),
        }
        Ok(true)
    }

    async fn handle<F, E>(
        &mut self,
        lease_token: &str,
        fragments: Vec<v1::Fragment>,
        handler: &mut impl FnMut(Delivery) -> F,
    ) -> Result<(), E>
    where
        F: Future<Output = Result<(), E>>,
    {
        let renewal = v1::RenewFragmentLeaseRequest {
            agent_id: self.agent_id(),
            lease_token: lease_token.to_owned(),
            lease_duration: Some(duration_of(self.options.lease)),
            ..Default::default()
        };
        let (losing, lost) = watch::channel(false);
        // A task of its own, because a handler may block its thread. Dropping the set ends it.
        let mut renewing = JoinSet::new();
        let renewed = renew(self.options.agent.clone(), renewal, self.options.lease / RENEWALS_PER_LEASE, losing);
        renewing.spawn_on(renewed, self.options.agent.channel.runtime());
        handler(Delivery { fragments, lost }).await
    }

    async fn release(&mut self, lease_token: String) {
        let request = v1::ReleaseFragmentsRequest { agent_id: self.agent_id(), lease_token, ..Default::default() };
        // If it fails, the lease expires anyway.
        let _ = self.call(request, Duration::ZERO).await;
    }

    /// Performs a call, which is not tried again once the consumer is closed.
    async fn call<R: UnaryRequest>(&mut self, request: R, wait: Duration) -> Result<R::Response> {
        let channel = self.options.agent.channel.clone();
        channel.call_while(request, wait, |delay| pause(delay, self.closed.clone())).await
    }

    fn agent_id(&self) -> String {
        self.options.agent.agent_id().to_owned()
    }
}

/// Waits, or until the consumer is closed. Returns whether it is still open.
async fn pause(delay: Duration, mut closed: watch::Receiver<()>) -> bool {
    timeout(delay, closed.changed()).await.is_err()
}

/// Renews a lease once per interval until it is lost.
async fn renew(agent: Agent, request: v1::RenewFragmentLeaseRequest, every: Duration, losing: watch::Sender<bool>) {
    loop {
        sleep(every).await;
        match agent.channel.call(request.clone()).await {
            Err(error) if error.kind() == ErrorKind::LeaseLost => {
                losing.send_replace(true);
                return;
            }
            // The cause may pass before the lease expires: try again at the next turn.
            Err(error) => tracing::warn!(%error, "lease of fragments not renewed"),
            Ok(_) => {}
        }
    }
}

impl Fragments {
    /// Returns the options of a consumer, which [`start`](NewConsumer::start) starts with its handler.
    pub fn consumer(&self) -> NewConsumer {
        NewConsumer::new(&self.agent)
    }
}
