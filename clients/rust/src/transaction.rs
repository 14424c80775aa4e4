//! Changes of one agent, of all kinds of records, that are made as one.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::channel::{Channel, new_request_id};
use crate::condition::Condition;
use crate::error::{Error, ErrorKind, Result};
use crate::method::WriteRequest;
use crate::new_entry::NewEntry;
use crate::scope::{Merge, NewScope};
use crate::v1;
use crate::v1::write_result;

/// Up to 1,000 changes of one agent, of all kinds of records, that are made together or not at all, at one revision.
///
/// Each change finds what the earlier ones left, and returns a handle ([`Written`]) that reads its result after the
/// commit. `set`, `get_or_set`, `remove`, `clear` and `create_scope` change the agent's root scope, [`attach`](Self::attach)
/// returns those of another scope, and [`write`](Self::write) takes the request of any other method that changes records.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// use memoryd::v1;
///
/// let mut tx = agent.transaction();
/// let stored = tx.set("status", "moved");
/// let draft = v1::NoteDraft { title: "Ada".into(), content: "lives in Lisbon".into(), ..Default::default() };
/// let noted = tx.write(v1::CreateNoteRequest { draft: Some(draft), ..Default::default() });
/// let done = tx.commit().await?;
/// println!("{} {} {:?}", done.revision(), done.get(&stored).created, done.get(&noted).note);
/// # Ok(())
/// # }
/// ```
#[must_use = "a transaction does nothing until it is committed"]
pub struct Transaction {
    channel: Channel,
    number: u64,
    request: v1::CommitRequest,
    user_id: String,
    answers: Vec<Answers>,
    failure: Option<Error>,
}

/// Returns whether a result is of the method that was called.
type Answers = fn(&write_result::Result) -> bool;

impl Transaction {
    pub(crate) fn new(channel: Channel, agent_id: String, user_id: String) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        Self {
            channel,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            request: v1::CommitRequest { agent_id, request_id: new_request_id(), ..Default::default() },
            user_id,
            answers: Vec::new(),
            failure: None,
        }
    }

    /// Commits only if this condition on the agent is met, whose revision is that of its last change.
    pub fn condition(mut self, condition: Condition) -> Self {
        self.request.agent_precondition = Some(condition.into());
        self
    }

    /// Sets the request id, at most 128 bytes, such as one that a restarted process finds again. Default: a new one.
    pub fn request_id(mut self, request_id: impl Into<String>) -> Self {
        self.request.request_id = request_id.into();
        self
    }

    /// Returns the number of changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.request.writes.len()
    }

    /// Returns whether there are no changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.request.writes.is_empty()
    }

    /// Stores a value under the key, as [`WorkingMemory::set`](crate::WorkingMemory::set) does. A value that cannot be
    /// encoded is an error of [`commit`](Self::commit).
    pub fn set(&mut self, key: &str, entry: impl Into<NewEntry>) -> Written<v1::SetEntryResponse> {
        self.attach("").set(key, entry)
    }

    /// Stores a value if there is none under the key, and returns whether it did. A condition of the entry is an error of
    /// [`commit`](Self::commit).
    pub fn get_or_set(&mut self, key: &str, entry: impl Into<NewEntry>) -> Written<bool> {
        self.attach("").get_or_set(key, entry)
    }

    /// Removes the root's own entry, and returns whether there was one.
    pub fn remove(&mut self, key: &str) -> Written<bool> {
        self.attach("").remove(key)
    }

    /// Removes the entry as [`remove`](Self::remove) does. If the condition is not met, nothing is changed at all.
    pub fn remove_if(&mut self, key: &str, condition: Condition) -> Written<bool> {
        self.attach("").remove_if(key, condition)
    }

    /// Removes the root's own entries, and returns their number. Scopes below keep theirs.
    pub fn clear(&mut self) -> Written<i64> {
        self.attach("").clear()
    }

    /// Creates a scope below the root: a name, or a [`NewScope`]. Its id is known after the commit; it remains until it
    /// is closed, such as by [`WorkingMemory::attach`](crate::WorkingMemory::attach).
    pub fn create_scope(&mut self, scope: impl Into<NewScope>) -> Written<v1::Scope> {
        self.attach("").create_scope(scope)
    }

    /// Returns the changes of an existing scope; an empty id is the root's.
    pub fn attach(&mut self, scope_id: impl Into<String>) -> ScopeWrites<'_> {
        ScopeWrites { transaction: self, scope_id: scope_id.into() }
    }

    /// Makes the change of any method that can be part of a transaction, such as `CreateMemory`: see
    /// [`v1::Write`](crate::v1::Write). Its agent may be left empty. Its request id and its condition on the agent must
    /// be: they are those of the transaction.
    pub fn write<R: WriteRequest>(&mut self, mut request: R) -> Written<R::Response> {
        let bound = request.bind_user(&self.user_id);
        self.or_fail(bound);
        self.push(request, |response| response)
    }

    /// Makes the changes, all of them or none. Without changes nothing is sent, and the revision is 0.
    ///
    /// After an error that leaves the outcome open, such as `DeadlineExceeded`, the same transaction may be committed
    /// again: its request id stays the same, so that its changes are made at most once.
    ///
    /// # Errors
    ///
    /// The error of the first change that is refused: [`Error::write_index`] is its [index](Written::index), and nothing
    /// was changed. `AgentNotFound` or `RevisionMismatch` without an index if the condition is not met,
    /// `UnsupportedValue` for a value that cannot be encoded, and those of every method of
    /// [`WorkingMemory`](crate::WorkingMemory).
    pub async fn commit(&self) -> Result<Committed> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        if self.is_empty() {
            return Ok(Committed { number: self.number, revision: 0, results: Vec::new() });
        }
        self.committed(self.channel.call(self.request.clone()).await?)
    }

    fn committed(&self, response: v1::CommitResponse) -> Result<Committed> {
        let results: Vec<_> = response.results.into_iter().filter_map(|result| result.result).collect();
        let is_whole = results.len() == self.answers.len()
            && results.iter().zip(&self.answers).all(|(result, answers)| answers(result));
        if !is_whole {
            return Err(Error::new(ErrorKind::InternalError, "the daemon's results are not those of the writes"));
        }
        Ok(Committed { number: self.number, revision: response.revision, results })
    }

    fn push<R: WriteRequest, T>(&mut self, request: R, convert: fn(R::Response) -> T) -> Written<T>
    where
        T: 'static,
    {
        let index = self.len();
        self.request.writes.push(v1::Write { write: Some(request.into_write()) });
        self.answers.push(|result| R::response(result).is_some());
        let read = move |result: &write_result::Result| R::response(result).cloned().map(convert);
        Written { number: self.number, index, read: Box::new(read) }
    }

    /// Keeps the first error for the commit.
    fn or_fail<R: Default>(&mut self, request: Result<R>) -> R {
        request.unwrap_or_else(|error| {
            self.failure.get_or_insert(error);
            R::default()
        })
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").field("request", &self.request).finish_non_exhaustive()
    }
}

