//! The client of memoryd, the memory daemon for AI agents. What an agent stores is durable, shared with other
//! processes, and can be watched live.
//!
//! ```no_run
//! # #[tokio::main]
//! # async fn main() -> memoryd::Result<()> {
//! let client = memoryd::Client::connect()?; // MEMORYD_ADDRESS, else 127.0.0.1:7600
//! let agent = client.agent("assistant-1");
//! agent.set("user", "Ada").await?;
//! let user: Option<String> = agent.get("user").await?;
//! let visits = agent.update("visits", |visits: Option<u64>| visits.unwrap_or(0) + 1).await?;
//! # Ok(())
//! # }
//! ```
//!
//! - [`Client`] is a connection. An [`Agent`] and a [`Scope`] deref to [`WorkingMemory`], which stores entries.
//! - An agent's notes, plans, memories, fragments, conversations, documents and entities are in [`kinds`]:
//!   `agent.notes().create("Tone", "Brief").await?`. [`Agent::compose`] makes the context of a prompt of them, and
//!   [`Agent::user`] binds all that to a person.
//! - [`v1`] contains the messages of the contract, which are the results, and its stubs, for what has no wrapper.
//!   [`Client::call`] performs any unary call.
//! - [`Error`] has an [`ErrorKind`]. A missing entry is not an error.
//!
//! A call has one timeout with all its retries, which bridge a restart of the daemon. Each change carries a request id,
//! so that a retry never applies it twice.

#![deny(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod agent;
mod batch;
mod call;
mod channel;
mod client;
mod condition;
mod connect;
mod consumer;
mod entries;
mod error;
mod event;
mod finite;
mod input;
pub mod kinds;
mod metadata;
mod method;
mod new_entry;
mod records;
mod reservation;
mod retry;
mod scope;
mod selection;
mod status;
mod target;
mod tls;
mod transaction;
mod upload;
mod user;
pub mod v1;
mod value;
mod watch;
mod working_memory;

// The types of these crates are part of this crate's API.
pub use {prost_types, tonic};

pub use agent::{Agent, End};
pub use batch::Batch;
pub use call::Call;
pub use channel::{Headers, Transport};
pub use client::Client;
pub use condition::Condition;
pub use connect::ClientBuilder;
pub use consumer::{Consumer, Delivery, NewConsumer};
pub use entries::Entries;
pub use error::{Error, ErrorKind, Result};
pub use event::counts_by_kind;
pub use input::Input;
pub use method::{
    AgentConditionalRequest, ChangeRequest, ConditionalRequest, PagedRequest, ReadRequest, SelectingRequest,
    UnaryRequest, ViewRequest, WriteRequest,
};
pub use new_entry::NewEntry;
pub use records::Records;
pub use reservation::GetOrSet;
pub use scope::{Merge, NewScope, Scope};
pub use tls::Tls;
pub use transaction::{Committed, ScopeWrites, Transaction, Written};
pub use upload::Upload;
pub use watch::{Watch, WatchBuilder, WatchCloser, WatchMessage};
pub use working_memory::WorkingMemory;
