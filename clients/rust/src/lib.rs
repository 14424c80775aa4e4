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
//! - A [`NearCache`] is a live copy of an agent's entries, scopes and notes in this process, which is read without a call.
//! - [`v1`] contains the messages of the contract, which are the results. [`Client::call`] performs any unary call, and
//!   [`raw`] has the generated stubs: both are for what has no wrapper.
//! - [`Error`] has an [`ErrorKind`]. A missing entry is not an error.
//!
//! A call has one timeout with all its retries, which bridge a restart of the daemon. Each change carries a request id,
//! so that a retry never applies it twice.

#![deny(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod agent;
mod agent_kinds;
mod batch;
mod batching;
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
mod mirror;
mod near;
mod new_entry;
pub mod raw;
mod records;
mod reservation;
mod retry;
mod scope;
mod selection;
mod status;
mod target;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg_attr(not(any(feature = "tls-ring", feature = "tls-aws-lc")), path = "no_tls.rs")]
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
pub use near::{NearCache, NearCacheBuilder, NearEntries, NearMemory, StaleRead};
pub use new_entry::NewEntry;
pub use records::Records;
pub use reservation::GetOrSet;
pub use scope::{Merge, NewScope, Scope};
#[cfg(any(feature = "tls-ring", feature = "tls-aws-lc"))]
pub use tls::Tls;
pub use transaction::{Committed, ScopeWrites, Transaction, Written};
pub use upload::Upload;
pub use watch::{Watch, WatchBuilder, WatchCloser, WatchMessage};
pub use working_memory::WorkingMemory;
