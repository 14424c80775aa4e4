//! One agent's memory as a whole.

use std::ops::Deref;

use crate::channel::Channel;
use crate::error::Result;
use crate::memory::Memory;
use crate::v1;

/// One agent's memory. It is the [`Memory`] of the agent's root; an agent begins with its first change.
#[derive(Clone, Debug)]
pub struct Agent(Memory);

impl Agent {
    pub(crate) fn new(channel: Channel, agent_id: String) -> Self {
        Self(Memory::new(channel, agent_id, String::new()))
    }

    /// Removes the agent with all of its memory and scopes.
    ///
    /// # Errors
    ///
    /// `AgentNotFound` when it is not there, and those of every method of [`Memory`].
    pub async fn end(&self) -> Result<v1::EndAgentResponse> {
        let agent_id = self.agent_id().to_owned();
        self.channel.call(v1::EndAgentRequest { agent_id, ..Default::default() }).await
    }
}

impl Deref for Agent {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.0
    }
}
