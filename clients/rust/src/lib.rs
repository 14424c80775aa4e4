//! A client of memoryd, the memory daemon for AI agents: what an agent knows right now, durable, shared with other
//! processes, and watched live.
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
//! - [`Client`] is a connection; an [`Agent`] and a [`Scope`] have [`WorkingMemory`], which holds entries.
//! - [`v1`] has the messages and stubs, generated from the protos. [`Client::call`] performs any of the unary calls.
//! - [`Error`] says by its [`ErrorKind`] what went wrong. A missing entry is no error.
//!
//! A call has one timeout with all its attempts. A daemon that restarts meanwhile is waited for: reads are safe to
//! repeat, and each change carries a request id, so that a repeated one changes nothing twice.

#![deny(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod agent;
mod batch;
mod channel;
mod client;
mod connect;
mod entries;
mod error;
mod finite;
mod metadata;
mod method;
mod new_entry;
mod reservation;
mod retry;
mod scope;
mod status;
mod target;
mod tls;
pub mod v1;
mod value;
mod watch;
mod working_memory;

// What the messages and stubs are made with: their types are part of this crate's own.
pub use {prost_types, tonic};

pub use agent::Agent;
pub use batch::Batch;
pub use channel::{Headers, Transport};
pub use client::Client;
pub use connect::ClientBuilder;
pub use entries::Entries;
pub use error::{Error, ErrorKind, Result};
pub use method::UnaryRequest;
pub use new_entry::NewEntry;
pub use reservation::GetOrSet;
pub use scope::{Merge, Scope};
pub use tls::Tls;
pub use watch::{Watch, WatchBuilder, WatchCloser, WatchMessage};
pub use working_memory::WorkingMemory;
