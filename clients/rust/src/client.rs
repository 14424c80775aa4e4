//! One connection to one daemon.

use std::fmt;
use std::time::Duration;

use crate::agent::Agent;
use crate::channel::{Channel, MESSAGE_BYTES_MAX, Transport};
use crate::connect::ClientBuilder;
use crate::error::Result;
use crate::method::UnaryRequest;
use crate::v1;
use crate::v1::agent_service_client::AgentServiceClient;
use crate::v1::context_service_client::ContextServiceClient;
use crate::v1::document_service_client::DocumentServiceClient;
use crate::v1::entity_service_client::EntityServiceClient;
use crate::v1::event_service_client::EventServiceClient;
use crate::v1::fragment_service_client::FragmentServiceClient;
use crate::v1::long_term_memory_service_client::LongTermMemoryServiceClient;
use crate::v1::note_service_client::NoteServiceClient;
use crate::v1::plan_service_client::PlanServiceClient;
use crate::v1::server_service_client::ServerServiceClient;
use crate::v1::snapshot_service_client::SnapshotServiceClient;
use crate::v1::working_memory_service_client::WorkingMemoryServiceClient;
use crate::watch::WatchBuilder;

/// One connection to one daemon. Clones share it, and it ends with the last of them.
#[derive(Clone)]
pub struct Client {
    channel: Channel,
}

impl Client {
    pub(crate) fn new(channel: Channel) -> Self {
        Self { channel }
    }

    /// A client of the daemon at `MEMORYD_ADDRESS`, else `127.0.0.1:7600`, with the token in `MEMORYD_TOKEN`, if any.
    /// The first call connects.
    ///
    /// # Errors
    ///
    /// `InvalidTarget` for an address that is none.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime, which drives the connection.
    pub fn connect() -> Result<Self> {
        Self::builder().connect()
    }

    /// Says more about how to reach the daemon: address, token, TLS, origin, timeouts.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// The daemon's address.
    #[must_use]
    pub fn target(&self) -> &str {
        self.channel.target()
    }

    /// The same connection with another timeout for calls, such as for a snapshot of all agents.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        let mut channel = self.channel.clone();
        channel.patience.timeout = timeout;
        Self { channel }
    }

    /// Returns the agent with this id. It does not call the daemon.
    pub fn agent(&self, agent_id: impl Into<String>) -> Agent {
        Agent::new(self.channel.clone(), agent_id.into())
    }

    /// Performs any unary call: with a timeout, tried again where that is safe, and with a request id for a change that
    /// has none yet.
    ///
    /// ```no_run
    /// # async fn example(client: memoryd::Client) -> memoryd::Result<()> {
    /// use memoryd::v1;
    ///
    /// let answer = client.call(v1::GetAgentStatsRequest { agent_id: "planner".into(), ..Default::default() }).await?;
    /// println!("{} bytes", answer.stats.unwrap_or_default().storage_bytes_used);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Dropping the future cancels the call; a change may have happened then or not.
    ///
    /// # Errors
    ///
    /// What the daemon refuses; `Unavailable` and `DeadlineExceeded` when it cannot be reached.
    pub async fn call<R: UnaryRequest>(&self, request: R) -> Result<R::Response> {
        self.channel.call(request).await
    }

    /// Watches the events that any of the filters keeps; those of all agents without filters.
    pub fn watch(&self, filters: impl IntoIterator<Item = v1::EventFilter>) -> WatchBuilder {
        let mut filters: Vec<_> = filters.into_iter().collect();
        if filters.is_empty() {
            filters.push(v1::EventFilter::default());
        }
        WatchBuilder::new(self.channel.clone(), filters)
    }

    /// What the stubs call through, for one that is made by hand.
    #[must_use]
    pub fn transport(&self) -> Transport {
        self.channel.transport()
    }

    /// The stub of the entries and scopes. Stubs add the token and the origin; a call has no timeout of its own, is not
    /// tried again, and carries the request id that its message has: [`call`](Self::call) does all that.
    #[must_use]
    pub fn working_memory(&self) -> WorkingMemoryServiceClient<Transport> {
        WorkingMemoryServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of the buffer of fragments; see [`working_memory`](Self::working_memory) for what stubs do.
    #[must_use]
    pub fn fragments(&self) -> FragmentServiceClient<Transport> {
        FragmentServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of what an agent is to remember for good; see [`working_memory`](Self::working_memory) for what stubs do.
    #[must_use]
    pub fn long_term_memory(&self) -> LongTermMemoryServiceClient<Transport> {
        LongTermMemoryServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of titled, editable memories that are put into prompts; see [`working_memory`](Self::working_memory) for
    /// what stubs do.
    #[must_use]
    pub fn notes(&self) -> NoteServiceClient<Transport> {
        NoteServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of conversations, and of what they take of a model's context window; see
    /// [`working_memory`](Self::working_memory) for what stubs do.
    #[must_use]
    pub fn contexts(&self) -> ContextServiceClient<Transport> {
        ContextServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of what an agent's tools touched last, session by session; see [`working_memory`](Self::working_memory)
    /// for what stubs do.
    #[must_use]
    pub fn entities(&self) -> EntityServiceClient<Transport> {
        EntityServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of the goals of conversations, and their ordered steps; see [`working_memory`](Self::working_memory) for
    /// what stubs do.
    #[must_use]
    pub fn plans(&self) -> PlanServiceClient<Transport> {
        PlanServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of source text that is told to a model whole, or found in chunks; see
    /// [`working_memory`](Self::working_memory) for what stubs do.
    #[must_use]
    pub fn documents(&self) -> DocumentServiceClient<Transport> {
        DocumentServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of agents as a whole; see [`working_memory`](Self::working_memory) for what stubs do.
    #[must_use]
    pub fn agents(&self) -> AgentServiceClient<Transport> {
        AgentServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of events; see [`working_memory`](Self::working_memory) for what stubs do.
    #[must_use]
    pub fn events(&self) -> EventServiceClient<Transport> {
        EventServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of snapshots; see [`working_memory`](Self::working_memory) for what stubs do.
    #[must_use]
    pub fn snapshots(&self) -> SnapshotServiceClient<Transport> {
        SnapshotServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// The stub of the daemon itself; see [`working_memory`](Self::working_memory) for what stubs do.
    #[must_use]
    pub fn server(&self) -> ServerServiceClient<Transport> {
        ServerServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("target", &self.target()).finish_non_exhaustive()
    }
}
