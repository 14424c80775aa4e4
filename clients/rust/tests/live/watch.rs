//! Watches.

use std::time::Duration;

use memoryd::v1::event::Subject;
use memoryd::v1::{EventCause, EventType, RecordKind, WatchPhase};
use memoryd::{Client, ErrorKind, Merge, NewEntry, Watch, WatchMessage, counts_by_kind, v1};

use crate::daemon::{client, fresh, fresh_agent, soon};

async fn next(watch: &mut Watch) -> v1::Event {
    soon(watch.next()).await.expect("the watch is open").unwrap()
}

/// Returns the subject of an event about an entry, or `None` for any other.
fn subject_entry(event: &v1::Event) -> Option<&v1::EntryEvent> {
    match &event.subject {
        Some(Subject::Entry(entry)) => Some(entry),
        _ => None,
    }
}

/// Returns the next event about an entry, and its subject.
async fn next_entry(watch: &mut Watch) -> (v1::Event, v1::EntryEvent) {
    loop {
        let event = next(watch).await;
        if let Some(entry) = subject_entry(&event).cloned() {
            return (event, entry);
        }
    }
}

/// Returns the keys of the next entries that have events.
async fn next_keys(watch: &mut Watch, count: usize) -> Vec<String> {
    let mut keys = Vec::new();
    for _ in 0..count {
        keys.push(next_entry(watch).await.1.key);
    }
    keys
}

#[tokio::test]
async fn events_are_yielded_once_and_in_order() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("before", &0).await.unwrap();
    let mut watch = agent.watch().await.unwrap();
    agent.batch().set("a", &1).set("b", &2).set("c", &3).send().await.unwrap();
    agent.set("d", &4).await.unwrap();
    let mut events = Vec::new();
    for _ in 0..4 {
        let (event, entry) = next_entry(&mut watch).await;
        events.push((event.revision, event.index, entry.key));
    }
    let expected = [(2, 0, "a"), (2, 1, "b"), (2, 2, "c"), (3, 0, "d")];
    assert_eq!(events, expected.map(|(revision, index, key)| (revision, index, key.to_owned())));
    assert_eq!((watch.revision(), watch.resumes()), (3, 0));
}

#[tokio::test]
async fn the_initial_state_comes_first_if_requested() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("there", &1).await.unwrap();
    let mut watch = agent.watch().initial_state().await.unwrap();
    agent.set("later", &2).await.unwrap();
    let (event, entry) = next_entry(&mut watch).await;
    assert_eq!((entry.key.as_str(), event.cause()), ("there", EventCause::InitialState));
    let (event, entry) = next_entry(&mut watch).await;
    assert_eq!((entry.key.as_str(), event.cause()), ("later", EventCause::Request));
    assert!(watch.initial_state_complete());
}

#[tokio::test]
async fn messages_have_phases_and_the_first_is_the_opening() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().progress_interval(Duration::from_millis(100)).await.unwrap();
    let mut phases = Vec::new();
    while phases.last() != Some(&WatchPhase::Progress) {
        match soon(watch.next_message()).await.unwrap().unwrap() {
            WatchMessage::Received(response) => phases.push(response.phase()),
            WatchMessage::Restarted => panic!("nothing was interrupted"),
        }
    }
    assert_eq!(phases.first(), Some(&WatchPhase::Opened));
}

#[tokio::test]
async fn a_message_contains_the_events_that_next_has_not_returned() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().await.unwrap();
    agent.batch().set("a", &1).set("b", &2).set("c", &3).send().await.unwrap();
    assert_eq!(next_keys(&mut watch, 1).await, ["a"]);
    let WatchMessage::Received(response) = soon(watch.next_message()).await.unwrap().unwrap() else {
        panic!("nothing was interrupted")
    };
    let keys: Vec<_> = response.events.iter().filter_map(subject_entry).map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["b", "c"]);
    assert_eq!(watch.resume_token(), response.resume_token);
}

