//! Near caches: live copies of what agents know, which are read without a call.

mod builder;
mod following;
mod memory;
mod opened;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::method::UnaryRequest;
use crate::mirror::Read;
use crate::records::Records;
use crate::v1;
use crate::working_memory::WorkingMemory;

pub use crate::mirror::StaleRead;
pub use builder::NearCacheBuilder;
pub use memory::{NearEntries, NearMemory};
use opened::Opened;

/// A live copy of an agent's entries, scopes and notes in this process, which a watch with its initial state keeps
/// current. [`Agent::near_cache`](crate::Agent::near_cache) opens one.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// use std::time::Duration;
///
/// let cache = agent.near_cache().max_staleness(Duration::from_secs(2)).await?; // once it is complete
/// agent.set("mood", "curious").await?;
/// let mood: Option<String> = cache.get("mood").await?; // no call
/// # Ok(())
/// # }
/// ```
///
/// A read costs no call. It has every write of this client that has returned, of the writes that the generated stubs make
/// those alone that are sent by [`Client::call`](crate::Client::call), and all other changes that were committed at least
/// [`max_staleness`](NearCacheBuilder::max_staleness) before it. Where that is not certain, as while the daemon cannot be
/// reached, it does what [`when_stale`](NearCacheBuilder::when_stale) says. A restart of the daemon, and a watch that has
/// lost its place, are recovered from.
///
/// It derefs to the [`NearMemory`] of the agent's root. Expiry is checked at each read, by the clock of this process.
/// Clones share the copy, which is closed with the last of them and of their [`NearMemory`]s.
#[derive(Clone)]
pub struct NearCache {
    memory: NearMemory,
}

impl NearCache {
    fn new(opened: Opened, memory: WorkingMemory) -> Self {
        Self { memory: NearMemory::new(Arc::new(opened), memory) }
    }

    /// Returns the entries of an existing scope. Those of one that the cache does not hold are read from the daemon.
    #[must_use]
    pub fn attach(&self, scope_id: impl Into<String>) -> NearMemory {
        NearMemory::new(Arc::clone(&self.memory.opened), self.memory.memory.of_scope(scope_id.into()))
    }

    /// Returns a note, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// Those of [`NearMemory::get_entry`].
    pub async fn note(&self, note_id: &str) -> Result<Option<v1::Note>> {
        if self.memory.opened.holds_notes
            && let Read::Held(note) = self.memory.opened.copy.read(|mirror| Read::Held(mirror.note(note_id)))?
        {
            return Ok(note.map(Arc::unwrap_or_clone));
        }
        let WorkingMemory { channel, place } = &self.memory.memory;
        let note_id = note_id.to_owned();
        let request = v1::GetNoteRequest { agent_id: place.agent_id.clone(), note_id, ..Default::default() };
        match channel.call(request).await {
            Err(error) if error.kind() == ErrorKind::RecordNotFound => Ok(None),
            response => Ok(response?.note),
        }
    }

    /// Returns the notes about the [bound user](crate::Agent::user), or else about none, in the order of their creation.
    ///
    /// # Errors
    ///
    /// Those of [`NearMemory::get_entry`].
    pub async fn notes(&self) -> Result<Vec<v1::Note>> {
        let WorkingMemory { channel, place } = &self.memory.memory;
        if self.memory.opened.holds_notes {
            let of_user = |note: &&Arc<v1::Note>| note.user_id == place.user_id;
            let read = self.memory.opened.copy.read(|mirror| {
                let notes: Vec<Arc<v1::Note>> = mirror.notes().filter(of_user).cloned().collect();
                Read::Held(notes)
            })?;
            if let Read::Held(mut notes) = read {
                notes.sort_by(|one, other| order_of(one).cmp(&order_of(other)));
                return Ok(notes.into_iter().map(Arc::unwrap_or_clone).collect());
            }
        }
        let mut request = v1::ListNotesRequest { agent_id: place.agent_id.clone(), ..Default::default() };
        request.bind_user(&place.user_id)?;
        Records::new(channel.clone(), Ok(request), |response| response.notes).all().await
    }

    /// Returns the agent's revision up to which the cache has all changes.
    #[must_use]
    pub fn revision(&self) -> i64 {
        self.memory.opened.copy.look(|mirror| mirror.revision)
    }

    /// Returns the time within which the last changes may be missing; [`Duration::MAX`] once the cache is closed.
    #[must_use]
    pub fn staleness(&self) -> Duration {
        self.memory.opened.copy.staleness().unwrap_or(Duration::MAX)
    }

    /// Returns the memory that the records take, roughly, in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.memory.opened.copy.look(|mirror| mirror.size_bytes)
    }

    /// Returns the error that has ended the cache, such as `CacheFull`. Its reads then ask the daemon, or are refused with
    /// [`StaleRead::Refuse`].
    #[must_use]
    pub fn failure(&self) -> Option<Error> {
        self.memory.opened.copy.failure()
    }

    /// Ends the cache. Its reads then ask the daemon, or are refused with [`StaleRead::Refuse`]. A second call does
    /// nothing.
    pub fn close(&self) {
        self.memory.opened.close();
    }
}

impl Deref for NearCache {
    type Target = NearMemory;

    fn deref(&self) -> &NearMemory {
        &self.memory
    }
}

impl fmt::Debug for NearCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NearCache").field("agent_id", &self.agent_id()).finish_non_exhaustive()
    }
}

/// Returns what notes are ordered by.
fn order_of(note: &v1::Note) -> (i64, i32, &str) {
    let created = note.create_time.unwrap_or_default();
    (created.seconds, created.nanos, &note.note_id)
}
