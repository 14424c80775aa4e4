//! Calls that are sent together.

use std::collections::HashSet;
use std::time::Duration;

use memoryd::{Agent, Client, Condition, ErrorKind, NewEntry, Result, v1};
use tokio::task::JoinSet;

use crate::daemon::{fresh_agent, soon};

/// Returns an agent of a client that batches, and the same of one that does not.
fn agents() -> Option<(Agent, Agent)> {
    let single = fresh_agent()?;
    let client = Client::builder().batching().connect().unwrap();
    Some((client.agent(single.agent_id()), single))
}

/// Returns the results of calls that are made at once, in the order of their indexes.
async fn at_once<T: Send + 'static, F: Future<Output = T> + Send + 'static>(calls: impl Iterator<Item = F>) -> Vec<T> {
    let mut running = JoinSet::new();
    for (index, call) in calls.enumerate() {
        running.spawn(async move { (index, call.await) });
    }
    let mut results = soon(running.join_all()).await;
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

async fn set_each(agent: &Agent, count: usize, text: &str) -> Vec<v1::SetEntryResponse> {
    let set = |index| {
        let (agent, text) = (agent.clone(), format!("{index}{text}"));
        async move { agent.set(&format!("k{index}"), &text).await.unwrap() }
    };
    at_once((0..count).map(set)).await
}

async fn get_each(agent: &Agent, count: usize) -> Vec<String> {
    let get = |index| {
        let agent = agent.clone();
        async move { agent.get(&format!("k{index}")).await.unwrap().unwrap() }
    };
    at_once((0..count).map(get)).await
}

/// Returns the kind, the message and the fields of an error, or how the result is written.
fn outcome<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{:?} {} {:?} {:?}", error.kind(), error.message(), error.fields(), error.metadata()),
    }
}

/// Returns what a set has stored, without what differs between any two calls.
fn stored(result: Result<v1::SetEntryResponse>) -> Result<(bool, Option<v1::Entry>)> {
    let lasting = |entry| v1::Entry {
        revision: 0,
        entry_id: String::new(),
        create_time: None,
        update_time: None,
        expire_time: None,
        last_access_time: None,
        ..entry
    };
    result.map(|response| (response.created, response.entry.map(lasting)))
}

