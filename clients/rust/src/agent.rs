//! An agent as a whole.

use std::ops::Deref;

use crate::channel::Channel;
use crate::condition::Condition;
use crate::error::Result;
use crate::transaction::Transaction;
use crate::v1;
use crate::working_memory::WorkingMemory;

/// The root scope of an agent's [`WorkingMemory`], and the parent of its scopes. The first change creates the agent.
#[derive(Clone, Debug)]
pub struct Agent(WorkingMemory);

impl Agent {
    pub(crate) fn new(channel: Channel, agent_id: String) -> Self {
        Self(WorkingMemory::new(channel, agent_id, String::new()))
    }

    /// Returns an empty transaction, which collects changes of all kinds and makes them as one.
    pub fn transaction(&self) -> Transaction {
        Transaction::new(self.channel.clone(), self.agent_id().to_owned())
    }

    /// Removes the agent with all of its records and scopes. Ending an agent that does not exist is not an error: then
    /// `deleted` is false. [`counts_by_kind`](crate::counts_by_kind) reads the numbers of the removed records.
    ///
    /// # Errors
    ///
    /// Those of every method of [`WorkingMemory`].
    pub async fn end(&self) -> Result<v1::EndAgentResponse> {
        self.end_with(End::new()).await
    }

    /// Removes the agent as [`end`](Self::end) does, with these options.
    ///
    /// # Errors
    ///
    /// `AgentNotFound` or `RevisionMismatch` if the condition is not met, and those of a snapshot.
    pub async fn end_with(&self, options: End) -> Result<v1::EndAgentResponse> {
        let agent_id = self.agent_id().to_owned();
        self.channel.call(v1::EndAgentRequest { agent_id, ..options.request }).await
    }
}

/// The options of [`Agent::end_with`].
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// use memoryd::{Condition, End};
///
/// let ended = agent.end_with(End::new().snapshot().condition(Condition::MustExist)).await?;
/// println!("{:?}", ended.snapshot);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct End {
    request: v1::EndAgentRequest,
}

impl End {
    /// Returns options without a snapshot and a condition.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a last snapshot of the agent before it ends, for which the client's timeout must be long enough. If the
    /// snapshot fails, the agent stays.
    pub fn snapshot(mut self) -> Self {
        self.request.create_snapshot = true;
        self
    }

    /// Ends the agent only if this condition on it is met.
    pub fn condition(mut self, condition: Condition) -> Self {
        self.request.agent_precondition = Some(condition.into());
        self
    }
}

impl Deref for Agent {
    type Target = WorkingMemory;

    fn deref(&self) -> &WorkingMemory {
        &self.0
    }
}
