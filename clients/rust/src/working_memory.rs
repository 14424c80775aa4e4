//! The entries of an agent or scope, and the scopes below it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::batch::Batch;
use crate::channel::Channel;
use crate::entries::Entries;
use crate::error::{Error, ErrorKind, Result};
use crate::new_entry::NewEntry;
use crate::reservation::{GetOrSet, get_or_set};
use crate::scope::{Merge, Scope, create_scope};
use crate::v1;
use crate::watch::WatchBuilder;

/// Each lost race means that another caller has won one; so many in a row are no race any more.
const RACES_MAX: u32 = 1_000;

/// The working memory of an agent or of one of its scopes: entries by key. Clones share it.
///
/// In a scope, reads fall back to its parents up to the root, except through [`local_only`](Self::local_only). Writes
/// stay in the scope itself. Keys are 1 to 1,024 bytes, not blank, without control characters.
///
/// # Errors
///
/// Every method fails with what the daemon refuses, with `Unavailable` or `DeadlineExceeded` when it cannot be reached,
/// and with `ScopeDisposed` after the scope's end. What else to expect is said at each.
///
/// # Cancel safety
///
/// Dropping a future cancels its call. A change may have happened then or not, as after `DeadlineExceeded`.
#[derive(Clone)]
pub struct WorkingMemory {
    pub(crate) channel: Channel,
    pub(crate) place: Place,
}

/// Where entries are, and how far up to look for them.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) agent_id: String,
    pub(crate) scope_id: String,
    pub(crate) local_only: bool,
}

impl WorkingMemory {
    pub(crate) fn new(channel: Channel, agent_id: String, scope_id: String) -> Self {
        Self { channel, place: Place { agent_id, scope_id, local_only: false } }
    }

    /// The id of the agent.
    #[must_use]
    pub fn agent_id(&self) -> &str {
        &self.place.agent_id
    }

    /// The scope's id; empty for the root.
    #[must_use]
    pub fn scope_id(&self) -> &str {
        &self.place.scope_id
    }

    /// The same place, whose reads do not fall back to its parents.
    #[must_use]
    pub fn local_only(&self) -> Self {
        let mut local = self.clone();
        local.place.local_only = true;
        local
    }

