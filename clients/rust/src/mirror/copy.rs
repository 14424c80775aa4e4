//! The mirror of a near cache, and whether it is current enough to be read.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::error::{Error, ErrorKind, Result};
use crate::mirror::{Mark, Mirror};
use crate::v1;

/// Longer than any process runs.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);

/// What a read of a [`NearCache`](crate::NearCache) does while the cache may be older than its maximum staleness, as
/// when the daemon cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StaleRead {
    /// The daemon is asked.
    #[default]
    Ask,
    /// The read fails with `StaleRead`.
    Refuse,
    /// The read returns what the cache has.
    Serve,
}

/// What is read: what the mirror has, or nothing, so that the daemon must be asked.
#[derive(Debug, PartialEq)]
pub(crate) enum Read<T> {
    Held(T),
    Ask,
}

/// How old and how large the mirror may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// `None` is no bound.
    pub(crate) staleness: Option<Duration>,
    pub(crate) when_stale: StaleRead,
    pub(crate) bytes_max: usize,
}

/// The mirror of a near cache. The watch and the writes of the client change it.
pub(crate) struct NearCopy {
    agent_id: String,
    pub(crate) bounds: Bounds,
    state: RwLock<State>,
    /// Those that wait for a change of the state.
    changes: watch::Sender<()>,
}

struct State {
    mirror: Mirror,
    /// The last time at which the mirror is known to have been complete.
    fresh_at: Option<Instant>,
    /// Until when the mirror is known to have all changes that it has to have.
    fresh_until: Option<Instant>,
    /// The writes of this client that the mirror does not have yet, and that nobody waits for.
    debt: Option<Debt>,
    /// The error that ended the watch.
    failure: Option<Error>,
    is_closed: bool,
}

/// The state that a mirror owes, and the last time at which a write of it had returned.
struct Debt {
    mark: Mark,
    at: Instant,
}

impl State {
    /// Ends the debt once the mirror has what it owes.
    fn settle(&mut self, bounds: &Bounds) {
        self.debt.take_if(|debt| debt.mark.is_reached(&self.mirror));
        self.set_fresh_until(bounds);
    }

    /// Ends the debt of writes that had returned before a time.
    fn settle_before(&mut self, time: Instant) {
        self.debt.take_if(|debt| debt.at < time);
    }

    /// Takes note that the mirror has all that was committed before a time.
    fn fresh_from(&mut self, complete: Instant, bounds: &Bounds) {
        self.fresh_at = self.fresh_at.max(Some(complete));
        self.set_fresh_until(bounds);
    }

    fn set_fresh_until(&mut self, bounds: &Bounds) {
        let staleness = bounds.staleness.unwrap_or(FOR_EVER).min(FOR_EVER);
        self.fresh_until = self.fresh_at.filter(|_| self.debt.is_none()).map(|fresh_at| fresh_at + staleness);
    }

    /// Removes the records.
    fn forget(&mut self, bounds: &Bounds) {
        self.mirror = Mirror::new(bounds.bytes_max);
        (self.fresh_at, self.fresh_until) = (None, None);
    }
}

impl NearCopy {
    pub(crate) fn new(agent_id: String, bounds: Bounds) -> Self {
        let state = State {
            mirror: Mirror::new(bounds.bytes_max),
            fresh_at: None,
            fresh_until: None,
            debt: None,
            failure: None,
            is_closed: false,
        };
        Self { agent_id, bounds, state: RwLock::new(state), changes: watch::Sender::new(()) }
    }

    pub(crate) fn agent_id(&self) -> &str {
        &self.agent_id
    }

