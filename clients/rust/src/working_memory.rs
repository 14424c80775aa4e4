//! The entries of an agent or scope, and the scopes below it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::batch::Batch;
use crate::channel::Channel;
use crate::condition::Condition;
use crate::entries::Entries;
use crate::error::{Error, ErrorKind, Result};
use crate::new_entry::{NewEntry, duration_of};
use crate::reservation::{GetOrSet, get_or_set};
use crate::scope::{Merge, NewScope, Scope, create_scope};
use crate::v1;
use crate::v1::consistency::Requirement;
use crate::watch::WatchBuilder;

/// Each lost race is a write of another caller. After this many in a row the cause is not contention.
const RACES_MAX: u32 = 1_000;

/// The working memory of an agent or of one of its scopes: entries by key. Clones share it.
///
/// Reads in a scope fall back to its parents up to the root, except through [`local_only`](Self::local_only). Writes
/// stay in the scope itself. Keys are 1 to 1,024 bytes, not blank, without control characters.
///
/// # Errors
///
/// Every method fails if the daemon refuses, with `Unavailable` or `DeadlineExceeded` if the daemon cannot be reached,
/// and with `ScopeDisposed` after the scope's end. Each method lists its other errors.
///
/// # Cancel safety
///
/// Dropping a future cancels its call. A change may or may not have been applied then, as after `DeadlineExceeded`.
#[derive(Clone)]
pub struct WorkingMemory {
    pub(crate) channel: Channel,
    pub(crate) place: Place,
}

/// A scope of an agent, by their ids, and how it is read: in the scope itself or also in its parents, and how current.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) agent_id: String,
    pub(crate) scope_id: String,
    pub(crate) local_only: bool,
    pub(crate) consistency: Option<v1::Consistency>,
    /// The bound user, whom it writes about and whose records it selects; empty for none.
    pub(crate) user_id: String,
}

impl WorkingMemory {
    pub(crate) fn new(channel: Channel, agent_id: String, scope_id: String) -> Self {
        let place = Place { agent_id, scope_id, local_only: false, consistency: None, user_id: String::new() };
        Self { channel, place }
    }

    /// Returns the working memory of another scope of the agent, with the same bound user.
    pub(crate) fn of_scope(&self, scope_id: String) -> Self {
        let mut other = Self::new(self.channel.clone(), self.place.agent_id.clone(), scope_id);
        other.place.user_id.clone_from(&self.place.user_id);
        other
    }

    /// Returns the id of the agent.
    #[must_use]
    pub fn agent_id(&self) -> &str {
        &self.place.agent_id
    }

    /// Returns the id of the scope, empty for the root.
    #[must_use]
    pub fn scope_id(&self) -> &str {
        &self.place.scope_id
    }

    /// Returns the same working memory, whose reads do not fall back to its parents.
    #[must_use]
    pub fn local_only(&self) -> Self {
        let mut local = self.clone();
        local.place.local_only = true;
        local
    }

    /// Returns the same working memory, whose reads have every change of the agent up to this revision, such as that of
    /// an earlier [`set`](Self::set). A daemon that shares its store then reads from its memory if that suffices.
    ///
    /// Otherwise a read has every change that was committed before it; those of [`update`](Self::update) and
    /// [`get_or_set`](Self::get_or_set) always have. The reads fail with `RevisionInFuture` if the agent has not reached
    /// the revision. Replaces [`with_max_staleness`](Self::with_max_staleness).
    #[must_use]
    pub fn with_min_revision(&self, revision: i64) -> Self {
        self.requiring(Some(Requirement::MinRevision(revision)))
    }

    /// Returns the same working memory, whose reads have every change that was committed at least this long ago: from 0
    /// to 1 day. Replaces [`with_min_revision`](Self::with_min_revision), and is like it otherwise.
    #[must_use]
    pub fn with_max_staleness(&self, staleness: Duration) -> Self {
        self.requiring(Some(Requirement::MaxStaleness(duration_of(staleness))))
    }