    /// Answers the value under the key, `None` when there is no entry.
    ///
    /// # Errors
    ///
    /// `WrongType` when the value is not a `T`.
    pub async fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        self.get_entry(key).await?.map(|entry| entry.value()).transpose()
    }

    /// Answers the whole entry under the key, `None` when there is none.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn get_entry(&self, key: &str) -> Result<Option<v1::Entry>> {
        let Place { agent_id, scope_id, local_only } = self.place.clone();
        let request = v1::GetEntryRequest { agent_id, scope_id, key: key.to_owned(), local_only, ..Default::default() };
        let answer = self.channel.call(request).await?;
        Ok(answer.entry.filter(|_| answer.found))
    }

    /// Answers the values under up to 1,000 keys, all at one revision. A key that has none is left out.
    ///
    /// # Errors
    ///
    /// `WrongType` when one of the values is not a `T`.
    pub async fn get_many<T: DeserializeOwned>(
        &self,
        keys: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<BTreeMap<String, T>> {
        let entries = self.get_entries(keys).await?;
        entries.into_iter().map(|entry| Ok((entry.key.clone(), entry.value()?))).collect()
    }

    /// Answers the entries under up to 1,000 keys in their order, all at one revision. A key that has none is left out.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn get_entries(&self, keys: impl IntoIterator<Item = impl Into<String>>) -> Result<Vec<v1::Entry>> {
        let Place { agent_id, scope_id, local_only } = self.place.clone();
        let keys = keys.into_iter().map(Into::into).collect();
        let request = v1::BatchGetEntriesRequest { agent_id, scope_id, keys, local_only, ..Default::default() };
        Ok(self.channel.call(request).await?.entries)
    }

    /// Stores a value, replacing what is there: a reference to what serde can serialize, or a [`NewEntry`].
    ///
    /// # Errors
    ///
    /// `UnsupportedValue`, `LimitExceeded`, `StorageFull`; by the entry's condition `EntryExists` or
    /// `RevisionMismatch`.
    pub async fn set(&self, key: &str, entry: impl Into<NewEntry>) -> Result<v1::SetEntryResponse> {
        let request = entry.into().into_request(self.agent_id(), self.scope_id(), key)?;
        self.channel.call(request).await
    }

    /// Replaces this very place's value by what `change` makes of it, so that nobody's update is lost, and answers the
    /// new one.
    ///
    /// `change` gets `None` when there is no value. It runs again when another writer was faster, up to 1,000 times.
    /// The new entry says nothing but its value: tags and the like of the old one are gone.
    ///
    /// # Errors
    ///
    /// `WrongType` when the value is not a `T`, and what [`set`](Self::set) fails with.
    pub async fn update<T>(&self, key: &str, mut change: impl FnMut(Option<T>) -> T) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
    {
        let own = self.local_only();
        let mut races = 0;
        loop {
            let entry = own.get_entry(key).await?;
            let old = entry.as_ref().map(v1::Entry::value).transpose()?;
            let new = change(old);
            let revision = entry.map_or(0, |entry| entry.revision);
            races += 1;
            match self.set(key, NewEntry::new(&new).expected_revision(revision)).await {
                Ok(_) => return Ok(new),
                Err(error) if error.kind() == ErrorKind::RevisionMismatch && races < RACES_MAX => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Answers the value under the key; when there is none, makes it by `factory` and stores it.
    ///
    /// As [`get_or_set_with`](Self::get_or_set_with), with a lease of 30 s, waiting for as long as another caller takes.
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

    /// Answers the value under the key; when there is none, makes it by `factory` and stores it.
    ///
    /// Of all callers in all processes one runs its factory, and the others wait for its value. The maker's lease is
    /// renewed while the factory runs; when its process dies, another caller takes over after the lease. When the
    /// factory fails, the next caller takes over at once.
    ///
    /// # Errors
    ///
    /// What the factory fails with; `DeadlineExceeded` when another caller takes longer than the wait; `WrongType` when
    /// the value that is there is not a `T`; and what [`set`](Self::set) fails with.
    ///
    /// # Cancel safety
    ///
    /// When the future is dropped while the factory runs, the reservation is given up in the background, so that the
    /// next caller takes over at once. When it is dropped in the very moment in which the daemon grants the reservation,
    /// or the runtime ends, the lease runs out instead.
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

    /// Answers whether there is an entry under the key, without reading it.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn contains(&self, key: &str) -> Result<bool> {
        let Place { agent_id, scope_id, local_only } = self.place.clone();
        let request =
            v1::ContainsEntryRequest { agent_id, scope_id, key: key.to_owned(), local_only, ..Default::default() };
        Ok(self.channel.call(request).await?.found)
    }

    /// Removes this very place's entry, and answers whether there was one. A parent's value shows again.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn remove(&self, key: &str) -> Result<bool> {
        let Place { agent_id, scope_id, .. } = self.place.clone();
        let request = v1::RemoveEntryRequest { agent_id, scope_id, key: key.to_owned(), ..Default::default() };
        Ok(self.channel.call(request).await?.removed)
    }

    /// Removes this very place's entries, and answers how many. The scopes below keep theirs.
    ///
    /// # Errors
    ///
    /// Those of every method.
    pub async fn clear(&self) -> Result<i64> {
        let Place { agent_id, scope_id, .. } = self.place.clone();
        let request = v1::ClearEntriesRequest { agent_id, scope_id, ..Default::default() };
        Ok(self.channel.call(request).await?.entries_cleared)
    }

    /// Lists this very place's entries in order of their keys, all at one revision, page by page.
    pub fn entries(&self) -> Entries {
        Entries::new(self)
    }

    /// Gathers sets and removes of this place, to be sent as one change: one revision, all or nothing.
    pub fn batch(&self) -> Batch {
        Batch::new(self.clone())
    }

    /// Creates a scope under this place, which ends with its guard: see [`Scope`].
    ///
    /// # Errors
    ///
    /// `LimitExceeded` when the agent has too many scopes.
    ///
    /// # Cancel safety
    ///
    /// When the future is dropped, a scope that was created nonetheless is ended in the background.
    pub async fn scope(&self, name: &str) -> Result<Scope> {
        create_scope(self, name).await
    }

    /// Creates a scope for the time of `work`, and ends it with all its entries.
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
    /// What `work` fails with; else what creating and ending the scope fails with.
    ///
    /// # Cancel safety
    ///
    /// When the future is dropped, the scope is ended in the background.
    pub async fn with_scope<T, E>(
        &self,
        name: &str,
        work: impl AsyncFnOnce(WorkingMemory) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<Error>,
    {
        let scope = self.scope(name).await?;
        let outcome = work(WorkingMemory::clone(&scope)).await;
        let ended = scope.close().await;
        let answer = outcome?;
        ended?;
        Ok(answer)
    }

    /// Creates a scope for the time of `work`. When that went well, the scope's entries are copied to this place, and it
    /// ends in the same step; else it ends with all its entries.
    ///
    /// # Errors
    ///
    /// What `work` fails with; else what creating and merging the scope fails with. A merge that the daemon refuses
    /// leaves the scope there, so that nothing is lost.
    ///
    /// # Cancel safety
    ///
    /// When the future is dropped, the scope is ended in the background without being merged, unless the merge was
    /// under way already.
    pub async fn with_merged_scope<T, E>(
        &self,
        name: &str,
        merge: Merge,
        work: impl AsyncFnOnce(WorkingMemory) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<Error>,
    {
        let scope = self.scope(name).await?;
        match work(WorkingMemory::clone(&scope)).await {
            Ok(answer) => {
                scope.merge(merge).await?;
                Ok(answer)
            }
            Err(error) => {
                // What went wrong first is what the caller has to know.
                let _ = scope.close().await;
                Err(error)
            }
        }
    }

    /// A scope of this agent that is there already, such as one of another process. The daemon is not asked, and the
    /// scope does not end with the guard.
    pub fn attach(&self, scope_id: impl Into<String>) -> Scope {
        Scope::attached(WorkingMemory::new(self.channel.clone(), self.place.agent_id.clone(), scope_id.into()))
    }

    /// Watches what is committed: in the whole agent, or in this scope and those below it.
    pub fn watch(&self) -> WatchBuilder {
        let scope_ids = if self.scope_id().is_empty() { vec![] } else { vec![self.scope_id().to_owned()] };
        let filter = v1::EventFilter {
            agent_ids: vec![self.agent_id().to_owned()],
            include_descendants: !scope_ids.is_empty(),
            scope_ids,
            ..Default::default()
        };
        WatchBuilder::new(self.channel.clone(), vec![filter])
    }
}

impl fmt::Debug for WorkingMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkingMemory").field("place", &self.place).finish_non_exhaustive()
    }
}
