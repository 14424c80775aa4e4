//! Near caches of one daemon.

use std::collections::BTreeMap;
use std::time::Duration;

use memoryd::{Agent, Client, ErrorKind, NearCache, NearMemory, StaleRead, v1};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::daemon::{client, fresh, fresh_agent, until};
use crate::own_daemon::free_address;

/// Returns the number under a key, or `None`.
async fn number(memory: &NearMemory, key: &str) -> Option<i64> {
    memory.get(key).await.unwrap()
}

async fn numbers(memory: &NearMemory, keys: &[&str]) -> Vec<(String, i64)> {
    memory.get_many::<i64>(keys.iter().copied()).await.unwrap().into_iter().collect()
}

fn pairs<const N: usize>(expected: [(&str, i64); N]) -> Vec<(String, i64)> {
    expected.map(|(key, number)| (key.to_owned(), number)).into()
}

async fn keys(memory: &NearMemory) -> Vec<String> {
    memory.entries().keys().await.unwrap()
}

async fn note_ids(cache: &NearCache) -> Vec<String> {
    cache.notes().await.unwrap().into_iter().map(|note| note.note_id).collect()
}

async fn write_note(agent: &Agent, note_id: &str) {
    agent.notes().create("Title", "Text").note_id(note_id).await.unwrap();
}

#[tokio::test]
async fn reads_are_those_of_the_daemon_and_have_each_write_of_the_client() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("before", &json!({"name": "Ada"})).await.unwrap();
    let cache = agent.near_cache().await.unwrap();
    assert_eq!(cache.get::<Value>("before").await.unwrap(), Some(json!({"name": "Ada"})));
    agent.set("k", &1).await.unwrap();
    assert_eq!((number(&cache, "k").await, number(&cache, "none").await), (Some(1), None));
    assert!(cache.contains("k").await.unwrap() && !cache.contains("none").await.unwrap());
    assert_eq!(cache.get_entry("k").await.unwrap(), agent.get_entry("k").await.unwrap());
    let mut tx = agent.transaction();
    tx.set("k", &2);
    let draft =
        v1::NoteDraft { note_id: "n".into(), title: "Title".into(), content: "Text".into(), ..Default::default() };
    tx.write(v1::CreateNoteRequest { draft: Some(draft), ..Default::default() });
    tx.commit().await.unwrap();
    assert_eq!(numbers(&cache, &["k", "none"]).await, pairs([("k", 2)]));
    assert_eq!(cache.note("n").await.unwrap(), Some(agent.notes().get("n").await.unwrap()));
    assert_eq!(note_ids(&cache).await, ["n"]);
    assert_eq!(cache.get::<String>("k").await.unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(cache.get::<Box<RawValue>>("k").await.unwrap().unwrap().get(), "2");
    agent.remove("k").await.unwrap();
    assert_eq!(number(&cache, "k").await, None);
    assert_eq!(keys(&cache).await, ["before"]);
    let request = v1::SetEntryRequest {
        agent_id: agent.agent_id().to_owned(),
        key: "k".into(),
        content: Some(v1::set_entry_request::Content::ValueJson("3".into())),
        ..Default::default()
    };
    let stored = client().unwrap().agent(agent.agent_id()).set("other", &0).await.unwrap().revision;
    until("the write of another client arrives", async || cache.revision() >= stored).await;
    assert_eq!(number(&cache, "other").await, Some(0));
    let own = Client::connect().unwrap();
    let cache = own.agent(agent.agent_id()).near_cache().await.unwrap();
    let revision = own.call(request).await.unwrap().revision;
    assert_eq!((cache.revision(), number(&cache, "k").await), (revision, Some(3)));
    own.agent(agent.agent_id()).end().await.unwrap();
    assert_eq!(
        (cache.get::<Value>("before").await.unwrap(), note_ids(&cache).await, cache.size_bytes()),
        (None, vec![], 0)
    );
}

#[tokio::test]
async fn a_restore_is_seen_by_the_caches_of_its_client() {
    let Some(agent) = fresh_agent() else { return };
    let client = Client::connect().unwrap();
    let agent = client.agent(agent.agent_id());
    agent.set("k", &1).await.unwrap();
    let cache = agent.near_cache().await.unwrap();
    let agent_id = agent.agent_id().to_owned();
    let saved = v1::CreateSnapshotRequest { agent_id: agent_id.clone(), ..Default::default() };
    let snapshot_id = client.call(saved).await.unwrap().snapshot.unwrap().snapshot_id;
    agent.set("k", &2).await.unwrap();
    client.call(v1::RestoreSnapshotRequest { agent_id, snapshot_id, ..Default::default() }).await.unwrap();
    assert_eq!(number(&cache, "k").await, Some(1));
}

