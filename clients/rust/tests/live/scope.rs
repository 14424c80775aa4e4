//! Scopes, and how they end.

use std::time::Duration;

use memoryd::v1::EventType;
use memoryd::v1::event::Subject;
use memoryd::{Condition, Error, ErrorKind, Merge, NewScope, Result, Watch, WorkingMemory, v1};

use crate::daemon::{client, fresh, fresh_agent, soon, until};

/// Waits for an event of this type about a scope, and returns the id of the scope.
async fn next_scope(watch: &mut Watch, event_type: EventType) -> String {
    loop {
        let event = soon(watch.next()).await.expect("the watch is open").unwrap();
        match &event.subject {
            Some(Subject::Scope(scope)) if event.r#type() == event_type => return scope.scope_id.clone(),
            _ => {}
        }
    }
}

#[tokio::test]
async fn reads_fall_back_and_writes_stay_inside() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("user", "Ada").await.unwrap();
    agent.set("visits", &3).await.unwrap();
    let scope = agent.scope("task").await.unwrap();
    scope.set("user", "Charles").await.unwrap();
    assert_eq!(scope.get::<String>("user").await.unwrap().as_deref(), Some("Charles"));
    assert_eq!(scope.get("visits").await.unwrap(), Some(3));
    assert_eq!(scope.local_only().get::<i32>("visits").await.unwrap(), None);
    assert!(!scope.local_only().contains("visits").await.unwrap());
    assert_eq!(agent.get::<String>("user").await.unwrap().as_deref(), Some("Ada"));
    assert_eq!(scope.close().await.unwrap(), 1);
}

#[tokio::test]
async fn an_update_in_a_scope_changes_only_its_own_value() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("count", &10).await.unwrap();
    let scope = agent.scope("task").await.unwrap();
    assert_eq!(scope.update("count", |count: Option<i32>| count.unwrap_or(0) + 1).await.unwrap(), 1);
    scope.close().await.unwrap();
    assert_eq!(agent.get("count").await.unwrap(), Some(10));
}

#[tokio::test]
async fn a_closed_scope_is_disposed_and_closing_it_again_is_not_an_error() {
    let Some(agent) = fresh_agent() else { return };
    let scope = agent.scope("task").await.unwrap();
    let again = agent.attach(scope.scope_id());
    scope.close().await.unwrap();
    let error = again.set("k", &1).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ScopeDisposed);
    assert!(error.is(ErrorKind::FailedPrecondition));
    assert_eq!(again.close().await.unwrap(), 0);
}

#[tokio::test]
async fn with_scope_disposes_the_scope_and_returns_the_result_of_the_work() {
    let Some(agent) = fresh_agent() else { return };
    let scope_id: String = agent
        .with_scope("task", async |task| {
            task.set("k", &1).await?;
            Ok::<_, Error>(task.scope_id().to_owned())
        })
        .await
        .unwrap();
    assert_eq!(agent.attach(scope_id).contains("k").await.unwrap_err().kind(), ErrorKind::ScopeDisposed);
    assert!(!agent.contains("k").await.unwrap());
}

#[derive(Debug)]
enum WorkError {
    Client(Error),
    Tired(String),
}

impl From<Error> for WorkError {
    fn from(error: Error) -> Self {
        Self::Client(error)
    }
}

#[tokio::test]
async fn a_scope_whose_work_fails_is_disposed_without_a_merge() {
    let Some(agent) = fresh_agent() else { return };
    let outcome = agent
        .with_merged_scope("task", Merge::Overwrite, async |task| {
            task.set("k", &1).await?;
            Err::<(), _>(WorkError::Tired(task.scope_id().to_owned()))
        })
        .await;
    let scope_id = match outcome.unwrap_err() {
        WorkError::Tired(scope_id) => scope_id,
        WorkError::Client(error) => panic!("{error}"),
    };
    assert_eq!(agent.attach(scope_id).contains("k").await.unwrap_err().kind(), ErrorKind::ScopeDisposed);
    assert!(!agent.contains("k").await.unwrap());
}

