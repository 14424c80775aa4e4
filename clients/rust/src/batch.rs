//! Many changes at once.

use crate::error::{Error, Result};
use crate::new_entry::NewEntry;
use crate::v1;
use crate::v1::entry_operation::Operation;
use crate::working_memory::WorkingMemory;

/// Sets and removes of one place that happen together or not at all: 1 to 1,000, each key at most once.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// let answer = agent.batch().set("table", &7).set("time", "19:30").remove("draft").send().await?;
/// println!("all at revision {}", answer.revision);
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

    /// Stores a value, on condition of how things were before the batch. What cannot be written is told by
    /// [`send`](Self::send).
    pub fn set(mut self, key: &str, entry: impl Into<NewEntry>) -> Self {
        match entry.into().into_operation(key) {
            Ok(operation) => self.push(Operation::Set(operation)),
            Err(error) => self.failure = self.failure.or(Some(error)),
        }
        self
    }

    /// Removes a key. One that has no entry is no error.
    pub fn remove(mut self, key: &str) -> Self {
        self.push(Operation::Remove(v1::RemoveEntryOperation { key: key.to_owned(), precondition: None }));
        self
    }

    /// Sends all of it as one change, and answers its revision and a result for each operation in their order. An empty
    /// batch asks the daemon nothing, and answers the revision 0.
    ///
    /// # Errors
    ///
    /// `UnsupportedValue`, and what [`WorkingMemory::set`] fails with; nothing was changed then.
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

    fn push(&mut self, operation: Operation) {
        self.operations.push(v1::EntryOperation { operation: Some(operation) });
    }
}