/// The changes of one scope in a [`Transaction`].
#[derive(Debug)]
pub struct ScopeWrites<'a> {
    transaction: &'a mut Transaction,
    scope_id: String,
}

impl ScopeWrites<'_> {
    /// Stores a value under the key, as [`Transaction::set`] does.
    pub fn set(&mut self, key: &str, entry: impl Into<NewEntry>) -> Written<v1::SetEntryResponse> {
        let entry = entry.into().or_user(&self.transaction.user_id);
        let request = self.transaction.or_fail(entry.into_request("", &self.scope_id, key));
        self.transaction.push(request, |response| response)
    }

    /// Stores a value if there is none under the key, here or in a parent, and returns whether it did. A condition of the
    /// entry is an error of the commit.
    pub fn get_or_set(&mut self, key: &str, entry: impl Into<NewEntry>) -> Written<bool> {
        self.getting_or_setting(key, entry.into(), false)
    }

    /// Stores a value as [`get_or_set`](Self::get_or_set) does, if the scope itself has none under the key: entries of
    /// its parents do not count.
    pub fn get_or_set_local(&mut self, key: &str, entry: impl Into<NewEntry>) -> Written<bool> {
        self.getting_or_setting(key, entry.into(), true)
    }

    /// Removes the scope's own entry, and returns whether there was one.
    pub fn remove(&mut self, key: &str) -> Written<bool> {
        self.removing(key, None)
    }

    /// Removes the entry as [`remove`](Self::remove) does. If the condition is not met, nothing is changed at all.
    pub fn remove_if(&mut self, key: &str, condition: Condition) -> Written<bool> {
        self.removing(key, Some(condition))
    }

    /// Removes the scope's own entries, and returns their number. Scopes below keep theirs.
    pub fn clear(&mut self) -> Written<i64> {
        let request = v1::ClearEntriesRequest { scope_id: self.scope_id.clone(), ..Default::default() };
        self.transaction.push(request, |response| response.cleared_entry_count)
    }

    /// Creates a scope below this one, as [`Transaction::create_scope`] does.
    pub fn create_scope(&mut self, scope: impl Into<NewScope>) -> Written<v1::Scope> {
        let scope = scope.into().or_user(&self.transaction.user_id);
        let request = self.transaction.or_fail(scope.into_request("", &self.scope_id));
        self.transaction.push(request, |response| response.scope.unwrap_or_default())
    }

    /// Copies the scope's own entries to its parent and disposes the scope, and returns the number of entries copied.
    pub fn merge(&mut self, merge: Merge) -> Written<i64> {
        self.merging(merge, true)
    }

    /// Copies the scope's own entries to its parent, keeps the scope, and returns the number of entries copied.
    pub fn merge_and_keep(&mut self, merge: Merge) -> Written<i64> {
        self.merging(merge, false)
    }

    /// Disposes the scope and those below it with all their entries, and returns the number of entries. A scope that
    /// ended long ago refuses the transaction with `RecordNotFound`.
    pub fn close(&mut self) -> Written<i64> {
        let request = v1::DisposeScopeRequest { scope_id: self.scope_id.clone(), ..Default::default() };
        self.transaction.push(request, |response| response.cleared_entry_count)
    }

    fn getting_or_setting(&mut self, key: &str, entry: NewEntry, local_only: bool) -> Written<bool> {
        let entry = entry.or_user(&self.transaction.user_id);
        let request = self.transaction.or_fail(entry.into_get_or_set(&self.scope_id, key));
        self.transaction.push(v1::GetOrSetEntryRequest { local_only, ..request }, |response| response.created)
    }

    fn merging(&mut self, merge: Merge, dispose: bool) -> Written<i64> {
        self.transaction.push(merge.into_request(&self.scope_id, dispose), |response| response.merged_entry_count)
    }

    fn removing(&mut self, key: &str, condition: Option<Condition>) -> Written<bool> {
        let request = v1::RemoveEntryRequest {
            scope_id: self.scope_id.clone(),
            key: key.to_owned(),
            precondition: condition.map(Into::into),
            ..Default::default()
        };
        self.transaction.push(request, |response| response.deleted)
    }
}

