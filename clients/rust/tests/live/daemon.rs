//! The daemon of the tests, and agents of their own.

use std::io::Write as _;
use std::time::Duration;
use std::{env, io, thread};

use memoryd::{Agent, Client};

/// The maximum wait of a test.
pub const TEST_MAX: Duration = Duration::from_secs(120);

/// Returns a client of the daemon, or `None` with a message if there is none. In CI, there must be one.
pub fn client() -> Option<Client> {
    if env::var_os("MEMORYD_ADDRESS").is_none_or(|address| address.is_empty()) {
        skip("MEMORYD_ADDRESS is not set");
        return None;
    }
    Some(Client::connect().expect("MEMORYD_ADDRESS is an address"))
}

/// Writes that the test is skipped, and why. Panics in CI.
pub fn skip(why: &str) {
    assert_ne!(env::var("CI").as_deref(), Ok("true"), "{why}");
    let name = thread::current().name().unwrap_or("a test").to_owned();
    // Written without a macro, because the output of macros is hidden when a test passes.
    writeln!(io::stderr(), "{name} is skipped: {why}").expect("stderr is writable");
}

/// Returns an agent that no other test uses.
pub fn fresh_agent() -> Option<Agent> {
    Some(client()?.agent(fresh("agent")))
}

/// Returns a name that no other test uses.
pub fn fresh(name: &str) -> String {
    format!("{name}-{:016x}", rand::random::<u64>())
}

/// Waits for a future, and panics if it takes too long.
pub async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(TEST_MAX, what).await.expect("it should have come by now")
}

/// Waits until a condition holds, and panics if it takes too long.
pub async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let held = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(TEST_MAX, held).await.unwrap_or_else(|_| panic!("it does not happen: {what}"));
}
