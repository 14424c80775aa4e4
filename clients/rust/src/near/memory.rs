//! The entries of a scope in a near cache.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use futures_core::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::error::Result;
use crate::mirror::{MirroredEntry, Read};
use crate::near::opened::Opened;
use crate::v1;
use crate::working_memory::WorkingMemory;

/// The entries of a scope in a [`NearCache`](crate::NearCache). Reads fall back to the scope's parents up to the root,
/// except through [`local_only`](Self::local_only).
///
/// They return what those of [`WorkingMemory`] do, without a call while the cache is current enough. They do not count as
/// uses of an entry or of a scope. What they return belongs to the caller.
#[derive(Clone)]
pub struct NearMemory {
    pub(super) opened: Arc<Opened>,
    /// Reads the same from the daemon.
    pub(super) memory: WorkingMemory,
}

impl NearMemory {
    pub(super) fn new(opened: Arc<Opened>, memory: WorkingMemory) -> Self {
        Self { opened, memory }
    }

    /// Returns the id of the agent.
    #[must_use]
    pub fn agent_id(&self) -> &str {
        self.memory.agent_id()
    }

    /// Returns the id of the scope, empty for the root.
    #[must_use]
    pub fn scope_id(&self) -> &str {
        self.memory.scope_id()
    }

    /// Returns the same entries, whose reads do not fall back to the scope's parents.
    #[must_use]
    pub fn local_only(&self) -> Self {
        Self { opened: Arc::clone(&self.opened), memory: self.memory.local_only() }
    }

    /// Returns the value under the key, or `None` if there is no entry. It is decoded by each read; that of a
    /// `Box<serde_json::value::RawValue>` is the text as it was written.
    ///
    /// # Errors
    ///
    /// `WrongType` if the value is not a `T`, and those of [`get_entry`](Self::get_entry).
    pub async fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        match self.find(key)? {
            Read::Held(found) => found.map(|found| found.entry.value()).transpose(),
            Read::Ask => Box::pin(self.memory.get(key)).await,
        }
    }

    /// Returns the whole entry under the key, without its counts of reads, or `None` if there is none. It is a copy,
    /// which takes longer than [`get`](Self::get).
    ///
    /// # Errors
    ///
    /// `StaleRead` if the cache may be too old and is to refuse such reads; `ScopeDisposed` and `RecordNotFound` for a
    /// scope that there is not, and the errors of a call if the daemon is asked.
    pub async fn get_entry(&self, key: &str) -> Result<Option<v1::Entry>> {
        match self.find(key)? {
            Read::Held(found) => Ok(found.map(|found| found.entry.clone())),
            Read::Ask => Box::pin(self.memory.get_entry(key)).await,
        }
    }

    /// Returns the values of keys, all at one revision. Keys without a value are left out. At most 1,000 keys if the
    /// daemon is asked.
    ///
    /// # Errors
    ///
    /// `WrongType` if one of the values is not a `T`, and those of [`get_entry`](Self::get_entry).
    pub async fn get_many<T: DeserializeOwned>(
        &self,
        keys: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<BTreeMap<String, T>> {
        let keys: Vec<String> = keys.into_iter().map(Into::into).collect();
        match self.find_all(&keys)? {
            Read::Held(found) => {
                found.into_iter().map(|found| Ok((found.entry.key.clone(), found.entry.value()?))).collect()
            }
            Read::Ask => self.memory.get_many(keys).await,
        }
    }

    /// Returns whether there is an entry under the key.
    ///
    /// # Errors
    ///
    /// Those of [`get_entry`](Self::get_entry).
    pub async fn contains(&self, key: &str) -> Result<bool> {
        match self.find(key)? {
            Read::Held(found) => Ok(found.is_some()),
            Read::Ask => Box::pin(self.memory.contains(key)).await,
        }
    }

    /// Lists the scope's own entries about the [bound user](crate::Agent::user), or else about none, in the order of
    /// their keys, all at one revision.
    pub fn entries(&self) -> NearEntries {
        NearEntries { memory: self.clone(), inherited: false, key_prefix: String::new() }
    }

    fn find(&self, key: &str) -> Result<Read<Option<Arc<MirroredEntry>>>> {
        if !key.starts_with(&self.opened.key_prefix) {
            return Ok(Read::Ask);
        }
        let place = &self.memory.place;
        self.opened.copy.read(|mirror| mirror.find(&place.scope_id, key, place.local_only, SystemTime::now))
    }

    fn find_all(&self, keys: &[String]) -> Result<Read<Vec<Arc<MirroredEntry>>>> {
        if !keys.iter().all(|key| key.starts_with(&self.opened.key_prefix)) {
            return Ok(Read::Ask);
        }
        let place = &self.memory.place;
        self.opened.copy.read(|mirror| {
            let mut all = Vec::with_capacity(keys.len());
            for key in keys {
                match mirror.find(&place.scope_id, key, place.local_only, SystemTime::now) {
                    Read::Held(found) => all.extend(found),
                    Read::Ask => return Read::Ask,
                }
            }
            Read::Held(all)
        })
    }
}