#[tokio::test]
async fn a_merge_overwrites_or_keeps_the_parents_values() {
    let Some(agent) = fresh_agent() else { return };
    for (merge, expected) in [(Merge::KeepParent, "parent"), (Merge::Overwrite, "scope")] {
        agent.set("both", "parent").await.unwrap();
        let work = async |task: WorkingMemory| task.batch().set("both", "scope").set("own", &1).send().await;
        agent.with_merged_scope("task", merge, work).await.unwrap();
        assert_eq!(agent.get::<String>("both").await.unwrap().as_deref(), Some(expected));
        assert_eq!(agent.get("own").await.unwrap(), Some(1));
    }
}

#[tokio::test]
async fn a_merge_that_keeps_the_scope_only_copies() {
    let Some(agent) = fresh_agent() else { return };
    let scope = agent.scope("task").await.unwrap();
    scope.set("k", &1).await.unwrap();
    assert_eq!(scope.merge_and_keep(Merge::Overwrite).await.unwrap(), 1);
    scope.set("k", &2).await.unwrap();
    assert_eq!(agent.get::<u64>("k").await.unwrap(), Some(1));
    let mut tx = agent.transaction();
    tx.attach(scope.scope_id()).merge_and_keep(Merge::Overwrite);
    tx.commit().await.unwrap();
    assert_eq!(agent.get::<u64>("k").await.unwrap(), Some(2));
    let revision = scope.set("k", &3).await.unwrap().revision;
    let condition = Condition::ExpectedRevision(revision);
    assert_eq!(scope.merge_and_keep_if(Merge::Overwrite, condition).await.unwrap(), 1);
    assert!(scope.merge_and_keep_if(Merge::Overwrite, condition).await.is_err());
    assert_eq!(scope.merge(Merge::Overwrite).await.unwrap(), 1);
}

#[tokio::test]
async fn a_dropped_scope_is_disposed_in_the_background() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().await.unwrap();
    let scope = agent.scope("task").await.unwrap();
    let scope_id = scope.scope_id().to_owned();
    drop(scope);
    assert_eq!(next_scope(&mut watch, EventType::ScopeDisposed).await, scope_id);
}

#[tokio::test]
async fn a_scope_whose_work_is_dropped_is_disposed_in_the_background() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().event_types([EventType::ScopeCreated, EventType::ScopeDisposed]).await.unwrap();
    let working = tokio::spawn({
        let agent = agent.clone();
        async move { agent.with_scope("task", async |_| std::future::pending::<Result<()>>().await).await }
    });
    let created = next_scope(&mut watch, EventType::ScopeCreated).await;
    working.abort();
    assert_eq!(next_scope(&mut watch, EventType::ScopeDisposed).await, created);
}

#[tokio::test]
async fn a_scope_whose_creation_is_dropped_is_disposed_in_the_background() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().await.unwrap();
    let creating = agent.scope("task");
    assert!(tokio::time::timeout(std::time::Duration::ZERO, creating).await.is_err());
    let created = next_scope(&mut watch, EventType::ScopeCreated).await;
    assert_eq!(next_scope(&mut watch, EventType::ScopeDisposed).await, created);
}

#[tokio::test]
async fn a_kept_or_attached_scope_outlives_its_guard() {
    let Some(agent) = fresh_agent() else { return };
    let scope_id = {
        let scope = agent.scope("task").await.unwrap().keep();
        agent.attach(scope.scope_id()).set("k", &1).await.unwrap();
        scope.scope_id().to_owned()
    };
    assert_eq!(agent.attach(scope_id).get("k").await.unwrap(), Some(1));
}

#[tokio::test]
async fn a_scope_has_the_user_it_is_about_and_a_name_that_must_not_exist() {
    let Some(client) = client() else { return };
    let agent = client.agent(fresh("agent"));
    let scope = agent.scope(NewScope::new("task").user_id("ann").must_not_exist()).await.unwrap();
    let error = agent.scope(NewScope::new("task").must_not_exist()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RecordExists);
    scope.set("k", &1).await.unwrap();
    let request = v1::GetScopeRequest {
        agent_id: agent.agent_id().into(),
        scope_id: scope.scope_id().into(),
        ..Default::default()
    };
    let info = client.call(request).await.unwrap().scope.unwrap();
    assert_eq!((info.user_id.as_str(), info.entry_count, info.revision), ("ann", 1, 1));
    scope.close().await.unwrap();
}