    /// Reads the mirror, or returns `Ask` if the daemon must be asked. Fails with `StaleRead` if the read is refused.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Mirror) -> Read<T>) -> Result<Read<T>> {
        let state = self.state();
        if state.fresh_until.is_some_and(|fresh_until| Instant::now() <= fresh_until) {
            return Ok(read(&state.mirror));
        }
        match self.bounds.when_stale {
            // A write of this client is never missing, however stale the reads may be.
            StaleRead::Serve if state.debt.is_none() && state.mirror.is_complete => Ok(read(&state.mirror)),
            StaleRead::Refuse => Err(self.stale_read(state.failure.clone())),
            StaleRead::Ask | StaleRead::Serve => Ok(Read::Ask),
        }
    }

    fn stale_read(&self, failure: Option<Error>) -> Error {
        let why = match self.bounds.staleness {
            Some(staleness) => format!("may be older than {staleness:?}"),
            None => "may miss a write of this client".to_owned(),
        };
        let message = format!("the near cache of {:?} {why}", self.agent_id);
        match failure {
            Some(failure) => Error::new(ErrorKind::StaleRead, format!("{message}: {failure}")).with_source(failure),
            None => Error::new(ErrorKind::StaleRead, message),
        }
    }

    /// Looks at the mirror, however old it is.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Mirror) -> T) -> T {
        look(&self.state().mirror)
    }

    /// Returns the time within which the last changes may be missing, or `None` if that is unknown.
    pub(crate) fn staleness(&self) -> Option<Duration> {
        self.state().fresh_at.map(|fresh_at| fresh_at.elapsed())
    }

    pub(crate) fn failure(&self) -> Option<Error> {
        self.state().failure.clone()
    }

    /// Applies a message of the watch.
    pub(crate) fn apply(&self, message: v1::WatchEventsResponse) -> Result<()> {
        self.change(|state| {
            let applied = state.mirror.apply(message);
            state.settle(&self.bounds);
            applied
        })
        .unwrap_or(Ok(()))
    }

    /// Uses a mirror whose watch began at a time.
    pub(crate) fn replace(&self, mut loaded: Mirror, began: Instant) {
        self.change(|state| {
            // What was owed before then is in the initial state, or was lost by the daemon.
            state.settle_before(began);
            loaded.lives += state.mirror.lives + 1;
            state.mirror = loaded;
            state.settle(&self.bounds);
            state.fresh_from(began, &self.bounds);
        });
    }

    /// Takes note of the error that ended the watch.
    pub(crate) fn fail(&self, failure: Error) {
        self.change(|state| {
            if failure.kind() == ErrorKind::CacheFull {
                // Its memory is what the caller wanted to bound.
                state.forget(&self.bounds);
            }
            state.failure = Some(failure);
        });
    }

    /// Removes the records for good. Reads then ask the daemon.
    pub(crate) fn close(&self) {
        self.change(|state| {
            state.forget(&self.bounds);
            state.is_closed = true;
        });
    }

    /// Returns the state that the mirror has.
    pub(crate) fn reached(&self) -> Mark {
        self.look(Mark::at)
    }

    /// Returns the state that the mirror has if it is necessary to find out how current it is.
    pub(crate) fn before_proof(&self) -> Option<Mark> {
        let state = self.state();
        let is_needed = state.mirror.is_complete && (self.bounds.staleness.is_some() || state.debt.is_some());
        is_needed.then(|| Mark::at(&state.mirror))
    }

    /// Takes note that the mirror was current at a time.
    pub(crate) fn proved(&self, at: Instant) {
        self.change(|state| {
            if state.mirror.is_complete {
                state.settle_before(at);
                state.fresh_from(at, &self.bounds);
            }
        });
    }

    /// Waits until the mirror has a write of this client that has returned, at most until the deadline. Then the write is
    /// owed.
    pub(crate) async fn see(&self, written: Mark, deadline: tokio::time::Instant) {
        let is_seen = async {
            self.look(|mirror| written.is_expected(mirror)) && self.wait(|mirror| written.is_reached(mirror)).await
        };
        if !tokio::time::timeout_at(deadline, is_seen).await.unwrap_or(false) {
            self.owe(written);
        }
    }

    /// Takes note of a write that has returned and that the mirror may not have.
    pub(crate) fn owe(&self, written: Mark) {
        self.change(|state| {
            let mark = state.debt.as_ref().map_or(written, |debt| written.later(debt.mark));
            state.debt = Some(Debt { mark, at: Instant::now() });
            state.settle(&self.bounds);
        });
    }

    /// Waits until the mirror meets a condition. Returns false once the watch has failed, or the copy is closed.
    pub(crate) async fn wait(&self, holds: impl Fn(&Mirror) -> bool) -> bool {
        let mut changes = self.changes.subscribe();
        loop {
            {
                let state = self.state();
                if holds(&state.mirror) {
                    return true;
                }
                if state.failure.is_some() || state.is_closed {
                    return false;
                }
            }
            if changes.changed().await.is_err() {
                return false;
            }
        }
    }

    /// Changes the state unless the copy is closed, and lets those that wait check again.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> Option<T> {
        let mut state = self.state_mut();
        let changed = (!state.is_closed).then(|| change(&mut state));
        drop(state);
        self.changes.send_replace(());
        changed
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_mut(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}