#[tokio::test]
async fn a_scope_falls_back_to_its_parents() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("root", &0).await.unwrap();
    let cache = agent.near_cache().await.unwrap();
    let task = agent.scope("task").await.unwrap();
    let step = task.scope("step").await.unwrap();
    task.set("task", &1).await.unwrap();
    step.set("step", &2).await.unwrap();
    let memory = cache.attach(step.scope_id());
    assert_eq!(numbers(&memory, &["root", "task", "step"]).await, pairs([("root", 0), ("step", 2), ("task", 1)]));
    assert_eq!(number(&memory.local_only(), "root").await, None);
    assert_eq!(keys(&memory).await, ["step"]);
    assert_eq!(memory.entries().inherited().keys().await.unwrap(), ["root", "step", "task"]);
    assert_eq!(memory.entries().inherited().key_prefix("t").await.unwrap()[0].key, "task");
    step.set("root", &3).await.unwrap();
    assert_eq!((number(&memory, "root").await, number(&cache, "root").await), (Some(3), Some(0)));
    task.close().await.unwrap();
    assert_eq!(memory.get::<i64>("root").await.unwrap_err().kind(), ErrorKind::ScopeDisposed);
    step.close().await.unwrap();
}

#[tokio::test]
async fn a_cache_of_a_scope_holds_it_and_what_it_inherits() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("root", &0).await.unwrap();
    let outer = agent.scope("outer").await.unwrap();
    let beside = agent.scope("beside").await.unwrap();
    let scope = outer.scope("task").await.unwrap();
    let cache = agent.near_cache().in_scope(scope.scope_id()).without_notes().await.unwrap();
    outer.set("outer", &1).await.unwrap();
    let below = scope.scope("step").await.unwrap();
    below.set("k", &2).await.unwrap();
    let held = cache.size_bytes();
    beside.set("k", &3).await.unwrap();
    let memory = cache.attach(scope.scope_id());
    assert_eq!(numbers(&memory, &["root", "outer"]).await, pairs([("outer", 1), ("root", 0)]));
    assert_eq!(number(&cache.attach(below.scope_id()), "k").await, Some(2));
    assert_eq!(number(&cache.attach(beside.scope_id()), "k").await, Some(3));
    assert_eq!(cache.size_bytes(), held);
    for scope in [below, scope, outer, beside] {
        scope.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_cache_holds_the_keys_with_its_prefix_and_reads_others_from_the_daemon() {
    let Some(agent) = fresh_agent() else { return };
    let cache = agent.near_cache().key_prefix("a:").without_notes().max_staleness(None).await.unwrap();
    agent.set("a:1", &1).await.unwrap();
    let held = cache.size_bytes();
    agent.set("b:1", &2).await.unwrap();
    write_note(&agent, "n").await;
    assert!(held > 0 && cache.size_bytes() == held);
    assert_eq!(numbers(&cache, &["a:1", "b:1"]).await, pairs([("a:1", 1), ("b:1", 2)]));
    assert_eq!((number(&cache, "a:1").await, number(&cache, "b:1").await), (Some(1), Some(2)));
    assert!(cache.contains("b:1").await.unwrap() && cache.get_entry("b:1").await.unwrap().is_some());
    for (prefix, expected) in [("a:", vec!["a:1"]), ("b:", vec!["b:1"]), ("", vec!["a:1", "b:1"])] {
        assert_eq!(cache.entries().key_prefix(prefix).keys().await.unwrap(), expected);
        let entries = cache.entries().key_prefix(prefix).await.unwrap();
        assert_eq!(entries.into_iter().map(|entry| entry.key).collect::<Vec<_>>(), expected);
    }
    assert_eq!(cache.note("n").await.unwrap().unwrap().title, "Title");
    assert_eq!(cache.note("none").await.unwrap(), None);
    assert_eq!(note_ids(&cache).await, ["n"]);
}

#[tokio::test]
async fn records_that_are_listed_are_those_of_the_bound_user() {
    let Some(agent) = fresh_agent() else { return };
    let ada = agent.user("ada");
    let closed = ada.near_cache().await.unwrap();
    closed.close();
    let caches = [
        (agent.near_cache().await.unwrap(), "0"),
        (ada.near_cache().await.unwrap(), "1"),
        (closed, "1"), // asks the daemon
    ];
    write_note(&agent, "0").await;
    write_note(&ada, "1").await;
    agent.set("0", "of nobody").await.unwrap();
    ada.set("1", "of Ada").await.unwrap();
    for (cache, expected) in caches {
        assert_eq!(note_ids(&cache).await, [expected]);
        assert_eq!(keys(&cache).await, [expected]);
        assert_eq!(cache.get::<String>("1").await.unwrap().as_deref(), Some("of Ada"));
    }
}

#[tokio::test]
async fn the_memory_of_a_cache_is_bounded() {
    let Some(agent) = fresh_agent() else { return };
    let text = "v".repeat(10_000);
    agent.set("k", &text).await.unwrap();
    let error = agent.near_cache().max_bytes(10_000).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CacheFull);
    let cache = agent.near_cache().max_bytes(20_000).await.unwrap();
    let refusing = agent.near_cache().max_bytes(20_000).when_stale(StaleRead::Refuse).await.unwrap();
    agent.set("other", &text).await.unwrap();
    assert_eq!(cache.get::<String>("other").await.unwrap().as_ref(), Some(&text));
    until("they forget their records", async || cache.size_bytes() + refusing.size_bytes() == 0).await;
    assert_eq!(cache.get::<String>("k").await.unwrap().as_ref(), Some(&text));
    assert_eq!(cache.failure().unwrap().kind(), ErrorKind::CacheFull);
    until("the other one has failed, too", async || {
        let error = refusing.get::<String>("k").await.unwrap_err();
        error.kind() == ErrorKind::StaleRead && error.message().contains("20000 bytes")
    })
    .await;
}

