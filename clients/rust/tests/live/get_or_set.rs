//! Get-or-set with a factory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use memoryd::{Agent, Error, ErrorKind, GetOrSet, NewEntry, Result};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::daemon::{fresh_agent, soon};

const LEASE_LEAST: Duration = Duration::from_millis(100);

#[expect(clippy::unnecessary_wraps, reason = "a factory may fail")]
fn made(value: &str) -> Result<String> {
    Ok(value.to_owned())
}

/// Starts a get-or-set whose factory never ends, and returns once the factory runs.
async fn hold(agent: &Agent, key: &str, options: GetOrSet) -> JoinSet<Result<String>> {
    let (agent, key, running) = (agent.clone(), key.to_owned(), Arc::new(Notify::new()));
    let mut holder = JoinSet::new();
    let notify = Arc::clone(&running);
    holder.spawn(async move {
        let factory = async || {
            notify.notify_one();
            std::future::pending().await
        };
        agent.get_or_set_with(&key, options, factory).await
    });
    soon(running.notified()).await;
    holder
}

#[tokio::test]
async fn an_existing_value_is_returned_and_not_made() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("key", "there").await.unwrap();
    let factory = async || -> Result<String> { panic!("the factory must not run") };
    let value = agent.get_or_set("key", factory).await.unwrap();
    assert_eq!(value, "there");
}

#[tokio::test]
async fn a_missing_value_is_made_and_stored_with_its_attributes() {
    let Some(agent) = fresh_agent() else { return };
    let options = GetOrSet::new().describe(|entry| entry.tags(["made"]));
    let value = agent.get_or_set_with("key", options, async || made("value")).await.unwrap();
    assert_eq!(value, "value");
    let entry = agent.get_entry("key").await.unwrap().unwrap();
    assert_eq!((entry.value::<String>().unwrap(), entry.tags), (value, vec!["made".to_owned()]));
}

#[tokio::test]
async fn of_many_callers_one_makes_the_value() {
    let Some(agent) = fresh_agent() else { return };
    let factories = Arc::new(AtomicU32::new(0));
    let mut callers = JoinSet::new();
    for _ in 0..10 {
        let (agent, factories) = (agent.clone(), Arc::clone(&factories));
        callers.spawn(async move {
            let factory = async || {
                factories.fetch_add(1, Ordering::SeqCst);
                made("value")
            };
            agent.get_or_set("key", factory).await.unwrap()
        });
    }
    assert_eq!(callers.join_all().await, ["value"; 10]);
    assert_eq!(factories.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_error_of_the_factory_is_returned_and_the_next_caller_takes_over_at_once() {
    #[derive(Debug)]
    struct Tired;
    impl From<Error> for Tired {
        fn from(error: Error) -> Self {
            panic!("the factory's own error was expected, not {error}")
        }
    }
    let Some(agent) = fresh_agent() else { return };
    let Tired = agent.get_or_set("key", async || Err::<String, _>(Tired)).await.unwrap_err();
    let next = agent.get_or_set_with("key", GetOrSet::new().wait(Duration::ZERO), async || made("next"));
    assert_eq!(next.await.unwrap(), "next");
}

#[tokio::test]
async fn a_refused_value_is_an_error_and_the_next_caller_takes_over_at_once() {
    let Some(agent) = fresh_agent() else { return };
    let unsupported = agent.get_or_set("key", async || Ok::<_, Error>(f64::NAN)).await.unwrap_err();
    assert_eq!(unsupported.kind(), ErrorKind::UnsupportedValue);
    let next = agent.get_or_set_with("key", GetOrSet::new().wait(Duration::ZERO), async || Ok::<_, Error>(1.5_f64));
    assert_eq!(next.await.unwrap().to_bits(), 1.5_f64.to_bits());
}

#[tokio::test]
async fn when_the_future_is_dropped_the_next_caller_takes_over_before_the_lease_expires() {
    let Some(agent) = fresh_agent() else { return };
    let mut holder = hold(&agent, "key", GetOrSet::new().lease(Duration::from_secs(600))).await;
    holder.shutdown().await;
    assert_eq!(soon(agent.get_or_set("key", async || made("next"))).await.unwrap(), "next");
}

#[tokio::test]
async fn the_wait_ends_with_an_error_while_the_lease_is_renewed() {
    let Some(agent) = fresh_agent() else { return };
    let lease = Duration::from_secs(1);
    let mut holder = hold(&agent, "key", GetOrSet::new().lease(lease)).await;
    let options = GetOrSet::new().wait(2 * lease);
    let error = soon(agent.get_or_set_with("key", options, async || made("stolen"))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    holder.shutdown().await;
}

/// The factory blocks the only thread, so that nothing is renewed and the lease expires.
#[tokio::test(flavor = "current_thread")]
async fn after_a_lost_reservation_the_same_value_is_stored() {
    let Some(agent) = fresh_agent() else { return };
    let factories = AtomicU32::new(0);
    let factory = async || {
        factories.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(5 * LEASE_LEAST);
        made("value")
    };
    let value = agent.get_or_set_with("key", GetOrSet::new().lease(LEASE_LEAST), factory).await.unwrap();
    assert_eq!((value.as_str(), factories.load(Ordering::SeqCst)), ("value", 1));
    let entry = agent.get_entry("key").await.unwrap().unwrap();
    assert!(entry.revision > 2, "reserving and setting take two: it was reserved again");
    assert_eq!(entry.value::<String>().unwrap(), value);
}

#[tokio::test]
async fn a_value_of_another_type_is_refused() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("key", NewEntry::new(&[1])).await.unwrap();
    let error = agent.get_or_set("key", async || made("value")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
}
