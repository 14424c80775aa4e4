//! Reads under changes of all kinds, expiry, merges, disposals, restores, ends of the agent, and kills of the daemon.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use memoryd::{ErrorKind, NearCache};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::daemon::until;
use crate::history::{History, KEYS, Seen, Writer};
use crate::own_daemon::OwnDaemon;

const CHANGES: usize = 150;
const KILLS: usize = 4;
/// The bound of the caches that are read.
const STALENESS: Duration = Duration::from_millis(300);

/// Reads at random until it is over, and panics at what no state of the agent explains. Returns the number of reads.
async fn read_on(history: &History, cache: &NearCache, staleness: Duration, is_over: &AtomicBool, seed: u64) -> usize {
    let mut chance = StdRng::seed_from_u64(seed);
    let mut count = 0;
    while !is_over.load(Ordering::Relaxed) {
        let scope_id = history.scopes().choose(&mut chance).expect("there is the root").clone();
        let several = if chance.random_bool(0.5) { 3 } else { 1 };
        let keys: Vec<&str> = (0..several).map(|_| KEYS[chance.random_range(0..KEYS.len())]).collect();
        let (floor, begin) =
            (history.floor(Instant::now().checked_sub(staleness).expect("the machine runs longer")), SystemTime::now());
        let seen = seen_in(cache, &scope_id, &keys).await;
        let is_explained = history.explains(floor, &scope_id, &seen, begin, SystemTime::now());
        assert!(is_explained, "no state from {floor} on explains that in {scope_id:?} there is {seen:?}");
        count += 1;
        // The writer runs on the same threads.
        tokio::task::yield_now().await;
    }
    count
}

async fn seen_in<'a>(cache: &NearCache, scope_id: &str, keys: &[&'a str]) -> HashMap<&'a str, Seen> {
    let memory = cache.attach(scope_id);
    let found = match keys {
        [key] => memory
            .get::<i64>(key)
            .await
            .map(|found| found.map(|number| ((*key).to_owned(), number)).into_iter().collect()),
        _ => memory.get_many::<i64>(keys.iter().copied()).await,
    };
    match found {
        Ok(found) => keys
            .iter()
            .map(|&key| (key, found.get(key).map_or(Seen::Nothing, |&number| Seen::Number(number))))
            .collect(),
        Err(error) if matches!(error.kind(), ErrorKind::ScopeDisposed | ErrorKind::RecordNotFound) => {
            keys.iter().map(|&key| (key, Seen::NoScope)).collect()
        }
        Err(error) => panic!("{error}"),
    }
}

async fn play(seed: u64) {
    let Some(daemon) = OwnDaemon::start().await else { return };
    let is_over = AtomicBool::new(false);
    let changes = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let histories = [History::new(), History::new()];
    let [client, other] = [(); 2].map(|()| daemon.client().connect().unwrap());
    // Writes of the reader's own client are promised at once, those of others within the bound.
    let caches = [
        client.agent("own").near_cache().max_staleness(STALENESS).await.unwrap(),
        client.agent("theirs").near_cache().max_staleness(STALENESS).await.unwrap(),
    ];
    let write = async |index: usize, mut writer: Writer<'_>| {
        for _ in 0..CHANGES {
            writer.change().await.unwrap();
            changes[index].fetch_add(1, Ordering::Relaxed);
        }
    };
    let writing = async {
        let own = Writer::new(&histories[0], client.clone(), "own", seed);
        let theirs = Writer::new(&histories[1], other.clone(), "theirs", seed);
        let killing = async {
            for kill in 1..=KILLS {
                let due = kill * CHANGES / (KILLS + 1);
                let is_due = async || changes.iter().all(|changes| changes.load(Ordering::Relaxed) >= due);
                until("there are changes", is_due).await;
                daemon.restart().await;
            }
        };
        tokio::join!(write(0, own), write(1, theirs), killing);
        is_over.store(true, Ordering::Relaxed);
    };
    let ((), own, theirs) = tokio::join!(
        writing,
        read_on(&histories[0], &caches[0], Duration::ZERO, &is_over, seed),
        read_on(&histories[1], &caches[1], STALENESS, &is_over, seed),
    );
    assert!(own > CHANGES && theirs > CHANGES, "there were only {own} and {theirs} reads");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_read_is_older_than_was_promised() {
    for seed in 0..3 {
        play(seed).await;
    }
}
