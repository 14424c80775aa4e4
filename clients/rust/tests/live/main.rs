//! What the client does with a real daemon, at `MEMORYD_ADDRESS`.

mod call;
mod consumer;
mod daemon;
mod get_or_set;
mod kinds;
mod scope;
mod transaction;
mod upload;
mod watch;
mod working_memory;
