//! A real daemon for the tests of programs that use memoryd. Needs the feature `testing`.
//!
//! ```no_run
//! use memoryd::testing::TestDaemon;
//!
//! #[tokio::test]
//! async fn the_assistant_remembers_a_mood() -> memoryd::Result<()> {
//!     let daemon = TestDaemon::start().await;
//!     let agent = daemon.agent();
//!     agent.set("mood", "curious").await?;
//!     assert_eq!(agent.get::<String>("mood").await?.as_deref(), Some("curious"));
//!     Ok(())
//! }
//! ```

mod process;

use std::env;
use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::runtime;

use crate::agent::Agent;
use crate::client::Client;
use crate::connect::ClientBuilder;
use crate::error::Result;
use crate::v1;

use process::Process;

const ADDRESS_VARIABLE: &str = "MEMORYD_TEST_ADDRESS";

/// A running daemon. Dropping it ends the daemon, and prints what the daemon logged if the test panics.
#[derive(Debug)]
pub struct TestDaemon {
    address: String,
    /// `None` for the daemon of others at `MEMORYD_TEST_ADDRESS`.
    process: Option<Process>,
    /// The agents to erase from the daemon of others.
    agent_ids: Mutex<Vec<String>>,
}

impl TestDaemon {
    /// Starts a daemon, and waits until it serves.
    ///
    /// The daemon is the command that `MEMORYD_TEST_COMMAND` names, else `memoryd` in `PATH`. It keeps nothing, listens on a
    /// free port of this machine, and takes no settings from the environment. If `MEMORYD_TEST_ADDRESS` is set, no daemon is
    /// started: the one at that address is used.
    ///
    /// # Panics
    ///
    /// Panics if the daemon does not start within a minute.
    pub async fn start() -> Self {
        Self::start_with([] as [&str; 0]).await
    }

    /// Starts a daemon as [`start`](Self::start) does, with further flags of `memoryd serve`. They are ignored if
    /// `MEMORYD_TEST_ADDRESS` is set.
    ///
    /// # Panics
    ///
    /// Panics if the daemon does not start within a minute.
    pub async fn start_with(flags: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        if let Some(address) = env::var(ADDRESS_VARIABLE).ok().filter(|address| !address.is_empty()) {
            return Self::at(address);
        }
        let (process, address) = Process::start(flags).await.unwrap_or_else(|why| panic!("{why}"));
        Self { address, process: Some(process), agent_ids: Mutex::default() }
    }

    fn at(address: String) -> Self {
        Self { address, process: None, agent_ids: Mutex::default() }
    }

    /// Returns the address of the daemon, as [`ClientBuilder::target`] takes it.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the builder of a client of the daemon.
    pub fn client(&self) -> ClientBuilder {
        Client::builder().target(&self.address)
    }

    /// Returns an agent that no other test uses, of a client of its own. In the daemon at `MEMORYD_TEST_ADDRESS`, it is
    /// erased when this value is dropped.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime, which drives the connection.
    #[must_use]
    pub fn agent(&self) -> Agent {
        let client = self.client().connect().expect("the daemon has an address");
        let agent_id = format!("test-{:032x}", rand::random::<u128>());
        if self.process.is_none() {
            self.agent_ids.lock().unwrap_or_else(PoisonError::into_inner).push(agent_id.clone());
        }
        client.agent(agent_id)
    }

    /// Erases the agents of this value from the daemon.
    fn erase(&self) -> Result<()> {
        let agent_ids = std::mem::take(&mut *self.agent_ids.lock().unwrap_or_else(PoisonError::into_inner));
        if agent_ids.is_empty() {
            return Ok(());
        }
        let client = self.client();
        let erasing = async {
            let client = client.connect()?;
            for agent_id in agent_ids {
                client.call(v1::EndAgentRequest { agent_id, erase: true, ..Default::default() }).await?;
            }
            Ok(())
        };
        // A runtime of its own: that of the test may be the one of this thread, or have ended.
        let erased = thread::scope(|scope| {
            let runtime = runtime::Builder::new_current_thread().enable_all().build();
            scope.spawn(move || runtime.expect("there are threads").block_on(erasing)).join()
        });
        erased.unwrap_or(Ok(()))
    }
}

impl Drop for TestDaemon {
    fn drop(&mut self) {
        if let Err(error) = self.erase() {
            eprintln!("agents of the test are left at {}: {error}", self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write as _};

    use super::process::is_installed;
    use super::*;
    use crate::error::ErrorKind;

    /// Starts a daemon. Without the command the test is skipped, or fails in CI.
    async fn daemon(flags: &[&str]) -> Option<TestDaemon> {
        if !is_installed() {
            let why = "there is no memoryd in PATH, and MEMORYD_TEST_COMMAND is not set";
            assert_ne!(env::var("CI").as_deref(), Ok("true"), "{why}");
            // Written without a macro, because the output of macros is hidden when a test passes.
            writeln!(io::stderr(), "a test of testing is skipped: {why}").expect("stderr is writable");
            return None;
        }
        let (process, address) = Process::start(["--embedder", "none"].iter().chain(flags)).await.unwrap();
        Some(TestDaemon { address, process: Some(process), agent_ids: Mutex::default() })
    }

    #[tokio::test]
    async fn each_agent_is_another_one_and_flags_are_the_daemons() {
        let Some(daemon) = daemon(&["--limit-entry-bytes", "100"]).await else { return };
        let (one, other) = (daemon.agent(), daemon.agent());
        one.set("mood", "curious").await.unwrap();
        assert_eq!(other.get::<String>("mood").await.unwrap(), None);
        assert_eq!(one.set("k", &"x".repeat(200)).await.unwrap_err().kind(), ErrorKind::TooLarge);
    }

    #[tokio::test]
    async fn a_daemon_ends_when_it_is_dropped() {
        let Some(daemon) = daemon(&[]).await else { return };
        let client = daemon.client().connect_timeout(std::time::Duration::from_millis(100)).connect().unwrap();
        client.agent("a").set("k", &1).await.unwrap();
        drop(daemon);
        let after = client.with_timeout(std::time::Duration::from_millis(100)); // time: it is to fail
        let error = after.agent("a").set("k", &1).await.unwrap_err();
        assert!(error.is(ErrorKind::Unavailable) || error.is(ErrorKind::DeadlineExceeded), "{error}");
    }

    #[tokio::test]
    async fn agents_are_erased_from_a_daemon_of_others() {
        let Some(owned) = daemon(&[]).await else { return };
        let agents =
            async || owned.client().connect().unwrap().call(v1::ListAgentsRequest::default()).await.unwrap().agents;
        let shared = TestDaemon::at(owned.address().to_owned());
        shared.agent().set("k", &1).await.unwrap();
        assert_eq!(agents().await.len(), 1);
        drop(shared);
        assert_eq!(agents().await.len(), 0);
    }

    #[tokio::test]
    async fn a_daemon_that_does_not_start_says_why() {
        if !is_installed() {
            return;
        }
        let why = Process::start(["--no-such-flag"]).await.map(drop).unwrap_err();
        assert!(why.contains("no-such-flag"), "{why}");
    }
}
