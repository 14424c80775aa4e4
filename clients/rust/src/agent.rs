//! An agent as a whole.

use std::ops::Deref;

use crate::channel::Channel;
use crate::condition::Condition;
use crate::error::Result;
use crate::near::NearCacheBuilder;
use crate::transaction::Transaction;
use crate::v1;
use crate::working_memory::WorkingMemory;

/// All that an agent remembers: its entries, which are those of the root scope of its [`WorkingMemory`], and its
/// records of the other kinds. The first change creates the agent.
#[derive(Clone, Debug)]
pub struct Agent(WorkingMemory);

impl Agent {
    pub(crate) fn new(channel: Channel, agent_id: String) -> Self {
        Self(WorkingMemory::new(channel, agent_id, String::new()))
    }

    /// Returns an empty transaction, which collects changes of all kinds and makes them as one.
    pub fn transaction(&self) -> Transaction {
        Transaction::new(self.channel.clone(), self.agent_id().to_owned(), self.place.user_id.clone())
    }

    /// Returns the same agent with a bound user. What it writes is about this user, and what it lists, recalls,
    /// searches, composes and watches is this user's alone, unless a call names other users. Reads by id and key are
    /// the same, and so are the listings of a conversation's messages and of a memory's links. An empty id binds none.
    ///
    /// ```no_run
    /// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
    /// let ada = agent.user("ada");
    /// ada.memories().remember("Ada moved to Oslo.").await?;
    /// let found = ada.memories().recall("Where does she live?").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A conversation that [`Conversations::append`](crate::kinds::Conversations::append) creates is of no user: create
    /// one of the user with [`Conversations::create`](crate::kinds::Conversations::create).
    #[must_use]
    pub fn user(&self, user_id: impl Into<String>) -> Self {
        let mut bound = self.clone();
        bound.0.place.user_id = user_id.into();
        bound
    }

    /// Returns the builder of a live copy of the agent's entries, scopes and notes in this process, which is read without
    /// a call: await it to open the copy.
    pub fn near_cache(&self) -> NearCacheBuilder {
        NearCacheBuilder::new(self)
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
