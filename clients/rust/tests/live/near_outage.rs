//! Near caches of a daemon that is killed, or whose store is another one.

use std::fs;
use std::time::Duration;

use memoryd::{ErrorKind, NearCache, StaleRead};

use crate::daemon::until;
use crate::own_daemon::OwnDaemon;

const BOUND: Duration = Duration::from_millis(200);

async fn has(cache: &NearCache, expected: i64) -> bool {
    cache.get::<i64>("k").await.is_ok_and(|found| found == Some(expected))
}

async fn during_an_outage(when_stale: StaleRead) {
    let Some(daemon) = OwnDaemon::start().await else { return };
    // time: the calls of this client are to fail.
    let agent = daemon.client().timeout(Duration::from_millis(500)).connect().unwrap().agent("a");
    let writer = daemon.client().connect().unwrap().agent("a");
    writer.set("k", &1).await.unwrap();
    let cache = agent.near_cache().max_staleness(BOUND).when_stale(when_stale).await.unwrap();
    daemon.kill();
    until("the bound passes", async || cache.staleness() > BOUND).await;
    match (cache.get::<i64>("k").await, when_stale) {
        (Err(error), StaleRead::Ask) => {
            assert!(error.is(ErrorKind::Unavailable) || error.is(ErrorKind::DeadlineExceeded), "{error}");
        }
        (Err(error), StaleRead::Refuse) => assert_eq!(error.kind(), ErrorKind::StaleRead),
        (found, _) => assert_eq!((when_stale, found.unwrap()), (StaleRead::Serve, Some(1))),
    }
    daemon.restart().await;
    writer.set("k", &2).await.unwrap();
    until("it has the write of another client", async || has(&cache, 2).await).await;
}

#[tokio::test]
async fn a_cache_asks_the_daemon_during_an_outage_and_recovers() {
    during_an_outage(StaleRead::Ask).await;
}

#[tokio::test]
async fn a_cache_refuses_reads_during_an_outage_and_recovers() {
    during_an_outage(StaleRead::Refuse).await;
}

#[tokio::test]
async fn a_cache_serves_during_an_outage_and_recovers() {
    during_an_outage(StaleRead::Serve).await;
}

#[tokio::test]
async fn a_cache_of_another_store_begins_again() {
    let Some(daemon) = OwnDaemon::start().await else { return };
    let agent = daemon.client().connect().unwrap().agent("a");
    for number in 0..5 {
        agent.set(&format!("k{number}"), &number).await.unwrap();
    }
    let cache = agent.near_cache().await.unwrap();
    daemon.kill();
    fs::remove_dir_all(daemon.data_dir()).unwrap();
    daemon.restart().await;
    for number in 10..13 {
        // From the first read on, although the cache may still have the higher revision of the former store.
        agent.set("k", &number).await.unwrap();
        assert_eq!(cache.get::<i64>("k").await.unwrap(), Some(number));
    }
    until("it has the state of the other store", async || cache.revision() == 3).await;
    assert!(has(&cache, 12).await);
    assert_eq!(cache.entries().keys().await.unwrap(), ["k"]);
}
