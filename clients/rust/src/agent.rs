//! An agent as a whole.

use std::ops::Deref;

use crate::channel::Channel;
use crate::error::Result;
use crate::v1;
use crate::working_memory::WorkingMemory;

/// The root scope of an agent's [`WorkingMemory`], and the parent of its scopes. The first change creates the agent.
#[derive(Clone, Debug)]
pub struct Agent(WorkingMemory);

impl Agent {
    pub(crate) fn new(channel: Channel, agent_id: String) -> Self {
        Self(WorkingMemory::new(channel, agent_id, String::new()))
    }

    /// Removes the agent with all of its records and scopes. Ending an agent that does not exist is not an error: then
    /// `deleted` is false. [`counts_by_kind`](crate::counts_by_kind) reads the numbers of the removed records.
    ///
    /// # Errors
    ///
    /// Those of every method of [`WorkingMemory`].
    pub async fn end(&self) -> Result<v1::EndAgentResponse> {
        let agent_id = self.agent_id().to_owned();
        self.channel.call(v1::EndAgentRequest { agent_id, ..Default::default() }).await
    }
}

impl Deref for Agent {
    type Target = WorkingMemory;

    fn deref(&self) -> &WorkingMemory {
        &self.0
    }
}
