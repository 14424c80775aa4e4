//! Transactions: changes of all kinds that are made as one.

use memoryd::{Condition, ErrorKind, Merge, NewEntry, v1};

use crate::daemon::{client, fresh, fresh_agent};

fn note(title: &str) -> v1::CreateNoteRequest {
    let draft = v1::NoteDraft { title: title.into(), content: "Text".into(), ..Default::default() };
    v1::CreateNoteRequest { draft: Some(draft), ..Default::default() }
}

#[tokio::test]
async fn changes_of_all_kinds_are_made_at_one_revision() {
    let Some(agent) = fresh_agent() else { return };
    let mut tx = agent.transaction();
    let stored = tx.set("status", NewEntry::new("moved").tags(["user"]));
    let noted = tx.write(note("Ada"));
    let draft = v1::MemoryDraft { content: "Ada moved".into(), user_id: "ada".into(), ..Default::default() };
    let remembered = tx.write(v1::CreateMemoryRequest { draft: Some(draft), ..Default::default() });
    let scope = tx.create_scope("task");
    let removed = tx.remove("nothing");
    let done = tx.commit().await.unwrap();
    assert_eq!(done.revision(), 1);
    assert!(done.get(&stored).created);
    assert_eq!(done.get(&noted).note.unwrap().revision, 1);
    assert!(done.get(&remembered).created);
    assert!(!done.get(&removed));
    assert_eq!(agent.get::<String>("status").await.unwrap().as_deref(), Some("moved"));
    agent.attach(done.get(&scope).scope_id).set("k", &1).await.unwrap();
}

#[tokio::test]
async fn later_changes_find_what_earlier_ones_left() {
    let Some(agent) = fresh_agent() else { return };
    let mut tx = agent.transaction();
    tx.set("k", NewEntry::new(&1).must_not_exist());
    let (found, made) = (tx.get_or_set("k", &2), tx.get_or_set("other", &2));
    let removed = tx.remove_if("k", Condition::MustExist);
    let cleared = tx.clear();
    let done = tx.commit().await.unwrap();
    assert_eq!((done.get(&found), done.get(&made)), (false, true));
    assert_eq!((done.get(&removed), done.get(&cleared)), (true, 1));
}

#[tokio::test]
async fn a_local_get_or_set_does_not_find_what_the_parents_have() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("k", &1).await.unwrap();
    let scope = agent.scope("task").await.unwrap();
    let mut tx = agent.transaction();
    let inherited = tx.attach(scope.scope_id()).get_or_set("k", &2);
    let local = tx.attach(scope.scope_id()).get_or_set_local("k", &2);
    let again = tx.attach(scope.scope_id()).get_or_set_local("k", &3);
    let done = tx.commit().await.unwrap();
    assert_eq!((done.get(&inherited), done.get(&local), done.get(&again)), (false, true, false));
    assert_eq!((scope.get("k").await.unwrap(), agent.get("k").await.unwrap()), (Some(2), Some(1)));
    scope.close().await.unwrap();
}

#[tokio::test]
async fn scopes_are_changed_merged_and_closed() {
    let Some(agent) = fresh_agent() else { return };
    let (one, other) = (agent.scope("one").await.unwrap().keep(), agent.scope("other").await.unwrap().keep());
    other.set("left", &1).await.unwrap();
    let mut tx = agent.transaction();
    tx.attach(one.scope_id()).set("found", &42);
    let merged = tx.attach(one.scope_id()).merge(Merge::Overwrite);
    let closed = tx.attach(other.scope_id()).close();
    let done = tx.commit().await.unwrap();
    assert_eq!((done.get(&merged), done.get(&closed)), (1, 1));
    assert_eq!(agent.get("found").await.unwrap(), Some(42));
    assert_eq!(one.set("k", &1).await.unwrap_err().kind(), ErrorKind::ScopeDisposed);
}

#[tokio::test]
async fn a_refused_change_refuses_all_and_is_named() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("k", &1).await.unwrap();
    let mut tx = agent.transaction();
    tx.set("other", &1);
    tx.write(note("Ada"));
    let refused = tx.set("k", NewEntry::new(&2).must_not_exist());
    let error = tx.commit().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RecordExists);
    assert_eq!(error.write_index(), Some(refused.index()));
    assert_eq!(agent.get::<i32>("other").await.unwrap(), None);
    assert_eq!(agent.get("k").await.unwrap(), Some(1));
}

#[tokio::test]
async fn an_invalid_field_is_named_with_its_write() {
    let Some(agent) = fresh_agent() else { return };
    let mut tx = agent.transaction();
    tx.set("k", &1);
    tx.set("", &1);
    let error = tx.commit().await.unwrap_err();
    assert_eq!((error.kind(), error.write_index()), (ErrorKind::InvalidArgument, Some(1)));
    assert!(error.fields().contains_key("writes[1].set_entry.key"), "{error:?}");
}

#[tokio::test]
async fn a_condition_is_about_the_agent() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("k", &1).await.unwrap();
    for (expected, is_met) in [(1, true), (1, false)] {
        let mut tx = agent.transaction().condition(Condition::ExpectedRevision(expected));
        tx.set("k", &2);
        let done = tx.commit().await;
        match done {
            Ok(done) => assert_eq!((is_met, done.revision()), (true, 2)),
            Err(error) => {
                assert_eq!((is_met, error.kind()), (false, ErrorKind::RevisionMismatch));
                assert_eq!((error.write_index(), error.actual_revision()), (None, Some(2)));
            }
        }
    }
}

#[tokio::test]
async fn a_transaction_that_is_committed_again_changes_nothing_more() {
    let Some(agent) = fresh_agent() else { return };
    let mut tx = agent.transaction();
    let noted = tx.write(note("Ada"));
    let first = tx.commit().await.unwrap();
    let again = tx.commit().await.unwrap();
    assert_eq!((first.revision(), again.revision()), (1, 1));
    assert_eq!(first.get(&noted).note, again.get(&noted).note);

    let request_id = fresh("request");
    for _ in 0..2 {
        let mut tx = agent.transaction().request_id(&request_id);
        tx.set("k", &1);
        assert_eq!(tx.commit().await.unwrap().revision(), 2);
    }
    let mut tx = agent.transaction().request_id(&request_id);
    tx.set("k", &2);
    assert_eq!(tx.commit().await.unwrap_err().kind(), ErrorKind::RequestIdReused);
}

#[tokio::test]
async fn an_empty_transaction_is_not_sent() {
    let Some(agent) = fresh_agent() else { return };
    let done = agent.transaction().condition(Condition::ExpectedRevision(7)).commit().await.unwrap();
    assert_eq!(done.revision(), 0);
}

#[tokio::test]
async fn several_writers_increment_one_counter() {
    let Some(client) = client() else { return };
    let agent_id = fresh("agent");
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let agent = client.agent(&agent_id);
            tokio::spawn(async move {
                loop {
                    let entry = agent.get_entry("n").await.unwrap();
                    let (count, revision): (i32, _) =
                        entry.map_or((0, 0), |entry| (entry.value().unwrap(), entry.revision));
                    let mut tx = agent.transaction();
                    tx.set("n", NewEntry::new(&(count + 1)).expected_revision(revision));
                    tx.write(note("Counted"));
                    match tx.commit().await {
                        Ok(_) => return,
                        Err(error) => assert_eq!(error.kind(), ErrorKind::RevisionMismatch),
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(client.agent(&agent_id).get("n").await.unwrap(), Some(8));
    let notes = client.call(v1::ListNotesRequest { agent_id, ..Default::default() }).await.unwrap();
    assert_eq!(notes.total_count, 8);
}