impl fmt::Debug for NearMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NearMemory")
            .field("agent_id", &self.agent_id())
            .field("scope_id", &self.scope_id())
            .finish_non_exhaustive()
    }
}

/// A listing of the entries of a near cache, by [`NearMemory::entries`]: await it for the entries, or read their
/// [`keys`](Self::keys). Its errors are those of [`NearMemory::get_entry`].
#[derive(Clone, Debug)]
#[must_use = "nothing is read until the listing is awaited"]
pub struct NearEntries {
    memory: NearMemory,
    inherited: bool,
    key_prefix: String,
}

impl NearEntries {
    /// Lists every entry that a read finds: the nearest one of each key, up to the root.
    pub fn inherited(mut self) -> Self {
        self.inherited = true;
        self
    }

    /// Selects the keys that start with the prefix. The last one is used.
    pub fn key_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.key_prefix = prefix.into();
        self
    }

    /// Returns the keys of the entries.
    ///
    /// # Errors
    ///
    /// Those of [`NearMemory::get_entry`].
    pub async fn keys(self) -> Result<Vec<String>> {
        match self.list()? {
            Read::Held(found) => Ok(found.into_iter().map(|found| found.entry.key.clone()).collect()),
            Read::Ask => Ok(self.ask(true).await?.into_iter().map(|entry| entry.key).collect()),
        }
    }

    async fn all(self) -> Result<Vec<v1::Entry>> {
        match self.list()? {
            Read::Held(found) => Ok(found.into_iter().map(|found| found.entry.clone()).collect()),
            Read::Ask => self.ask(false).await,
        }
    }

    fn list(&self) -> Result<Read<Vec<Arc<MirroredEntry>>>> {
        let NearMemory { opened, memory } = &self.memory;
        if !self.key_prefix.starts_with(&opened.key_prefix) {
            return Ok(Read::Ask);
        }
        let read = opened.copy.read(|mirror| {
            mirror.entries(&memory.place.scope_id, &self.key_prefix, !self.inherited, SystemTime::now)
        })?;
        let Read::Held(mut found) = read else {
            return Ok(Read::Ask);
        };
        found.retain(|found| found.entry.user_id == memory.place.user_id);
        found.sort_by(|one, other| one.entry.key.cmp(&other.entry.key));
        Ok(Read::Held(found))
    }

    async fn ask(self, without_content: bool) -> Result<Vec<v1::Entry>> {
        let mut entries = self.memory.memory.entries().key_prefix(self.key_prefix);
        if self.inherited {
            entries = entries.inherited();
        }
        if without_content {
            entries = entries.without_content();
        }
        let mut all = Vec::new();
        while let Some(entry) = entries.next().await {
            all.push(entry?);
        }
        Ok(all)
    }
}

impl IntoFuture for NearEntries {
    type Output = Result<Vec<v1::Entry>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.all())
    }
}
