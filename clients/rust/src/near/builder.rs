//! The options of a near cache.

use std::fmt;
use std::time::Duration;

use futures_core::future::BoxFuture;

use crate::error::{Error, ErrorKind, Result};
use crate::mirror::{Bounds, StaleRead};
use crate::near::NearCache;
use crate::near::following::{Selection, path_of};
use crate::near::opened::Opened;
use crate::working_memory::WorkingMemory;

const STALENESS: Duration = Duration::from_secs(5);
const STALENESS_MIN: Duration = Duration::from_millis(100);
const BYTES_MAX: usize = 64 << 20;

/// Builds a [`NearCache`]: await it to open the cache, which is complete then.
///
/// Opening fails with `CacheFull` if the records take more than [`max_bytes`](Self::max_bytes), with `InvalidArgument` for
/// bounds that are not allowed, with `RecordNotFound` for a scope that there is not, and with `Unavailable` if the daemon
/// cannot be reached within the connect timeout. Dropping the future cancels the opening.
#[derive(Clone)]
#[must_use = "a near cache is opened when it is awaited"]
pub struct NearCacheBuilder {
    memory: WorkingMemory,
    bounds: Bounds,
    scope_id: String,
    key_prefix: String,
    holds_notes: bool,
}

impl NearCacheBuilder {
    /// Returns the builder of a near cache of an agent, by its root.
    pub(crate) fn new(root: &WorkingMemory) -> Self {
        let bounds = Bounds { staleness: Some(STALENESS), when_stale: StaleRead::Ask, bytes_max: BYTES_MAX };
        let (scope_id, key_prefix) = (String::new(), String::new());
        Self { memory: root.clone(), bounds, scope_id, key_prefix, holds_notes: true }
    }

    /// Bounds the staleness: each read has all changes that were committed at least this long before it. At least 100 ms.
    /// `None` is no bound: the cache makes no calls to find out how current it is, and its reads have the changes of
    /// others once they arrive. Default: 5 s.
    pub fn max_staleness(mut self, staleness: impl Into<Option<Duration>>) -> Self {
        self.bounds.staleness = staleness.into();
        self
    }

    /// Sets what reads do while the cache may be older than its maximum staleness, as when the daemon cannot be reached.
    /// Default: they ask the daemon.
    pub fn when_stale(mut self, read: StaleRead) -> Self {
        self.bounds.when_stale = read;
        self
    }

    /// Holds only this scope, those below it, and those that it inherits from. Default: all.
    pub fn in_scope(mut self, scope_id: impl Into<String>) -> Self {
        self.scope_id = scope_id.into();
        self
    }

    /// Holds only the entries whose keys start with the prefix. Reads of others ask the daemon. Default: all.
    pub fn key_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.key_prefix = prefix.into();
        self
    }

    /// Holds no notes: reads of notes ask the daemon.
    pub fn without_notes(mut self) -> Self {
        self.holds_notes = false;
        self
    }

    /// Limits the memory that the records take, roughly: in bytes, at least 1. A cache that would take more cannot be
    /// opened. One that grows beyond it later forgets its records, and its reads ask the daemon, or are refused with
    /// [`StaleRead::Refuse`]. Default: 64 MiB.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.bounds.bytes_max = bytes;
        self
    }

    async fn open(self) -> Result<NearCache> {
        self.check()?;
        let Self { memory, bounds, scope_id, key_prefix, holds_notes } = self;
        let agent_id = memory.agent_id();
        let scope_ids = path_of(&memory, &scope_id).await?;
        let selection = Selection { agent_id, scope_ids: &scope_ids, key_prefix: &key_prefix, holds_notes };
        let opened = Opened::open(&memory, bounds, selection).await?;
        Ok(NearCache::new(opened, memory))
    }

    fn check(&self) -> Result<()> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidArgument, message));
        match self.bounds.staleness {
            Some(staleness) if staleness < STALENESS_MIN => {
                invalid(format!("the maximum staleness must be at least {STALENESS_MIN:?}, not {staleness:?}"))
            }
            _ if self.bounds.bytes_max == 0 => {
                invalid("the maximum number of bytes must be positive, not 0".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl IntoFuture for NearCacheBuilder {
    type Output = Result<NearCache>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.open())
    }
}

impl fmt::Debug for NearCacheBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NearCacheBuilder")
            .field("agent_id", &self.memory.agent_id())
            .field("bounds", &self.bounds)
            .field("scope_id", &self.scope_id)
            .field("key_prefix", &self.key_prefix)
            .field("holds_notes", &self.holds_notes)
            .finish_non_exhaustive()
    }
}
