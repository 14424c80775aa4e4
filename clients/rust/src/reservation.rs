//! Get-or-set with a factory, atomic across all clients.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::error::{Error, ErrorKind, Result};
use crate::new_entry::{NewEntry, duration_of};
use crate::v1;
use crate::v1::ReserveOutcome;
use crate::working_memory::{Place, WorkingMemory};

const LEASE: Duration = Duration::from_secs(10);
/// The time that one call waits for another holder; it is repeated until the caller's own wait is over.
const WAIT_EACH: Duration = Duration::from_secs(20);
/// One renewal may fail: the next one still comes before the lease expires.
const RENEWALS_PER_LEASE: u32 = 3;

type Describe = Box<dyn Fn(NewEntry) -> NewEntry + Send + Sync>;

/// The options of [`WorkingMemory::get_or_set_with`].
#[must_use]
pub struct GetOrSet {
    lease: Duration,
    wait: Option<Duration>,
    describe: Describe,
}

impl GetOrSet {
    /// Returns the defaults: a lease of 10 s, no limit of the wait, and default attributes of the entry.
    pub fn new() -> Self {
        Self { lease: LEASE, wait: None, describe: Box::new(|entry| entry) }
    }

    /// Sets the lease of the reservation, from 100 ms to 10 minutes. It is renewed three times per lease while the
    /// factory runs. If the process that runs it dies, another caller takes over when the lease expires.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Sets the time to wait for another caller's value, after which the error is `DeadlineExceeded`.
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = Some(wait);
        self
    }

    /// Sets attributes of the entry that is stored, such as `|entry| entry.tags(["summary"])`. Conditions are not
    /// allowed.
    pub fn describe(mut self, describe: impl Fn(NewEntry) -> NewEntry + Send + Sync + 'static) -> Self {
        self.describe = Box::new(describe);
        self
    }
}

impl Default for GetOrSet {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for GetOrSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GetOrSet").field("lease", &self.lease).field("wait", &self.wait).finish_non_exhaustive()
    }
}