#[tokio::test]
async fn a_closed_cache_asks_the_daemon() {
    let Some(agent) = fresh_agent() else { return };
    let cache = agent.near_cache().await.unwrap();
    agent.set("k", &1).await.unwrap();
    cache.close();
    agent.set("k", &2).await.unwrap();
    assert_eq!((number(&cache, "k").await, cache.staleness()), (Some(2), Duration::MAX));
}

#[tokio::test]
async fn a_cache_that_cannot_be_opened_returns_its_error() {
    let nobody = Client::builder().target(free_address()).connect_timeout(Duration::from_millis(100));
    let nobody = nobody.connect().unwrap().agent("a");
    assert_eq!(nobody.near_cache().await.unwrap_err().kind(), ErrorKind::Unavailable);
    for builder in [nobody.near_cache().max_staleness(Duration::from_millis(10)), nobody.near_cache().max_bytes(0)] {
        assert_eq!(builder.await.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
    let Some(agent) = fresh_agent() else { return };
    assert_eq!(agent.near_cache().in_scope("none").await.unwrap_err().kind(), ErrorKind::RecordNotFound);
}

#[tokio::test]
async fn writes_of_others_arrive_and_the_staleness_is_bounded() {
    let Some(other) = fresh_agent() else { return };
    let agent = Client::connect().unwrap().agent(other.agent_id());
    let cache = agent.near_cache().max_staleness(Duration::from_millis(100)).await.unwrap();
    other.set("k", &1).await.unwrap();
    until("it has the write of another client", async || number(&cache, "k").await == Some(1)).await;
    other.memories().remember("No event of the cache reports this.").await.unwrap();
    let before = cache.staleness();
    until("it finds out how current it is", async || cache.staleness() < before).await;
}

#[tokio::test]
async fn a_cache_is_shared_by_tasks_and_ends_with_the_last_of_them() {
    let Some(agent) = fresh_agent() else { return };
    let name = fresh("k");
    agent.set(&name, &7).await.unwrap();
    let cache = agent.near_cache().await.unwrap();
    let memory = cache.attach("");
    let read = tokio::spawn(async move { memory.get::<i64>(&name).await });
    drop(cache);
    assert_eq!(read.await.unwrap().unwrap(), Some(7));
    let values: BTreeMap<String, i64> = agent.near_cache().await.unwrap().get_many(["none"]).await.unwrap();
    assert!(values.is_empty());
}