    fn requiring(&self, requirement: Option<Requirement>) -> Self {
        let mut changed = self.clone();
        changed.place.consistency = requirement.map(|requirement| v1::Consistency { requirement: Some(requirement) });
        changed
    }

    /// Returns the value under the key, or `None` if there is no entry.
    ///
    /// # Errors
    ///
    /// `WrongType` if the value is not a `T`.
    pub async fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        self.get_entry(key).await?.map(|entry| entry.value()).transpose()
    }

    /// Returns the whole entry under the key, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn get_entry(&self, key: &str) -> Result<Option<v1::Entry>> {
        let Place { agent_id, scope_id, local_only, consistency, .. } = self.place.clone();
        let request = v1::GetEntryRequest { agent_id, scope_id, key: key.to_owned(), local_only, consistency };
        let answer = self.channel.call(request).await?;
        Ok(answer.entry.filter(|_| answer.found))
    }

    /// Returns the values of up to 1,000 keys, all at one revision. Keys without a value are left out.
    ///
    /// # Errors
    ///
    /// `WrongType` if one of the values is not a `T`.
    pub async fn get_many<T: DeserializeOwned>(
        &self,
        keys: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<BTreeMap<String, T>> {
        let entries = self.get_entries(keys).await?;
        entries.into_iter().map(|entry| Ok((entry.key.clone(), entry.value()?))).collect()
    }

    /// Returns the entries of up to 1,000 keys in their order, all at one revision. Keys without an entry are left out.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn get_entries(&self, keys: impl IntoIterator<Item = impl Into<String>>) -> Result<Vec<v1::Entry>> {
        let Place { agent_id, scope_id, local_only, consistency, .. } = self.place.clone();
        let keys = keys.into_iter().map(Into::into).collect();
        let request =
            v1::BatchGetEntriesRequest { agent_id, scope_id, keys, local_only, consistency, ..Default::default() };
        Ok(self.channel.call(request).await?.entries)
    }

    /// Stores a value, and overwrites the existing one. The value is a reference to what serde can serialize, or a
    /// [`NewEntry`].
    ///
    /// # Errors
    ///
    /// `UnsupportedValue`, `TooLarge`, `QuotaExceeded`, `StorageFull`, and `RecordExists`, `RecordNotFound` or
    /// `RevisionMismatch` if the entry's condition is not met.
    pub async fn set(&self, key: &str, entry: impl Into<NewEntry>) -> Result<v1::SetEntryResponse> {
        let request = entry.into().or_user(&self.place.user_id).into_request(self.agent_id(), self.scope_id(), key)?;
        self.channel.call(request).await
    }

    /// Replaces the own value of the agent or scope by the result of `change`, and returns the new value. No concurrent
    /// update is lost.
    ///
    /// `change` receives `None` if there is no value. It runs again if another writer was faster, up to 1,000 times.
    /// The entry keeps its expiry, type, importance, tags, metadata, user and type name;
    /// [`update_entry`](Self::update_entry) changes them, too.
    ///
    /// # Errors
    ///
    /// `WrongType` if the value is not a `T`, and those of [`set`](Self::set).
    pub async fn update<T>(&self, key: &str, mut change: impl FnMut(Option<T>) -> T) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
    {
        let mut updated = None;
        self.update_entry(key, |entry| {
            let new = change(entry.map(v1::Entry::value).transpose()?);
            let entry = NewEntry::new(&new);
            updated = Some(new);
            Ok(entry)
        })
        .await?;
        updated.ok_or_else(|| Error::new(ErrorKind::InternalError, "the update made no value"))
    }

    /// Updates as [`update`](Self::update) does, with a `change` of the whole entry: it returns the new value with the
    /// attributes to change, and the entry keeps the others. [`NewEntry::without_expiry`] ends its expiry.
    ///
    /// # Errors
    ///
    /// The error of `change`, and those of [`set`](Self::set).
    pub async fn update_entry(
        &self,
        key: &str,
        mut change: impl FnMut(Option<&v1::Entry>) -> Result<NewEntry>,
    ) -> Result<v1::SetEntryResponse> {
        let own = self.local_only().requiring(None);
        let mut races = 0;
        loop {
            let entry = own.get_entry(key).await?;
            let new = change(entry.as_ref())?;
            let revision = entry.map_or(0, |entry| entry.revision);
            races += 1;
            match self.set(key, new.keeping().expected_revision(revision)).await {
                Err(error) if error.kind() == ErrorKind::RevisionMismatch && races < RACES_MAX => {}
                answer => return answer,
            }
        }
    }

    /// Returns the value under the key. If there is none, calls `factory`, and stores and returns its value.
    ///
    /// Like [`get_or_set_with`](Self::get_or_set_with) with a lease of 10 s and no limit of the wait.
    ///
    /// ```no_run
    /// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
    /// let summary: String = agent.get_or_set("summary", async || Ok::<_, memoryd::Error>("made once".to_owned())).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`get_or_set_with`](Self::get_or_set_with).
    pub async fn get_or_set<T, E>(&self, key: &str, factory: impl AsyncFnOnce() -> Result<T, E>) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned,
        E: From<Error>,
    {
        get_or_set(self, key, GetOrSet::new(), factory).await
    }

    /// Returns the value under the key. If there is none, calls `factory`, and stores and returns its value.
    ///
    /// Of all callers in all processes, one runs its factory and the others wait for its value. The lease is renewed
    /// while the factory runs; if its process dies, another caller takes over when the lease expires. If the factory
    /// fails, the next caller takes over at once.
    ///
    /// # Errors
    ///
    /// The error of the factory, `DeadlineExceeded` if another caller's factory still runs after the wait, `WrongType`
    /// if an existing value is not a `T`, and those of [`set`](Self::set).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while the factory runs, the reservation is released in the background, so that the next
    /// caller takes over at once. If it is dropped just as the daemon grants the reservation, or if the runtime ends,
    /// the lease has to expire.
    pub async fn get_or_set_with<T, E>(
        &self,
        key: &str,
        options: GetOrSet,
        factory: impl AsyncFnOnce() -> Result<T, E>,
    ) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned,
        E: From<Error>,
    {
        get_or_set(self, key, options, factory).await
    }

    /// Returns whether there is an entry under the key, without reading it.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn contains(&self, key: &str) -> Result<bool> {
        let Place { agent_id, scope_id, local_only, consistency, .. } = self.place.clone();
        let request = v1::ContainsEntryRequest { agent_id, scope_id, key: key.to_owned(), local_only, consistency };
        Ok(self.channel.call(request).await?.found)
    }

    /// Removes the own entry of the agent or scope, and returns whether there was one. The parent's entry becomes
    /// visible again.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn remove(&self, key: &str) -> Result<bool> {
        self.removing(key, None).await
    }

    /// Removes the entry as [`remove`](Self::remove) does, if the condition is met.
    ///
    /// # Errors
    ///
    /// `RecordNotFound`, `RevisionMismatch` or `RecordExists` if the condition is not met.
    pub async fn remove_if(&self, key: &str, condition: Condition) -> Result<bool> {
        self.removing(key, Some(condition)).await
    }

    async fn removing(&self, key: &str, condition: Option<Condition>) -> Result<bool> {
        let Place { agent_id, scope_id, .. } = self.place.clone();
        let precondition = condition.map(Into::into);
        let request =
            v1::RemoveEntryRequest { agent_id, scope_id, key: key.to_owned(), precondition, ..Default::default() };
        Ok(self.channel.call(request).await?.deleted)
    }

    /// Removes the own entries of the agent or scope, and returns their number. Scopes below keep theirs.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn clear(&self) -> Result<i64> {
        self.clearing(None).await
    }

    /// Removes the entries as [`clear`](Self::clear) does, if the condition on the agent is met.
    ///
    /// # Errors
    ///
    /// `AgentNotFound`, `RevisionMismatch` or `AlreadyExists` if the condition is not met.
    pub async fn clear_if(&self, condition: Condition) -> Result<i64> {
        self.clearing(Some(condition)).await
    }

    async fn clearing(&self, condition: Option<Condition>) -> Result<i64> {
        let Place { agent_id, scope_id, .. } = self.place.clone();
        let agent_precondition = condition.map(Into::into);
        let request = v1::ClearEntriesRequest { agent_id, scope_id, agent_precondition, ..Default::default() };
        Ok(self.channel.call(request).await?.cleared_entry_count)
    }

    /// Lists the own entries of the agent or scope, all at one revision, page by page, by default in the order of their
    /// keys.
    pub fn entries(&self) -> Entries {
        Entries::new(self)
    }

    /// Returns an empty batch, which collects sets and removes and sends them as one atomic change.
    pub fn batch(&self) -> Batch {
        Batch::new(self.clone())
    }

    /// Creates a scope below this agent or scope, which is disposed when its guard is dropped: see [`Scope`]. The scope
    /// is a name, or a [`NewScope`].
    ///
    /// # Errors
    ///
    /// `QuotaExceeded` if the agent has too many scopes, and `RecordExists`, `RecordNotFound` or `RevisionMismatch` if the
    /// scope's condition is not met.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped and the scope is created nonetheless, it is disposed in the background.
    pub async fn scope(&self, scope: impl Into<NewScope>) -> Result<Scope> {
        create_scope(self, scope.into()).await
    }

    /// Runs `work` with a new scope, and disposes the scope with all its entries.
    ///
    /// ```no_run
    /// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
    /// let found = agent
    ///     .with_scope("task", async |task| {
    ///         task.set("step", &1).await?;
    ///         task.get::<String>("user").await
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The error of `work`, else that of creating or disposing the scope.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the scope is disposed in the background.
    pub async fn with_scope<T, E>(
        &self,
        scope: impl Into<NewScope>,
        work: impl AsyncFnOnce(WorkingMemory) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<Error>,
    {
        let scope = self.scope(scope.into().or_idle_ttl_of_block()).await?;
        let outcome = work(WorkingMemory::clone(&scope)).await;
        let ended = scope.close().await;
        let answer = outcome?;
        ended?;
        Ok(answer)
    }

    /// Runs `work` with a new scope. If it succeeds, copies the scope's entries here and disposes the scope in the same
    /// step; else disposes the scope with all its entries.
    ///
    /// # Errors
    ///
    /// The error of `work`, else that of creating or merging the scope. If the merge is refused, the scope remains, so
    /// that nothing is lost.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the scope is disposed in the background without a merge, unless the merge has already
    /// begun.
    pub async fn with_merged_scope<T, E>(
        &self,
        scope: impl Into<NewScope>,
        merge: Merge,
        work: impl AsyncFnOnce(WorkingMemory) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<Error>,
    {
        let scope = self.scope(scope.into().or_idle_ttl_of_block()).await?;
        match work(WorkingMemory::clone(&scope)).await {
            Ok(answer) => {
                scope.merge(merge).await?;
                Ok(answer)
            }
            Err(error) => {
                // The caller needs the error of the work, not one of disposing.
                let _ = scope.close().await;
                Err(error)
            }
        }
    }

    /// Returns an existing scope of this agent, such as one that another process created. Does not call the daemon.
    /// Dropping the guard does not dispose the scope.
    pub fn attach(&self, scope_id: impl Into<String>) -> Scope {
        Scope::attached(self.of_scope(scope_id.into()))
    }

    /// Watches the events of the whole agent, or of this scope and those below it.
    pub fn watch(&self) -> WatchBuilder {
        let scope_ids = if self.scope_id().is_empty() { vec![] } else { vec![self.scope_id().to_owned()] };
        let filter = v1::EventFilter {
            agent_ids: vec![self.agent_id().to_owned()],
            include_descendants: !scope_ids.is_empty(),
            scope_ids,
            ..Default::default()
        };
        WatchBuilder::new(self.channel.clone(), vec![filter]).or_user(&self.place.user_id)
    }
}

impl fmt::Debug for WorkingMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkingMemory").field("place", &self.place).finish_non_exhaustive()
    }
}