#[tokio::test]
async fn a_watch_continues_after_the_last_event_that_was_returned() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().await.unwrap();
    agent.set("a", &1).await.unwrap();
    agent.batch().set("b", &2).set("c", &3).send().await.unwrap();
    assert_eq!(next_keys(&mut watch, 1).await, ["a"]);
    let after_a = watch.resume_token().to_owned();
    assert_eq!(next_keys(&mut watch, 1).await, ["b"]);
    assert_eq!(watch.resume_token(), after_a, "c is still to come");
    drop(watch);
    let mut resumed = agent.watch().resume_token(after_a).await.unwrap();
    assert_eq!(next_keys(&mut resumed, 2).await, ["b", "c"]);
    let mut after_revision = agent.watch().after_revision(1).await.unwrap();
    assert_eq!(next_keys(&mut after_revision, 2).await, ["b", "c"]);
}

#[tokio::test]
async fn only_events_that_match_the_filter_are_yielded() {
    let Some(agent) = fresh_agent() else { return };
    let watch = agent.watch().key_prefix("a").event_types([EventType::EntryRemoved]);
    let mut watch = watch.await.unwrap();
    agent.batch().set("a", &1).set("b", &2).send().await.unwrap();
    agent.batch().remove("a").remove("b").send().await.unwrap();
    agent.set("a", &1).await.unwrap();
    agent.remove("a").await.unwrap();
    for revision in [2, 4] {
        let (event, entry) = next_entry(&mut watch).await;
        assert_eq!((entry.key.as_str(), event.revision), ("a", revision));
        assert_eq!(entry.value_after::<i32>().unwrap(), None, "it was removed");
    }
}

#[tokio::test]
async fn a_watch_without_content_has_keys_and_no_values() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().without_content().previous().await.unwrap();
    agent.set("k", NewEntry::new(&1).tags(["t"])).await.unwrap();
    agent.set("k", &2).await.unwrap();
    next_entry(&mut watch).await;
    let (_, update) = next_entry(&mut watch).await;
    assert_eq!(update.value_after::<i32>().unwrap(), None);
    assert_eq!(update.value_before::<i32>().unwrap(), None);
    let (previous, entry) = (update.previous.unwrap(), update.entry.unwrap());
    assert_eq!((entry.key.as_str(), previous.key.as_str(), previous.tags.len()), ("k", "k", 0));
}

#[tokio::test]
async fn kinds_causes_and_users_are_selected() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("before", &0).await.unwrap();
    let mut scopes = agent.watch().kinds([RecordKind::Scope]).await.unwrap();
    let mut merges = agent.watch().causes([EventCause::Merge]).await.unwrap();
    let mut anns = agent.watch().user_ids(["ann"]).kinds([RecordKind::Entry]).await.unwrap();
    agent.set("bobs", NewEntry::new(&1).user_id("bob")).await.unwrap();
    let task = agent.scope("task").await.unwrap();
    task.set("anns", NewEntry::new(&1).user_id("ann")).await.unwrap();
    task.merge(Merge::Overwrite).await.unwrap();
    for event_type in [EventType::ScopeCreated, EventType::ScopeDisposed] {
        let event = next(&mut scopes).await;
        assert_eq!((event.r#type(), event.kind()), (event_type, RecordKind::Scope));
        assert!(matches!(event.subject, Some(Subject::Scope(scope)) if scope.name == "task"));
    }
    let (_, entry) = next_entry(&mut merges).await;
    assert_eq!((entry.key.as_str(), entry.scope_id.as_str()), ("anns", ""));
    for _ in 0..2 {
        let event = next(&mut anns).await;
        assert_eq!(subject_entry(&event).unwrap().entry.as_ref().unwrap().user_id, "ann");
    }
}

#[tokio::test]
async fn an_event_has_the_values_before_and_after_its_change() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().previous().await.unwrap();
    let first = agent.set("mood", "curious").await.unwrap().revision;
    let second = agent.set("mood", "tired").await.unwrap().revision;
    agent.remove("mood").await.unwrap();
    let expected = [(0, None, Some("curious")), (first, Some("curious"), Some("tired")), (second, Some("tired"), None)];
    for (previous_revision, before, after) in expected {
        let (event, mood) = next_entry(&mut watch).await;
        assert_eq!(event.previous_revision, previous_revision);
        assert_eq!(mood.value_before::<String>().unwrap().as_deref(), before);
        assert_eq!(mood.value_after::<String>().unwrap().as_deref(), after);
    }
}

