//! A copy of an agent's entries, scopes and notes at a revision, built from nothing but a watch with its initial state.

mod copies;
mod copy;
mod mark;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::{Error, ErrorKind, Result};
use crate::v1;
use crate::v1::event::Subject;
use crate::v1::{EventType, WatchPhase};

pub(crate) use copies::{NearCopies, NearWrite};
pub use copy::StaleRead;
pub(crate) use copy::{Bounds, NearCopy, Read};
pub(crate) use mark::Mark;

pub(crate) const ROOT: &str = "";
/// The memory that a record takes beside its texts.
const RECORD_BYTES: usize = 1_000;

/// An entry of a mirror.
pub(crate) struct MirroredEntry {
    pub(crate) entry: v1::Entry,
    expire_time: Option<SystemTime>,
}

impl MirroredEntry {
    fn new(entry: v1::Entry) -> Self {
        let expire_time = entry.expire_time.and_then(|time| time.try_into().ok());
        Self { entry, expire_time }
    }

    fn is_alive(&self, now: impl Fn() -> SystemTime) -> bool {
        self.expire_time.is_none_or(|expire_time| now() < expire_time)
    }

    fn bytes(&self) -> usize {
        RECORD_BYTES + self.entry.key.len() + self.entry.value_json.len()
    }
}

/// A scope of a mirror: its own entries, and the scope where a look-up continues; none after the root.
#[derive(Default)]
struct MirroredScope {
    parent_id: Option<String>,
    entries: HashMap<String, Arc<MirroredEntry>>,
}

/// A copy of an agent's entries, scopes and notes at a revision. Commits are applied whole, in order.
pub(crate) struct Mirror {
    pub(crate) revision: i64,
    /// The number of ends of the agent.
    pub(crate) lives: u64,
    /// If true, a record says so: where none is selected, the agent may exist nonetheless.
    pub(crate) exists: bool,
    /// If true, the last commit has ended the agent.
    pub(crate) has_ended: bool,
    pub(crate) is_complete: bool,
    pub(crate) size_bytes: usize,
    bytes_max: usize,
    notes: HashMap<String, Arc<v1::Note>>,
    scopes: HashMap<String, MirroredScope>,
    /// The events of a commit that continues in the next message.
    unfinished: Vec<v1::Event>,
}

impl Mirror {
    pub(crate) fn new(bytes_max: usize) -> Self {
        let mut mirror = Self {
            revision: 0,
            lives: 0,
            exists: false,
            has_ended: false,
            is_complete: false,
            size_bytes: 0,
            bytes_max,
            notes: HashMap::new(),
            scopes: HashMap::new(),
            unfinished: Vec::new(),
        };
        mirror.empty();
        mirror
    }

    /// Applies a message. The events of a commit that continues in the next message wait for it, also across
    /// connections. Fails with `CacheFull` if the records take more memory than they may.
    pub(crate) fn apply(&mut self, message: v1::WatchEventsResponse) -> Result<()> {
        if message.phase() == WatchPhase::Opened {
            return Ok(());
        }
        let is_last_of_initial_state = message.phase() == WatchPhase::InitialStateComplete;
        self.unfinished.extend(message.events);
        if message.revision_continues {
            return Ok(());
        }
        if message.revision != self.revision {
            self.has_ended = false;
        }
        for event in std::mem::take(&mut self.unfinished) {
            self.change(event);
        }
        self.revision = message.revision;
        self.is_complete |= is_last_of_initial_state;
        if self.size_bytes > self.bytes_max {
            let message = format!("the records of the near cache take more than {} bytes", self.bytes_max);
            return Err(Error::new(ErrorKind::CacheFull, message));
        }
        Ok(())
    }

    /// Returns the entry that a look-up in a scope finds at this time, or `Ask` if the mirror does not have the scope.
    pub(crate) fn find(
        &self,
        scope_id: &str,
        key: &str,
        local_only: bool,
        now: impl Fn() -> SystemTime + Copy,
    ) -> Read<Option<Arc<MirroredEntry>>> {
        let Some(own) = self.scopes.get(scope_id) else {
            return Read::Ask;
        };
        let found =
            self.path(own, local_only).find_map(|scope| scope.entries.get(key).filter(|found| found.is_alive(now)));
        Read::Held(found.cloned())
    }

