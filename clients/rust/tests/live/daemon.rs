//! The daemon of the tests, and agents that nobody else uses.

use std::io::Write as _;
use std::time::Duration;
use std::{env, io, thread};

use memoryd::{Agent, Client};

/// No test may wait for longer.
pub const TEST_MAX: Duration = Duration::from_secs(30);

/// A client of the daemon, `None` when there is none, which is said aloud. Where CI runs, there must be one.
pub fn client() -> Option<Client> {
    if env::var_os("MEMORYD_ADDRESS").is_none_or(|address| address.is_empty()) {
        assert_ne!(env::var("CI").as_deref(), Ok("true"), "MEMORYD_ADDRESS must say where the daemon is");
        let name = thread::current().name().unwrap_or("a test").to_owned();
        // Not by a macro, whose output a passing test keeps to itself.
        writeln!(io::stderr(), "{name} is skipped: MEMORYD_ADDRESS is not set").expect("stderr is there");
        return None;
    }
    Some(Client::connect().expect("MEMORYD_ADDRESS is an address"))
}

/// An agent that nobody else uses.
pub fn fresh_agent() -> Option<Agent> {
    Some(client()?.agent(fresh("agent")))
}

/// A name that nobody else uses.
pub fn fresh(name: &str) -> String {
    format!("{name}-{:016x}", rand::random::<u64>())
}

/// Waits for something that must come.
pub async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(TEST_MAX, what).await.expect("it should have come by now")
}
