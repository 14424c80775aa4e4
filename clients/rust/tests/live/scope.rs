//! Scopes, and how they end.

use memoryd::v1::EventType;
use memoryd::{Error, ErrorKind, Merge, Result, Watch, WorkingMemory, v1};

use crate::daemon::{client, fresh, fresh_agent, soon};

/// Waits for the event that the scope was disposed.
async fn disposed(watch: &mut Watch, scope_id: &str) {
    loop {
        let event = soon(watch.next()).await.expect("the watch is open").unwrap();
        if event.r#type() == EventType::ScopeDisposed && event.scope_id == scope_id {
            return;
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
async fn a_dropped_scope_is_disposed_in_the_background() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().await.unwrap();
    let scope = agent.scope("task").await.unwrap();
    let scope_id = scope.scope_id().to_owned();
    drop(scope);
    disposed(&mut watch, &scope_id).await;
}

#[tokio::test]
async fn a_scope_whose_work_is_dropped_is_disposed_in_the_background() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().event_types([EventType::ScopeCreated, EventType::ScopeDisposed]).await.unwrap();
    let working = tokio::spawn({
        let agent = agent.clone();
        async move { agent.with_scope("task", async |_| std::future::pending::<Result<()>>().await).await }
    });
    let created = soon(watch.next()).await.unwrap().unwrap();
    working.abort();
    disposed(&mut watch, &created.scope_id).await;
}

#[tokio::test]
async fn a_scope_whose_creation_is_dropped_is_disposed_in_the_background() {
    let Some(agent) = fresh_agent() else { return };
    let mut watch = agent.watch().await.unwrap();
    let creating = agent.scope("task");
    assert!(tokio::time::timeout(std::time::Duration::ZERO, creating).await.is_err());
    let created = soon(watch.next()).await.unwrap().unwrap();
    assert_eq!(created.r#type(), EventType::ScopeCreated);
    disposed(&mut watch, &created.scope_id).await;
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
