//! Atomic batches of changes.

use crate::condition::Condition;
use crate::error::{Error, Result};
use crate::new_entry::NewEntry;
use crate::v1;
use crate::v1::entry_operation::Operation;
use crate::working_memory::WorkingMemory;

/// Up to 1,000 sets and removes in one agent or scope that are written atomically. A key may occur once.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// let written = agent.batch().set("table", &7).set("time", "19:30").remove("draft").send().await?;
/// println!("all at revision {}", written.revision);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a batch does nothing until it is sent"]
pub struct Batch {
    working_memory: WorkingMemory,
    operations: Vec<v1::EntryOperation>,
    failure: Option<Error>,
}

impl Batch {
    pub(crate) fn new(working_memory: WorkingMemory) -> Self {
        Self { working_memory, operations: Vec::new(), failure: None }
    }

    /// Stores a value when the batch is sent. A condition of the entry applies to the state before the batch. A value
    /// that cannot be encoded is an error of [`send`](Self::send).
    pub fn set(mut self, key: &str, entry: impl Into<NewEntry>) -> Self {
        match entry.into().or_user(&self.working_memory.place.user_id).into_operation(key) {
            Ok(operation) => self.push(Operation::Set(operation)),
            Err(error) => self.failure = self.failure.or(Some(error)),
        }
        self
    }

    /// Removes a key when the batch is sent. A key without an entry is not an error.
    pub fn remove(self, key: &str) -> Self {
        self.removing(key, None)
    }

    /// Removes a key when the batch is sent. If the condition is not met, nothing of the batch is written.
    pub fn remove_if(self, key: &str, condition: Condition) -> Self {
        self.removing(key, Some(condition))
    }

    /// Sends the operations as one atomic change, and returns its revision and a result for each operation in order. An
    /// empty batch is not sent, and its revision is 0.
    ///
    /// # Errors
    ///
    /// Those of [`WorkingMemory::set`]; nothing was changed then.
    pub async fn send(self) -> Result<v1::BatchWriteEntriesResponse> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        if self.operations.is_empty() {
            return Ok(v1::BatchWriteEntriesResponse::default());
        }
        let request = v1::BatchWriteEntriesRequest {
            agent_id: self.working_memory.agent_id().to_owned(),
            scope_id: self.working_memory.scope_id().to_owned(),
            operations: self.operations,
            ..Default::default()
        };
        self.working_memory.channel.call(request).await
    }

    fn removing(mut self, key: &str, condition: Option<Condition>) -> Self {
        let precondition = condition.map(Into::into);
        self.push(Operation::Remove(v1::RemoveEntryOperation { key: key.to_owned(), precondition }));
        self
    }

    fn push(&mut self, operation: Operation) {
        self.operations.push(v1::EntryOperation { operation: Some(operation) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::tests::agent;

    #[tokio::test]
    async fn a_bound_user_is_that_of_the_entries_unless_they_name_another() {
        let batch = agent().user("ada").attach("s").batch().set("k", &1).set("l", NewEntry::new(&2).user_id("bob"));
        let users = batch.operations.iter().map(|operation| match operation.operation.as_ref().unwrap() {
            Operation::Set(set) => set.user_id.as_str(),
            Operation::Remove(_) => panic!("nothing is removed"),
        });
        assert_eq!(users.collect::<Vec<_>>(), ["ada", "bob"]);
    }
}