/// Makes calls of all kinds at once, some of which are refused.
async fn outcomes(agent: &Agent) -> Vec<String> {
    agent.batch().set("before", &0).set("kept", &1).send().await.unwrap();
    let scope = agent.scope("task").await.unwrap();
    let gone = agent.scope("gone").await.unwrap();
    let gone_id = gone.scope_id().to_owned();
    gone.close().await.unwrap();
    let gone = agent.attach(&gone_id);
    let rich = NewEntry::new(&[1]).tags(["t"]).type_name("T").user_id("ann").ttl(Duration::from_secs(3_600));
    let large = "v".repeat(2 << 20);
    let written = tokio::join!(
        async { outcome(stored(agent.set("k", &1).await)) },
        async { outcome(stored(agent.set("k", rich).await)) },
        async { outcome(stored(agent.set("", &1).await)) },
        async { outcome(stored(agent.set("large", &large).await)) },
        async { outcome(stored(agent.set("importance", NewEntry::new(&1).importance(2.0)).await)) },
        async { outcome(stored(agent.set("new", NewEntry::new(&3).must_not_exist()).await)) },
        async { outcome(stored(scope.set("s", &1).await)) },
        async { outcome(stored(gone.set("s", &1).await)) },
        async { outcome(agent.remove("before").await) },
        async { outcome(agent.remove("none").await) },
        async { outcome(agent.remove("").await) },
        async { outcome(agent.remove_if("never", Condition::MustExist).await) },
    );
    let read = tokio::join!(
        async { outcome(agent.get::<i64>("none").await) },
        async { outcome(agent.get::<i64>("kept").await) },
        async { outcome(agent.get::<String>("kept").await) },
        async { outcome(agent.get::<i64>(" ").await) },
        async { outcome(scope.get::<i64>("kept").await) },
        async { outcome(scope.local_only().get::<i64>("kept").await) },
        async { outcome(scope.get::<i64>("s").await) },
        async { outcome(gone.get::<i64>("kept").await) },
        async { outcome(agent.contains("k").await) },
        async { format!("{:?}", agent.with_min_revision(1_000_000).get::<i64>("k").await.unwrap_err().kind()) },
    );
    agent.update("counter", |value: Option<i64>| value.unwrap_or(0) + 1).await.unwrap();
    let all = format!("{written:#?}\n{read:#?}")
        .replace(&gone_id, "gone")
        .replace(scope.scope_id(), "scope")
        .replace(agent.agent_id(), "agent");
    scope.close().await.unwrap();
    all.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn each_call_has_the_result_and_the_error_that_it_has_by_itself() {
    let Some(other) = fresh_agent() else { return };
    let Some((batching, _)) = agents() else { return };
    assert_eq!(outcomes(&batching).await, outcomes(&other).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_tasks_travel_together() {
    let Some((agent, single)) = agents() else { return };
    let written = set_each(&agent, 64, "").await;
    let revisions: HashSet<i64> = written.iter().map(|response| response.revision).collect();
    assert!(revisions.len() < 64, "each write has a revision of its own");
    assert_eq!(written[7].entry.as_ref().unwrap().key, "k7");
    assert_eq!(get_each(&agent, 64).await, (0..64).map(|index| index.to_string()).collect::<Vec<_>>());
    assert_eq!(single.get_entry("k7").await.unwrap().unwrap().revision, written[7].revision);
}

#[tokio::test]
async fn calls_of_one_turn_are_one_commit() {
    let Some((agent, _)) = agents() else { return };
    let (one, other, removed) = tokio::join!(agent.set("a", &1), agent.set("b", &2), agent.remove("c"));
    assert_eq!((one.unwrap().revision, other.unwrap().revision, removed.unwrap()), (1, 1, false));
}

#[tokio::test]
async fn a_read_finds_the_writes_that_were_called_before_it() {
    let Some((agent, _)) = agents() else { return };
    let scope = agent.scope("task").await.unwrap();
    for turn in 1..=20 {
        let (first, read, second, again, is_there, many) = tokio::join!(
            agent.set("k", &turn),
            scope.get::<i64>("k"),
            async { agent.set("k", &-turn).await },
            agent.get::<i64>("k"),
            agent.contains("k"),
            agent.get_many::<i64>(["k"]),
        );
        first.and(second).unwrap();
        assert_eq!((read.unwrap(), again.unwrap(), is_there.unwrap()), (Some(turn), Some(-turn), true));
        assert_eq!(many.unwrap()["k"], -turn);
        let (set, cleared) = tokio::join!(agent.set("k", "cleared"), agent.clear());
        set.unwrap();
        assert_eq!(cleared.unwrap(), 1);
        assert_eq!(agent.get::<String>("k").await.unwrap(), None);
    }
    scope.close().await.unwrap();
}

#[tokio::test]
async fn more_calls_than_a_batch_has_are_sent_as_several() {
    let Some((agent, single)) = agents() else { return };
    set_each(&agent, 2_500, "").await;
    assert_eq!(get_each(&agent, 2_500).await[2_499], "2499");
    let large = "v".repeat(400_000);
    set_each(&agent, 20, &large).await;
    assert!(get_each(&agent, 20).await.iter().all(|text| text.ends_with(&large)));
    assert_eq!(single.get_many::<String>(["k0", "k2499"]).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_near_cache_has_each_write_that_was_batched() {
    let Some((agent, _)) = agents() else { return };
    let cache = agent.near_cache().await.unwrap();
    for turn in 0..20 {
        let (one, other) = tokio::join!(agent.set("a", &turn), agent.set("b", &turn));
        one.and(other).unwrap();
        let found = cache.get_many::<i64>(["a", "b"]).await.unwrap();
        assert_eq!(found.into_values().collect::<Vec<_>>(), [turn, turn]);
    }
}

#[tokio::test]
async fn calls_travel_together_within_a_window_of_time() {
    let Some(single) = fresh_agent() else { return };
    let window = Duration::from_millis(500);
    let client = Client::builder().batching_within(window).connect().unwrap();
    let agent = client.agent(single.agent_id());
    let later = async {
        tokio::task::yield_now().await;
        agent.set("b", &2).await
    };
    let (one, other) = tokio::join!(agent.set("a", &1), later);
    assert_eq!(one.unwrap().revision, other.unwrap().revision);
    let error = Client::builder().batching_within(Duration::from_secs(60)).connect().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[tokio::test]
async fn a_call_that_is_dropped_is_not_sent() {
    let Some((agent, single)) = agents() else { return };
    {
        let mut dropped = Box::pin(agent.set("dropped", &1));
        assert!(
            std::future::poll_fn(|context| std::task::Poll::Ready(dropped.as_mut().poll(context).is_pending())).await
        );
    }
    agent.set("k", &1).await.unwrap();
    assert!(!single.contains("dropped").await.unwrap());
}