pub(crate) async fn get_or_set<T, E>(
    working_memory: &WorkingMemory,
    key: &str,
    options: GetOrSet,
    factory: impl AsyncFnOnce() -> Result<T, E>,
) -> Result<T, E>
where
    T: Serialize + DeserializeOwned,
    E: From<Error>,
{
    // A wait that overflows the clock has no end.
    let until = options.wait.and_then(|wait| Instant::now().checked_add(wait));
    let mut source = Source::Factory(factory);
    loop {
        let wait = until.map_or(WAIT_EACH, |until| until.saturating_duration_since(Instant::now()).min(WAIT_EACH));
        let reservation = match Box::pin(reserve(working_memory, key, options.lease, wait)).await? {
            Outcome::Found(entry) => return Ok(entry.value()?),
            Outcome::Reserved(reservation) => reservation,
            Outcome::Held if until.is_some_and(|until| Instant::now() >= until) => {
                let message = format!("another caller is still making the value of {key:?}");
                return Err(Error::new(ErrorKind::DeadlineExceeded, message).into());
            }
            Outcome::Held => continue,
        };
        let value = match source {
            Source::Made(value) => value,
            Source::Factory(factory) => match reservation.renewed_during(factory).await {
                Ok(value) => value,
                Err(error) => {
                    reservation.give_up().await;
                    return Err(error);
                }
            },
        };
        match Box::pin(reservation.store((options.describe)(NewEntry::new(&value)))).await {
            Ok(()) => return Ok(value),
            // A value is made once: store the same value with the next reservation.
            Err(error) if error.kind() == ErrorKind::ReservationLost => source = Source::Made(value),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The source of the value.
enum Source<F, T> {
    Factory(F),
    Made(T),
}

/// The outcome of a request for a reservation.
enum Outcome {
    Found(v1::Entry),
    Reserved(Reservation),
    Held,
}

async fn reserve(working_memory: &WorkingMemory, key: &str, lease: Duration, wait: Duration) -> Result<Outcome> {
    let Place { agent_id, scope_id, local_only, .. } = working_memory.place.clone();
    let request = v1::ReserveEntryRequest {
        agent_id,
        scope_id,
        key: key.to_owned(),
        local_only,
        lease_duration: Some(duration_of(lease)),
        wait_duration: Some(duration_of(wait)),
        ..Default::default()
    };
    let answer = working_memory.channel.call_waiting(request, wait).await?;
    match answer.outcome() {
        ReserveOutcome::Found => Ok(Outcome::Found(answer.entry.unwrap_or_default())),
        ReserveOutcome::Held => Ok(Outcome::Held),
        ReserveOutcome::Reserved => {
            let renewal = v1::RenewReservationRequest {
                agent_id: working_memory.agent_id().to_owned(),
                scope_id: working_memory.scope_id().to_owned(),
                key: key.to_owned(),
                reservation_token: answer.reservation_token,
                lease_duration: Some(duration_of(lease)),
                ..Default::default()
            };
            Ok(Outcome::Reserved(Reservation { working_memory: working_memory.clone(), renewal, lease, held: true }))
        }
        ReserveOutcome::Unspecified => Err(Error::new(
            ErrorKind::InternalError,
            "the daemon sent an outcome of a reservation that this client does not know",
        )),
    }
}

/// The exclusive right to make a value. If it is dropped while it is held, it is released in the background.
struct Reservation {
    working_memory: WorkingMemory,
    /// The request that renews it, which carries its token.
    renewal: v1::RenewReservationRequest,
    lease: Duration,
    held: bool,
}

impl Reservation {
    /// Runs the factory, and renews the lease meanwhile. The renewal has a task of its own, because a factory may block
    /// its thread.
    async fn renewed_during<T>(&self, factory: impl AsyncFnOnce() -> T) -> T {
        let mut renewing = JoinSet::new();
        let (channel, renewal, every) =
            (self.working_memory.channel.clone(), self.renewal.clone(), self.lease / RENEWALS_PER_LEASE);
        renewing.spawn_on(
            async move {
                let mut turns = interval(every.max(Duration::from_millis(1)));
                turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
                turns.tick().await;
                loop {
                    turns.tick().await;
                    match channel.call(renewal.clone()).await {
                        Err(error) if error.kind() == ErrorKind::ReservationLost => return,
                        Err(error) => tracing::warn!(key = renewal.key, %error, "reservation not renewed"),
                        Ok(_) => {}
                    }
                }
            },
            self.working_memory.channel.runtime(),
        );
        // Dropping the set ends the renewal.
        factory().await
    }

    /// Stores the value, and releases the reservation if that fails.
    async fn store(mut self, entry: NewEntry) -> Result<()> {
        let entry = entry.or_user(&self.working_memory.place.user_id);
        let stored = match entry.into_request(&self.renewal.agent_id, &self.renewal.scope_id, &self.renewal.key) {
            Ok(mut request) => {
                request.reservation_token.clone_from(&self.renewal.reservation_token);
                self.working_memory.channel.call(request).await
            }
            Err(error) => Err(error),
        };
        match stored {
            Ok(_) => self.held = false,
            Err(error) if error.kind() == ErrorKind::ReservationLost => {
                self.held = false;
                return Err(error);
            }
            Err(error) => {
                self.give_up().await;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Releases the reservation for the next caller. A failure is ignored, because the lease expires anyway.
    async fn give_up(mut self) {
        let _ = self.working_memory.channel.call(self.release()).await;
        self.held = false;
    }

    fn release(&self) -> v1::ReleaseReservationRequest {
        v1::ReleaseReservationRequest {
            agent_id: self.renewal.agent_id.clone(),
            scope_id: self.renewal.scope_id.clone(),
            key: self.renewal.key.clone(),
            reservation_token: self.renewal.reservation_token.clone(),
            ..Default::default()
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.held {
            let (channel, request) = (self.working_memory.channel.clone(), self.release());
            self.working_memory.channel.perform_later(async move {
                let _ = channel.call(request).await;
            });
        }
    }
}