    /// Returns the entries of a scope at this time whose keys start with a prefix, in any order, with those that the
    /// scope inherits unless `local_only`, or `Ask` if the mirror does not have the scope.
    pub(crate) fn entries(
        &self,
        scope_id: &str,
        key_prefix: &str,
        local_only: bool,
        now: impl Fn() -> SystemTime + Copy,
    ) -> Read<Vec<Arc<MirroredEntry>>> {
        let Some(own) = self.scopes.get(scope_id) else {
            return Read::Ask;
        };
        let mut seen = HashSet::new();
        let all = self.path(own, local_only).flat_map(|scope| &scope.entries);
        let selected = all.filter(|(key, found)| key.starts_with(key_prefix) && found.is_alive(now));
        Read::Held(selected.filter(|(key, _)| seen.insert(*key)).map(|(_, found)| Arc::clone(found)).collect())
    }

    pub(crate) fn note(&self, note_id: &str) -> Option<Arc<v1::Note>> {
        self.notes.get(note_id).cloned()
    }

    /// Returns all notes, in any order.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &Arc<v1::Note>> {
        self.notes.values()
    }

    /// Returns where a look-up in a scope reads: in the scope itself, its ancestors, and the root at last.
    fn path<'a>(&'a self, own: &'a MirroredScope, local_only: bool) -> impl Iterator<Item = &'a MirroredScope> {
        std::iter::successors(Some(own), move |scope| {
            scope.parent_id.as_ref().filter(|_| !local_only).and_then(|parent_id| self.scopes.get(parent_id))
        })
    }

    fn empty(&mut self) {
        self.scopes = HashMap::from([(ROOT.to_owned(), MirroredScope::default())]);
        self.notes.clear();
        self.size_bytes = 0;
    }

    fn change(&mut self, event: v1::Event) {
        let what = event.r#type();
        self.has_ended = what == EventType::AgentEnded;
        self.exists = !self.has_ended;
        if !self.exists {
            self.empty();
            self.lives += 1;
            return;
        }
        match event.subject {
            Some(Subject::Entry(subject)) => self.set_entry(&subject.scope_id, subject.key, subject.entry),
            Some(Subject::Scope(subject)) if what == EventType::ScopeDisposed => {
                self.clear_entries(&subject.scope_id);
                self.scopes.remove(&subject.scope_id);
            }
            Some(Subject::Scope(subject)) => {
                let parent_id = Some(subject.parent_scope_id);
                let created = || MirroredScope { parent_id, ..Default::default() };
                self.scopes.entry(subject.scope_id).or_insert_with(created);
            }
            Some(Subject::Note(subject)) => self.set_note(subject.note_id, subject.note),
            Some(Subject::Cleared(subject)) if what == EventType::EntriesCleared => {
                self.clear_entries(&subject.scope_id);
            }
            Some(Subject::Cleared(_)) if what == EventType::NotesCleared => {
                self.size_bytes -= self.notes.drain().map(|(_, note)| note_bytes(&note)).sum::<usize>();
            }
            _ => {}
        }
    }

    /// Stores an entry, or removes it if it is `None`. Those of scopes that the mirror does not have are left out.
    fn set_entry(&mut self, scope_id: &str, key: String, entry: Option<v1::Entry>) {
        let Some(scope) = self.scopes.get_mut(scope_id) else {
            return;
        };
        let before = match entry.map(MirroredEntry::new) {
            Some(entry) => {
                self.size_bytes += entry.bytes();
                scope.entries.insert(key, Arc::new(entry))
            }
            None => scope.entries.remove(&key),
        };
        self.size_bytes -= before.map_or(0, |before| before.bytes());
    }

    fn set_note(&mut self, note_id: String, note: Option<v1::Note>) {
        let before = match note {
            Some(note) => {
                self.size_bytes += note_bytes(&note);
                self.notes.insert(note_id, Arc::new(note))
            }
            None => self.notes.remove(&note_id),
        };
        self.size_bytes -= before.map_or(0, |before| note_bytes(&before));
    }

    fn clear_entries(&mut self, scope_id: &str) {
        if let Some(scope) = self.scopes.get_mut(scope_id) {
            self.size_bytes -= scope.entries.drain().map(|(_, entry)| entry.bytes()).sum::<usize>();
        }
    }
}

fn note_bytes(note: &v1::Note) -> usize {
    RECORD_BYTES + note.title.len() + note.content.len()
}

#[cfg(test)]
pub(crate) mod tests;