#[tokio::test]
async fn the_subject_of_an_event_is_matched() {
    let Some(agent) = fresh_agent() else { return };
    let types = [EventType::ScopeCreated, EventType::EntrySet, EventType::EntriesCleared, EventType::AgentEnded];
    let mut watch = agent.watch().event_types(types).await.unwrap();
    let task = agent.scope("task").await.unwrap().keep(); // it ends with the agent
    task.set("k", &1).await.unwrap();
    task.clear().await.unwrap();
    agent.end().await.unwrap();
    for expected in ["scope task", "entry k", "cleared {Entry: 1}", "ended with {Scope: 1}"] {
        let described = match next(&mut watch).await.subject {
            Some(Subject::Scope(scope)) => format!("scope {}", scope.name),
            Some(Subject::Entry(entry)) => format!("entry {}", entry.key),
            Some(Subject::Cleared(cleared)) => format!("cleared {:?}", counts_by_kind(&cleared.cleared)),
            Some(Subject::Agent(agent)) => format!("ended with {:?}", counts_by_kind(&agent.cleared)),
            other => format!("{other:?}"),
        };
        assert_eq!(described, expected);
    }
}

#[tokio::test]
async fn a_scope_is_watched_with_those_below_it_and_nothing_else() {
    let Some(agent) = fresh_agent() else { return };
    let scope = agent.scope("outer").await.unwrap();
    let mut watch = scope.watch().event_types([EventType::EntrySet]).await.unwrap();
    agent.set("root", &1).await.unwrap();
    scope.set("outer", &2).await.unwrap();
    let inner = scope.scope("inner").await.unwrap();
    inner.set("inner", &3).await.unwrap();
    assert_eq!(next_keys(&mut watch, 2).await, ["outer", "inner"]);
    inner.close().await.unwrap();
    scope.close().await.unwrap();
}

#[tokio::test]
async fn many_agents_are_watched_at_once_without_the_callers_own_writes() {
    let Some(client) = client() else { return };
    let writer = Client::builder().origin("other").connect().unwrap();
    let ids = [fresh("agent"), fresh("agent")];
    let filter = v1::EventFilter { agent_ids: ids.to_vec(), ..Default::default() };
    let mut watch = client.watch([filter]).exclude_origin("other").await.unwrap();
    for id in &ids {
        writer.agent(id).set("theirs", &1).await.unwrap();
        client.agent(id).set("ours", &2).await.unwrap();
    }
    for id in &ids {
        let (event, entry) = next_entry(&mut watch).await;
        assert_eq!((&event.agent_id, entry.key.as_str(), event.origin.as_str()), (id, "ours", ""));
    }
}

#[tokio::test]
async fn a_watch_is_closed_from_another_task_without_an_error() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().await.unwrap();
    let closer = watch.closer();
    let listener = tokio::spawn(async move { watch.next().await });
    closer.close();
    assert!(soon(listener).await.unwrap().is_none());
    closer.close();
}

#[tokio::test]
async fn a_refused_watch_does_not_open() {
    let Some(agent) = fresh_agent() else { return };
    let damaged = agent.watch().resume_token("damaged").await.unwrap_err();
    assert_eq!(damaged.kind(), ErrorKind::InvalidResumeToken);
    agent.set("k", &1).await.unwrap();
    let future = agent.watch().after_revision(99).await.unwrap_err();
    assert_eq!(future.kind(), ErrorKind::RevisionInFuture);
}

#[tokio::test]
async fn a_watch_is_a_stream_whose_reads_can_be_dropped() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(1), watch.next()).await.is_err());
    agent.set("k", &1).await.unwrap();
    assert_eq!(next_keys(&mut watch, 1).await, ["k"]);
}
