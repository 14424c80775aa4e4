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

const LEASE: Duration = Duration::from_secs(30);
/// How long one call waits for another holder: it is called again for as long as the caller is willing to wait.
const WAIT_EACH: Duration = Duration::from_secs(20);
/// A lease is renewed so often before it ends, so that a renewal may fail and the next still comes in time.
const RENEWALS_PER_LEASE: u32 = 3;

type Describe = Box<dyn Fn(NewEntry) -> NewEntry + Send + Sync>;

/// How to make a value that is missing: see [`WorkingMemory::get_or_set_with`].
#[must_use]
pub struct GetOrSet {
    lease: Duration,
    wait: Option<Duration>,
    describe: Describe,
}

impl GetOrSet {
    /// A lease of 30 s, a wait without end, and nothing said of the value but itself.
    pub fn new() -> Self {
        Self { lease: LEASE, wait: None, describe: Box::new(|entry| entry) }
    }

    /// How long the maker's reservation holds without being renewed: 100 ms to 10 minutes. It is renewed three times in
    /// that time while the factory runs; when the maker dies, another takes over after it.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// How long to wait for the value of another maker; then it is `DeadlineExceeded`.
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = Some(wait);
        self
    }

    /// Says more about the value when it is stored: `|entry| entry.tags(["summary"])`. A condition has no place here.
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
    // A wait beyond the end of time is one without end.
    let until = options.wait.and_then(|wait| Instant::now().checked_add(wait));
    let mut source = Source::Factory(factory);
    loop {
        let wait = until.map_or(WAIT_EACH, |until| until.saturating_duration_since(Instant::now()).min(WAIT_EACH));
        let reservation = match reserve(working_memory, key, options.lease, wait).await? {
            Answer::Found(entry) => return Ok(entry.value()?),
            Answer::Reserved(reservation) => reservation,
            Answer::Held if until.is_some_and(|until| Instant::now() >= until) => {
                let message = format!("another caller is still making the value of {key:?}");
                return Err(Error::new(ErrorKind::DeadlineExceeded, message).into());
            }
            Answer::Held => continue,
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
        match reservation.store((options.describe)(NewEntry::new(&value))).await {
            Ok(()) => return Ok(value),
            // Once made, a value is offered again rather than made again.
            Err(error) if error.kind() == ErrorKind::ReservationLost => source = Source::Made(value),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Where the value comes from.
enum Source<F, T> {
    Factory(F),
    Made(T),
}

/// What became of asking for a reservation.
enum Answer {
    Found(v1::Entry),
    Reserved(Reservation),
    Held,
}

async fn reserve(working_memory: &WorkingMemory, key: &str, lease: Duration, wait: Duration) -> Result<Answer> {
    let Place { agent_id, scope_id, local_only } = working_memory.place.clone();
    let request = v1::ReserveEntryRequest {
        agent_id,
        scope_id,
        key: key.to_owned(),
        local_only,
        lease: Some(duration_of(lease)),
        wait: Some(duration_of(wait)),
        ..Default::default()
    };
    let answer = working_memory.channel.call_waiting(request.clone(), wait).await?;
    match answer.outcome() {
        ReserveOutcome::Found => Ok(Answer::Found(answer.entry.unwrap_or_default())),
        ReserveOutcome::Held => Ok(Answer::Held),
        ReserveOutcome::Reserved => {
            let renewal =
                v1::ReserveEntryRequest { reservation_token: answer.reservation_token, wait: None, ..request };
            Ok(Answer::Reserved(Reservation { working_memory: working_memory.clone(), renewal, lease, held: true }))
        }
        ReserveOutcome::Unspecified => {
            Err(Error::new(ErrorKind::InternalError, "the answer to a reservation is none that this client knows"))
        }
    }
}

/// The right to make a value. Dropped while it is held, it is given up in the background.
struct Reservation {
    working_memory: WorkingMemory,
    /// The request that renews it, which carries its token.
    renewal: v1::ReserveEntryRequest,
    lease: Duration,
    held: bool,
}

impl Reservation {
    /// Runs the factory, and renews the lease meanwhile in a task of its own: a factory may keep its thread busy.
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
                        Err(error) => tracing::warn!(key = renewal.key, %error, "a reservation was not renewed"),
                        Ok(_) => {}
                    }
                }
            },
            self.working_memory.channel.runtime(),
        );
        // The end of the set ends the renewing.
        factory().await
    }

    /// Stores the value under the reservation. When that fails, the reservation is over.
    async fn store(mut self, entry: NewEntry) -> Result<()> {
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

    /// Lets the next caller make the value. That this fails is no news: then the lease runs out.
    async fn give_up(mut self) {
        let _ = self.working_memory.channel.call(self.giving_up()).await;
        self.held = false;
    }

    fn giving_up(&self) -> v1::RemoveEntryRequest {
        v1::RemoveEntryRequest {
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
            let (channel, request) = (self.working_memory.channel.clone(), self.giving_up());
            self.working_memory.channel.perform_later(async move {
                let _ = channel.call(request).await;
            });
        }
    }
}