#[tokio::test]
async fn a_scope_with_an_idle_time_is_used_for_as_long_as_it_is_held() {
    let Some(agent) = fresh_agent() else { return };
    let client = client().unwrap();
    let expiry = async |scope_id: &str| {
        // A listing is no use of a scope.
        let listing = v1::ListScopesRequest { agent_id: agent.agent_id().to_owned(), ..Default::default() };
        let listed = client.call(listing).await.unwrap().scopes;
        listed.into_iter().find(|scope| scope.scope_id == scope_id).and_then(|scope| scope.expire_time)
    };
    let idle = |name: &str, ms| NewScope::new(name).idle_ttl(Duration::from_millis(ms));
    let held = agent.scope(idle("held", 1_500)).await.unwrap();
    let first = expiry(held.scope_id()).await.unwrap();
    let mut tx = agent.transaction();
    let made = tx.create_scope(idle("not held", 1_000));
    let other = tx.commit().await.unwrap().get(&made).scope_id;
    until("the other one expires", async || expiry(&other).await.is_none()).await;
    let last = expiry(held.scope_id()).await.expect("it is kept");
    assert!((last.seconds, last.nanos) > (first.seconds, first.nanos));
    held.close().await.unwrap();
}

#[tokio::test]
async fn a_scope_whose_name_must_exist_follows_another_one() {
    let Some(agent) = fresh_agent() else { return };
    let missing = agent.scope(NewScope::new("task").must_exist()).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::RecordNotFound);
    let first = agent.scope(NewScope::new("task").expected_revision(0)).await.unwrap();
    let mismatch = agent.scope(NewScope::new("task").expected_revision(0)).await.unwrap_err();
    assert_eq!(mismatch.kind(), ErrorKind::RevisionMismatch);
    let second = agent.scope(NewScope::new("task").must_exist()).await.unwrap();
    second.close().await.unwrap();
    first.close().await.unwrap();
}

#[tokio::test]
async fn a_condition_on_the_agent_that_is_not_met_keeps_the_scope() {
    let Some(agent) = fresh_agent() else { return };
    let scope = agent.scope("task").await.unwrap();
    let id = scope.scope_id().to_owned();
    let current = Condition::ExpectedRevision(scope.set("k", &1).await.unwrap().revision);
    let other = Condition::ExpectedRevision(99);
    let refused = scope.merge_if(Merge::Overwrite, other).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::RevisionMismatch);
    let refused = agent.attach(&id).close_if(other).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::RevisionMismatch);
    assert_eq!(agent.attach(&id).merge_if(Merge::Overwrite, current).await.unwrap(), 1);
    let next = agent.scope("task").await.unwrap();
    next.set("k", &1).await.unwrap();
    assert_eq!(next.close_if(Condition::MustExist).await.unwrap(), 1);
}

#[tokio::test]
async fn scopes_are_nested_and_end_with_their_parent() {
    let Some(client) = client() else { return };
    let agent = client.agent(fresh("agent"));
    let outer = agent.scope("outer").await.unwrap();
    let inner = outer.scope("inner").await.unwrap().keep();
    outer.set("k", &1).await.unwrap();
    assert_eq!(inner.get("k").await.unwrap(), Some(1));
    let request = v1::GetScopeRequest {
        agent_id: agent.agent_id().into(),
        scope_id: inner.scope_id().into(),
        ..Default::default()
    };
    let info = client.call(request).await.unwrap().scope.unwrap();
    assert_eq!((info.name.as_str(), info.parent_scope_id.as_str()), ("inner", outer.scope_id()));
    outer.close().await.unwrap();
    assert_eq!(inner.get::<i32>("k").await.unwrap_err().kind(), ErrorKind::ScopeDisposed);
}

#[tokio::test]
async fn a_scope_that_ended_with_its_agent_is_closed_without_an_error() {
    let Some(agent) = fresh_agent() else { return };
    let scope = agent.scope("task").await.unwrap();
    scope.set("k", &1).await.unwrap();
    agent.end().await.unwrap();
    assert_eq!(scope.close().await.unwrap(), 0);
}
