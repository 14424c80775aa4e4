//! The kinds of records that an agent has. They are here because each kind knows the agent, so that the agent knows none.

use crate::agent::Agent;
use crate::kinds::{Conversations, Documents, Entities, Fragments, Memories, Notes, Plans};

impl Agent {
    /// Returns the agent's notes: titled, editable texts for prompts.
    #[must_use]
    pub fn notes(&self) -> Notes {
        Notes::new(self)
    }

    /// Returns the agent's plans: goals in conversations, with the ordered steps to them.
    #[must_use]
    pub fn plans(&self) -> Plans {
        Plans::new(self)
    }

    /// Returns the agent's long-term memories.
    #[must_use]
    pub fn memories(&self) -> Memories {
        Memories::new(self)
    }

    /// Returns incoming texts that are not consolidated yet.
    #[must_use]
    pub fn fragments(&self) -> Fragments {
        Fragments::new(self)
    }

    /// Returns the messages between the agent and others.
    #[must_use]
    pub fn conversations(&self) -> Conversations {
        Conversations::new(self)
    }

    /// Returns the agent's documents: source texts for prompts, whole or in chunks that a search finds.
    #[must_use]
    pub fn documents(&self) -> Documents {
        Documents::new(self)
    }

    /// Returns the entities that the agent's tools touched last, in each conversation.
    #[must_use]
    pub fn entities(&self) -> Entities {
        Entities::new(self)
    }
}
