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
use crate::v1::conversation_service_client::ConversationServiceClient;
use crate::v1::document_service_client::DocumentServiceClient;
use crate::v1::entity_service_client::EntityServiceClient;
use crate::v1::event_service_client::EventServiceClient;
use crate::v1::fragment_service_client::FragmentServiceClient;
use crate::v1::long_term_memory_service_client::LongTermMemoryServiceClient;
use crate::v1::note_service_client::NoteServiceClient;
use crate::v1::operation_service_client::OperationServiceClient;
use crate::v1::plan_service_client::PlanServiceClient;
use crate::v1::server_service_client::ServerServiceClient;
use crate::v1::snapshot_service_client::SnapshotServiceClient;
use crate::v1::transaction_service_client::TransactionServiceClient;
use crate::v1::working_memory_service_client::WorkingMemoryServiceClient;
use crate::watch::WatchBuilder;

/// One connection to one daemon. Clones share it, and it is closed with the last of them.
#[derive(Clone)]
pub struct Client {
    channel: Channel,
}

impl Client {
    pub(crate) fn new(channel: Channel) -> Self {
        Self { channel }
    }

    /// Returns a client of the daemon at `MEMORYD_ADDRESS`, else `127.0.0.1:7600`, with the token in `MEMORYD_TOKEN`,
    /// if it is set. The first call connects it.
    ///
    /// # Errors
    ///
    /// `InvalidTarget` if `MEMORYD_ADDRESS` is not an address.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime, which drives the connection.
    pub fn connect() -> Result<Self> {
        Self::builder().connect()
    }

    /// Returns a builder of a client with other settings: address, token, TLS, origin, timeouts.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Returns the daemon's address.
    #[must_use]
    pub fn target(&self) -> &str {
        self.channel.target()
    }

    /// Returns a client with another timeout on the same connection, such as for a snapshot of all agents. Its calls are
    /// not [batched](ClientBuilder::batching).
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self { channel: self.channel.with_timeout(timeout) }
    }

    /// Returns the agent with this id. Does not call the daemon.
    pub fn agent(&self, agent_id: impl Into<String>) -> Agent {
        Agent::new(self.channel.clone(), agent_id.into())
    }

    /// Performs any unary call, such as one that no method of an [`Agent`] makes, with the client's timeout and
    /// retries, and with a request id for a change that has none.
    ///
    /// ```no_run
    /// # async fn example(client: memoryd::Client) -> memoryd::Result<()> {
    /// use memoryd::v1;
    ///
    /// let request = v1::GetAgentStatsRequest { agent_id: "planner".into(), ..Default::default() };
    /// let stats = client.call(request).await?.stats.unwrap_or_default();
    /// println!("{} bytes", stats.storage_bytes);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Dropping the future cancels the call; a change may or may not have been applied then.
    ///
    /// # Errors
    ///
    /// Those of the method if the daemon refuses, `Unavailable` or `DeadlineExceeded` if it cannot be reached.
    pub async fn call<R: UnaryRequest>(&self, request: R) -> Result<R::Response> {
        self.channel.call(request).await
    }

    /// Watches the events that match any of the filters, or all events without filters.
    pub fn watch(&self, filters: impl IntoIterator<Item = v1::EventFilter>) -> WatchBuilder {
        let mut filters: Vec<_> = filters.into_iter().collect();
        if filters.is_empty() {
            filters.push(v1::EventFilter::default());
        }
        WatchBuilder::new(self.channel.clone(), filters)
    }

    /// Returns the transport of the stubs, to create a stub with.
    #[must_use]
    pub fn transport(&self) -> Transport {
        self.channel.transport()
    }

    /// Returns the stub for entries and scopes. Stubs add the token and the origin, but no timeout, retries or request
    /// id, as [`call`](Self::call) does.
    #[must_use]
    pub fn working_memory(&self) -> WorkingMemoryServiceClient<Transport> {
        WorkingMemoryServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub that [`Agent::fragments`] wraps. See [`working_memory`](Self::working_memory) for what stubs
    /// add.
    #[must_use]
    pub fn fragments(&self) -> FragmentServiceClient<Transport> {
        FragmentServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub that [`Agent::memories`] wraps. See [`working_memory`](Self::working_memory) for what stubs
    /// add.
    #[must_use]
    pub fn long_term_memory(&self) -> LongTermMemoryServiceClient<Transport> {
        LongTermMemoryServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub that [`Agent::notes`] wraps. See [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn notes(&self) -> NoteServiceClient<Transport> {
        NoteServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub that [`Agent::compose`] wraps, which also counts tokens. See
    /// [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn contexts(&self) -> ContextServiceClient<Transport> {
        ContextServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub that [`Agent::conversations`] wraps. See
    /// [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn conversations(&self) -> ConversationServiceClient<Transport> {
        ConversationServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub that [`Agent::entities`] wraps. See [`working_memory`](Self::working_memory) for what stubs
    /// add.
    #[must_use]
    pub fn entities(&self) -> EntityServiceClient<Transport> {
        EntityServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub that [`Agent::plans`] wraps. See [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn plans(&self) -> PlanServiceClient<Transport> {
        PlanServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub for transactions: several changes of one agent, of all kinds, that are made as one. See
    /// [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn transactions(&self) -> TransactionServiceClient<Transport> {
        TransactionServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub that [`Agent::documents`] wraps. See
    /// [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn documents(&self) -> DocumentServiceClient<Transport> {
        DocumentServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub for operations: requests that take long, carried out without a call that waits for them. See
    /// [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn operations(&self) -> OperationServiceClient<Transport> {
        OperationServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub for agents as a whole. See [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn agents(&self) -> AgentServiceClient<Transport> {
        AgentServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub for events. See [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn events(&self) -> EventServiceClient<Transport> {
        EventServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub for snapshots. See [`working_memory`](Self::working_memory) for what stubs add.
    #[must_use]
    pub fn snapshots(&self) -> SnapshotServiceClient<Transport> {
        SnapshotServiceClient::new(self.channel.transport()).max_decoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Returns the stub for the daemon's version, limits, backend and durability. See
    /// [`working_memory`](Self::working_memory) for what stubs add.
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