/// Returns the typed result, or `None` if it is of another method.
type Read<T> = Box<dyn Fn(&write_result::Result) -> Option<T> + Send + Sync>;

/// A change of a [`Transaction`]: [`Committed::get`] reads its result.
pub struct Written<T> {
    number: u64,
    index: usize,
    read: Read<T>,
}

impl<T> Written<T> {
    /// Returns the position of the change in its transaction, from 0: see [`Error::write_index`].
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }
}

impl<T> fmt::Debug for Written<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Written").field("index", &self.index).finish_non_exhaustive()
    }
}

/// The results of a [`Transaction`].
#[derive(Clone, Debug)]
pub struct Committed {
    number: u64,
    revision: i64,
    results: Vec<write_result::Result>,
}

impl Committed {
    /// Returns the agent's revision after the commit; 0 if there was nothing to commit.
    #[must_use]
    pub fn revision(&self) -> i64 {
        self.revision
    }

    /// Returns the result of a change. Its records have no content, which the caller has given.
    ///
    /// # Panics
    ///
    /// Panics for a change of another transaction, or one that was added after the commit.
    #[must_use]
    pub fn get<T>(&self, written: &Written<T>) -> T {
        assert_eq!(self.number, written.number, "the change is of another transaction");
        let result = self.results.get(written.index).expect("the change was added after the commit");
        (written.read)(result).expect("the commit has checked its results")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;
    use crate::v1::write::Write;

    fn transaction() -> Transaction {
        Client::builder().target("127.0.0.1:1").connect().unwrap().agent("a").transaction()
    }

    fn response(results: Vec<write_result::Result>) -> v1::CommitResponse {
        let results = results.into_iter().map(|result| v1::WriteResult { result: Some(result) }).collect();
        v1::CommitResponse { revision: 3, results }
    }

    #[tokio::test]
    async fn the_writes_have_the_order_of_the_calls_and_no_ids_of_their_own() {
        let mut tx = transaction().condition(Condition::ExpectedRevision(7)).request_id("r");
        tx.set("k", &1);
        tx.write(v1::DeleteNoteRequest { note_id: "n".into(), ..Default::default() });
        tx.attach("s").remove("k");
        assert_eq!((tx.len(), tx.is_empty()), (3, false));
        assert_eq!((tx.request.agent_id.as_str(), tx.request.request_id.as_str()), ("a", "r"));
        assert_eq!(tx.request.agent_precondition, Some(Condition::ExpectedRevision(7).into()));
        match &tx.request.writes.iter().map(|write| write.write.as_ref().unwrap()).collect::<Vec<_>>()[..] {
            [Write::SetEntry(set), Write::DeleteNote(delete), Write::RemoveEntry(remove)] => {
                assert_eq!((set.agent_id.as_str(), set.key.as_str()), ("", "k"));
                assert_eq!((delete.request_id.as_str(), delete.note_id.as_str()), ("", "n"));
                assert_eq!(remove.scope_id, "s");
            }
            writes => panic!("{writes:?}"),
        }
    }

    #[tokio::test]
    async fn a_bound_user_is_that_of_all_writes_unless_they_name_another() {
        let mut tx = Client::builder().target("127.0.0.1:1").connect().unwrap().agent("a").user("ada").transaction();
        tx.set("k", &1);
        tx.set("k", NewEntry::new(&1).user_id(""));
        tx.get_or_set("k", &1);
        tx.create_scope("task");
        tx.attach("s").create_scope(NewScope::new("task").user_id("bob"));
        tx.write(v1::CreateNoteRequest::default());
        let users = tx.request.writes.iter().map(|write| match write.write.as_ref().unwrap() {
            Write::SetEntry(set) => &set.user_id,
            Write::GetOrSetEntry(set) => &set.user_id,
            Write::CreateScope(create) => &create.user_id,
            Write::CreateNote(create) => &create.draft.as_ref().unwrap().user_id,
            write => panic!("{write:?}"),
        });
        assert_eq!(users.collect::<Vec<_>>(), ["ada", "", "ada", "ada", "bob", "ada"]);
    }

    #[tokio::test]
    async fn every_transaction_has_a_request_id_of_its_own() {
        let ids = [transaction(), transaction()].map(|tx| tx.request.request_id);
        assert!(ids.iter().all(|id| id.len() == 32));
        assert_ne!(ids[0], ids[1]);
    }

    #[tokio::test]
    async fn an_empty_transaction_is_not_sent() {
        let done = transaction().condition(Condition::MustExist).commit().await.unwrap();
        assert_eq!(done.revision(), 0);
    }

    #[tokio::test]
    async fn a_result_has_the_type_of_its_change() {
        let mut tx = transaction();
        let removed = tx.remove("k");
        let noted = tx.write(v1::CreateNoteRequest::default());
        assert_eq!(noted.index(), 1);
        let note = v1::Note { note_id: "n".into(), ..Default::default() };
        let done = tx.committed(response(vec![
            write_result::Result::RemoveEntry(v1::RemoveEntryResponse { deleted: true, ..Default::default() }),
            write_result::Result::CreateNote(v1::CreateNoteResponse { note: Some(note), ..Default::default() }),
        ]));
        let done = done.unwrap();
        assert_eq!((done.revision(), done.get(&removed)), (3, true));
        assert_eq!(done.get(&noted).note.unwrap().note_id, "n");
    }

    #[tokio::test]
    async fn other_results_than_those_of_the_writes_are_an_error() {
        let mut tx = transaction();
        tx.remove("k");
        let other = write_result::Result::ClearEntries(v1::ClearEntriesResponse::default());
        for results in [vec![], vec![other]] {
            assert_eq!(tx.committed(response(results)).unwrap_err().kind(), ErrorKind::InternalError);
        }
    }

    #[tokio::test]
    #[should_panic(expected = "of another transaction")]
    async fn a_change_of_another_transaction_has_no_result() {
        let (mut one, mut other) = (transaction(), transaction());
        one.clear();
        let cleared = other.clear();
        let result = write_result::Result::ClearEntries(v1::ClearEntriesResponse::default());
        let _ = one.committed(response(vec![result])).unwrap().get(&cleared);
    }

    #[tokio::test]
    async fn an_entry_that_cannot_be_written_is_an_error_of_the_commit() {
        let mut tx = transaction();
        tx.set("k", &f64::NAN);
        assert_eq!(tx.commit().await.unwrap_err().kind(), ErrorKind::UnsupportedValue);
        assert_eq!(tx.commit().await.unwrap_err().kind(), ErrorKind::UnsupportedValue, "again");
        let mut tx = transaction();
        tx.get_or_set("k", NewEntry::new(&1).must_exist());
        assert_eq!(tx.commit().await.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }

    #[tokio::test]
    async fn scopes_are_created_merged_and_closed() {
        let mut tx = transaction();
        tx.create_scope(NewScope::new("task").user_id("ada"));
        tx.attach("s").merge(Merge::KeepParent);
        tx.attach("t").close();
        match &tx.request.writes.iter().map(|write| write.write.as_ref().unwrap()).collect::<Vec<_>>()[..] {
            [Write::CreateScope(create), Write::MergeScope(merge), Write::DisposeScope(dispose)] => {
                assert_eq!((create.name.as_str(), create.user_id.as_str()), ("task", "ada"));
                assert_eq!((merge.scope_id.as_str(), merge.overwrite, merge.dispose), ("s", Some(false), true));
                assert_eq!(dispose.scope_id, "t");
            }
            writes => panic!("{writes:?}"),
        }
    }
}
