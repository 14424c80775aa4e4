//! What the client does with a real daemon, at `MEMORYD_ADDRESS`.

#![allow(clippy::large_futures, clippy::similar_names, reason = "tests make many calls at once")]

mod batching;
mod call;
mod consumer;
mod daemon;
mod get_or_set;
mod history;
mod kinds;
mod near_cache;
mod near_history;
mod near_outage;
mod own_daemon;
mod scope;
mod transaction;
mod upload;
mod watch;
mod working_memory;
