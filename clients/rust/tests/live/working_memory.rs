//! Entries of one agent or scope.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use memoryd::v1::{EntryType, ListOrder, RecordKind};
use memoryd::{Condition, End, Entries, Error, ErrorKind, NewEntry, WorkingMemory, counts_by_kind, v1};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::daemon::{client, fresh, fresh_agent};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct User {
    name: String,
    visits: u64,
}

#[tokio::test]
async fn a_value_is_decoded_as_its_own_type() {
    let Some(agent) = fresh_agent() else { return };
    let ada = User { name: "Ada".to_owned(), visits: u64::MAX };
    agent.set("user", &ada).await.unwrap();
    assert_eq!(agent.get("user").await.unwrap(), Some(ada));
}

#[tokio::test]
async fn a_set_returns_the_entry_without_its_content() {
    let Some(agent) = fresh_agent() else { return };
    let first = agent.set("mood", NewEntry::new("curious").tags(["user"]).importance(0.8)).await.unwrap();
    assert_eq!((first.created, first.revision), (true, 1));
    let second = agent.set("mood", "calm").await.unwrap();
    assert_eq!((second.created, second.revision), (false, 2));
    let (first, second) = (first.entry.unwrap(), second.entry.unwrap());
    assert_eq!((first.key.as_str(), first.value_json.as_str(), first.tags.len()), ("mood", "", 0));
    assert!((first.importance - 0.8).abs() < f64::EPSILON);
    assert_eq!((second.revision, &second.entry_id), (2, &first.entry_id), "overwriting keeps the id");
}

#[tokio::test]
async fn a_missing_entry_is_not_an_error() {
    let Some(agent) = fresh_agent() else { return };
    assert_eq!(agent.get::<Value>("nothing").await.unwrap(), None);
    assert_eq!(agent.get_entry("nothing").await.unwrap(), None);
    assert!(!agent.contains("nothing").await.unwrap());
    assert!(!agent.remove("nothing").await.unwrap());
}

#[tokio::test]
async fn a_null_is_a_value() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("null", &Value::Null).await.unwrap();
    assert_eq!(agent.get("null").await.unwrap(), Some(Value::Null));
}

#[tokio::test]
async fn json_text_is_returned_byte_for_byte() {
    let Some(agent) = fresh_agent() else { return };
    let text = " {\"b\": 1.00, \"a\" : [1e2]}\n";
    agent.set("raw", NewEntry::json(text)).await.unwrap();
    assert_eq!(agent.get_entry("raw").await.unwrap().unwrap().value_json, text);
}

#[tokio::test]
async fn an_entry_has_all_attributes_that_were_set() {
    let Some(agent) = fresh_agent() else { return };
    let entry = NewEntry::new("curious")
        .type_name("Mood")
        .entry_type(EntryType::Insight)
        .importance(0.8)
        .tags(["user", "today"])
        .metadata(&json!({"turn": 12}))
        .user_id("ann")
        .ttl(Duration::from_secs(3_600));
    agent.set("mood", entry).await.unwrap();
    let entry = agent.get_entry("mood").await.unwrap().unwrap();
    assert_eq!(entry.value::<String>().unwrap(), "curious");
    assert_eq!((entry.type_name.as_str(), entry.r#type()), ("Mood", EntryType::Insight));
    assert!((entry.importance - 0.8).abs() < f64::EPSILON);
    assert_eq!(entry.tags, ["user", "today"]);
    assert_eq!(entry.user_id, "ann");
    assert_eq!(entry.metadata_as::<Value>().unwrap(), json!({"turn": 12}));
    let expire_time = SystemTime::try_from(entry.expire_time.unwrap()).unwrap();
    assert!(expire_time > SystemTime::now() + Duration::from_secs(3_000));
}

#[tokio::test]
async fn a_value_of_another_type_is_refused() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("user", "Ada").await.unwrap();
    let error = agent.get::<User>("user").await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::WrongType, None));
}

#[tokio::test]
async fn an_unsupported_value_is_not_sent() {
    let Some(agent) = fresh_agent() else { return };
    let error = agent.set("nan", &f64::NAN).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedValue);
    assert!(!agent.contains("nan").await.unwrap());
}

#[tokio::test]
async fn a_condition_that_is_not_met_changes_nothing_and_returns_the_actual_revision() {
    let Some(agent) = fresh_agent() else { return };
    let written = agent.set("plan", NewEntry::new("first").must_not_exist()).await.unwrap().revision;
    let exists = agent.set("plan", NewEntry::new("late").must_not_exist()).await.unwrap_err();
    assert_eq!((exists.kind(), exists.revision()), (ErrorKind::RecordExists, Some(written)));
    assert!(exists.is(ErrorKind::AlreadyExists));
    let mismatch = agent.set("plan", NewEntry::new("late").expected_revision(7)).await.unwrap_err();
    assert_eq!(mismatch.kind(), ErrorKind::RevisionMismatch);
    assert_eq!((mismatch.expected_revision(), mismatch.actual_revision()), (Some(7), Some(written)));
    assert_eq!(agent.get::<String>("plan").await.unwrap().as_deref(), Some("first"));
}

#[tokio::test]
async fn an_entry_that_must_exist_is_overwritten_and_never_created() {
    let Some(agent) = fresh_agent() else { return };
    let missing = agent.set("plan", NewEntry::new("late").must_exist()).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::RecordNotFound);
    assert!(missing.is(ErrorKind::NotFound));
    assert!(!agent.contains("plan").await.unwrap());
    agent.set("plan", "first").await.unwrap();
    assert!(!agent.set("plan", NewEntry::new("second").must_exist()).await.unwrap().created);
}

#[tokio::test]
async fn an_entry_is_removed_only_if_its_condition_is_met() {
    let Some(agent) = fresh_agent() else { return };
    let missing = agent.remove_if("k", Condition::MustExist).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::RecordNotFound);
    let written = agent.set("k", &1).await.unwrap().revision;
    let mismatch = agent.remove_if("k", Condition::ExpectedRevision(7)).await.unwrap_err();
    assert_eq!((mismatch.kind(), mismatch.actual_revision()), (ErrorKind::RevisionMismatch, Some(written)));
    let exists = agent.remove_if("k", Condition::MustNotExist).await.unwrap_err();
    assert_eq!(exists.kind(), ErrorKind::RecordExists);
    let batch = agent.batch().set("other", &2).remove_if("k", Condition::ExpectedRevision(7));
    assert_eq!(batch.send().await.unwrap_err().kind(), ErrorKind::RevisionMismatch);
    assert!(!agent.contains("other").await.unwrap());
    assert!(agent.remove_if("k", Condition::ExpectedRevision(written)).await.unwrap());
}

/// Returns the errors of all reads, each of which must fail.
async fn errors_of_reads(memory: &WorkingMemory) -> Vec<Error> {
    vec![
        memory.get::<Value>("k").await.unwrap_err(),
        memory.get_entry("k").await.unwrap_err(),
        memory.get_many::<Value>(["k"]).await.unwrap_err(),
        memory.get_entries(["k"]).await.unwrap_err(),
        memory.contains("k").await.unwrap_err(),
        memory.entries().next().await.unwrap().unwrap_err(),
    ]
}

#[tokio::test]
async fn every_read_may_need_a_revision() {
    let Some(agent) = fresh_agent() else { return };
    let revision = agent.set("k", &1).await.unwrap().revision;
    let written = agent.with_min_revision(revision);
    assert_eq!(written.get("k").await.unwrap(), Some(1));
    assert!(written.entries().next().await.unwrap().is_ok());
    let future = agent.with_min_revision(revision + 1).local_only();
    for error in errors_of_reads(&future).await {
        assert_eq!(error.kind(), ErrorKind::RevisionInFuture);
    }
    // An update reads the latest.
    assert_eq!(future.update("k", |n: Option<u32>| n.unwrap_or(0) + 1).await.unwrap(), 2);
    assert_eq!(future.get("k").await.unwrap(), Some(2));
}

#[tokio::test]
async fn every_read_may_allow_staleness() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("k", &1).await.unwrap();
    let stale = agent.with_min_revision(99).with_max_staleness(Duration::from_millis(1_500));
    assert_eq!(stale.get("k").await.unwrap(), Some(1));
    for error in errors_of_reads(&agent.with_max_staleness(Duration::from_secs(2 * 24 * 3_600))).await {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.fields().contains_key("consistency.max_staleness"), "{error:?}");
    }
}

#[tokio::test]
async fn a_condition_on_the_agent_that_is_not_met_changes_nothing() {
    let Some(agent) = fresh_agent() else { return };
    let missing = agent.end_with(End::new().condition(Condition::MustExist)).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::AgentNotFound);
    let revision = agent.set("k", &1).await.unwrap().revision;
    let other = Condition::ExpectedRevision(revision + 5);
    assert_eq!(agent.clear_if(other).await.unwrap_err().kind(), ErrorKind::RevisionMismatch);
    let mismatch = agent.end_with(End::new().condition(other)).await.unwrap_err();
    assert_eq!(mismatch.kind(), ErrorKind::RevisionMismatch);
    assert!(agent.contains("k").await.unwrap());
    assert_eq!(agent.clear_if(Condition::ExpectedRevision(revision)).await.unwrap(), 1);
    assert!(agent.end_with(End::new().condition(Condition::MustExist)).await.unwrap().deleted);
}

#[tokio::test]
async fn an_agent_may_leave_a_snapshot() {
    let Some(client) = client() else { return };
    let agent = client.agent(fresh("agent"));
    agent.set("k", &1).await.unwrap();
    assert_eq!(agent.end().await.unwrap().snapshot, None);
    agent.set("k", &1).await.unwrap();
    let snapshot = agent.end_with(End::new().snapshot()).await.unwrap().snapshot.unwrap();
    assert_eq!(snapshot.agent_id, agent.agent_id());
    let snapshot_id = snapshot.snapshot_id;
    client.call(v1::DeleteSnapshotRequest { snapshot_id, ..Default::default() }).await.unwrap();
}

#[tokio::test]
async fn no_concurrent_update_is_lost() {
    let Some(agent) = fresh_agent() else { return };
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let agent = agent.clone();
        writers.spawn(async move {
            for _ in 0..10 {
                agent.update("count", |count: Option<u32>| count.unwrap_or(0) + 1).await.unwrap();
            }
        });
    }
    writers.join_all().await;
    assert_eq!(agent.get("count").await.unwrap(), Some(80));
}

#[tokio::test]
async fn an_update_returns_the_new_value() {
    let Some(agent) = fresh_agent() else { return };
    let append = |list: Option<Vec<u8>>| [list.unwrap_or_default(), vec![1]].concat();
    assert_eq!(agent.update("list", append).await.unwrap(), [1]);
    assert_eq!(agent.update("list", append).await.unwrap(), [1, 1]);
}

#[tokio::test]
async fn an_update_keeps_what_is_not_given() {
    let Some(agent) = fresh_agent() else { return };
    let all = NewEntry::new(&1)
        .ttl(Duration::from_secs(3_600))
        .tags(["a"])
        .importance(0.9)
        .metadata(&BTreeMap::from([("s", 1)]))
        .user_id("ann")
        .type_name("Count")
        .entry_type(EntryType::Insight);
    agent.set("n", all).await.unwrap();
    let before = agent.get_entry("n").await.unwrap().unwrap();
    assert_eq!(agent.update("n", |n: Option<i32>| n.unwrap_or(0) + 1).await.unwrap(), 2);
    let after = agent.get_entry("n").await.unwrap().unwrap();
    assert!(after.expire_time.is_some());
    let said = |entry: &v1::Entry| {
        let v1::Entry { expire_time, tags, importance, metadata, user_id, type_name, r#type, .. } = entry.clone();
        (expire_time, tags, importance, metadata, user_id, type_name, r#type)
    };
    assert_eq!(said(&after), said(&before));
    let clear = |_: Option<&v1::Entry>| Ok(NewEntry::new(&3).tags([] as [&str; 0]).importance(0.0).without_expiry());
    agent.update_entry("n", clear).await.unwrap();
    let cleared = agent.get_entry("n").await.unwrap().unwrap();
    assert_eq!((cleared.tags.len(), cleared.importance, cleared.expire_time), (0, 0.0, None));
    assert_eq!(cleared.user_id, "ann");
}

#[tokio::test]
async fn many_keys_are_read_at_once_and_missing_ones_are_left_out() {
    let Some(agent) = fresh_agent() else { return };
    agent.batch().set("a", &1).set("b", &2).send().await.unwrap();
    let values: BTreeMap<String, u8> = agent.get_many(["b", "nothing", "a"]).await.unwrap();
    assert_eq!(values, BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]));
    let keys: Vec<_> = agent.get_entries(["b", "a"]).await.unwrap().into_iter().map(|entry| entry.key).collect();
    assert_eq!(keys, ["b", "a"]);
}

#[tokio::test]
async fn a_batch_is_written_at_one_revision() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("old", &0).await.unwrap();
    let answer = agent.batch().set("a", &1).set("b", NewEntry::new(&2).tags(["t"])).remove("old").send().await.unwrap();
    assert_eq!(answer.revision, 2);
    let results: Vec<_> =
        answer.results.iter().map(|result| (result.key.as_str(), result.created, result.deleted)).collect();
    assert_eq!(results, [("a", true, false), ("b", true, false), ("old", false, true)]);
    assert_eq!(agent.get_entry("b").await.unwrap().unwrap().tags, ["t"]);
}

#[tokio::test]
async fn a_batch_that_fails_changes_nothing() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("a", &1).await.unwrap();
    let refused = agent.batch().set("b", &2).set("a", NewEntry::new(&3).must_not_exist()).send().await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::RecordExists);
    let unsupported = agent.batch().set("b", &2).set("c", &f64::NAN).send().await.unwrap_err();
    assert_eq!(unsupported.kind(), ErrorKind::UnsupportedValue);
    assert!(!agent.contains("b").await.unwrap());
    assert_eq!(agent.batch().send().await.unwrap().revision, 0);
}

#[tokio::test]
async fn entries_are_listed_in_order_page_by_page() {
    let Some(agent) = fresh_agent() else { return };
    for hundreds in 0..12 {
        let mut batch = agent.batch();
        for number in 0..100 {
            batch = batch.set(&format!("{:04}", hundreds * 100 + number), &number);
        }
        batch.send().await.unwrap();
    }
    let expected: Vec<_> = (0..1_200).map(|number| format!("{number:04}")).collect();
    assert_eq!(keys(agent.entries()).await, expected);
}

#[tokio::test]
async fn a_listing_contains_entries_that_match_all_filters() {
    let Some(agent) = fresh_agent() else { return };
    let tagged = |tag| NewEntry::new("v").tags([tag]);
    agent.batch().set("a1", tagged("x")).set("a2", tagged("y")).set("b1", tagged("x")).send().await.unwrap();
    agent.set("a3", tagged("x").entry_type(EntryType::Event)).await.unwrap();
    let mut entries = agent.entries().key_prefix("a").all_tags(["x"]).entry_types([EntryType::Fact]).without_content();
    let entry = entries.next().await.unwrap().unwrap();
    assert_eq!((entry.key.as_str(), entry.value_json.as_str(), entry.tags.len()), ("a1", "", 0));
    assert!(entries.next().await.is_none());
}

async fn keys(mut entries: Entries) -> Vec<String> {
    let mut keys = Vec::new();
    while let Some(entry) = entries.next().await {
        keys.push(entry.unwrap().key);
    }
    keys
}

#[tokio::test]
async fn entries_are_listed_by_any_of_their_tags_by_their_user_and_in_another_order() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("c", NewEntry::new(&1).tags(["x"]).user_id("ann")).await.unwrap();
    agent.set("a", NewEntry::new(&2).tags(["x", "y"]).user_id("bob")).await.unwrap();
    agent.set("b", NewEntry::new(&3).tags(["z"])).await.unwrap();
    assert_eq!(keys(agent.entries().all_users().any_tags(["y", "z"])).await, ["a", "b"]);
    assert_eq!(keys(agent.entries().all_users().all_tags(["x", "y"])).await, ["a"]);
    assert_eq!(keys(agent.entries().user_ids(["ann"])).await, ["c"]);
    assert_eq!(keys(agent.entries().user_ids([""])).await, ["b"], "those about no user");
    assert_eq!(keys(agent.entries().user_ids(["bob", ""])).await, ["a", "b"]);
    assert_eq!(keys(agent.entries()).await, ["b"]);
    assert_eq!(keys(agent.entries().all_users().order(ListOrder::CreateTime)).await, ["c", "a", "b"]);
    assert_eq!(keys(agent.entries().all_users().order(ListOrder::IdDescending)).await, ["c", "b", "a"]);
}

#[tokio::test]
async fn a_refused_listing_ends_with_its_error() {
    let Some(agent) = fresh_agent() else { return };
    let mut entries = agent.attach("no-such-scope").entries();
    assert_eq!(entries.next().await.unwrap().unwrap_err().kind(), ErrorKind::RecordNotFound);
    assert!(entries.next().await.is_none());
}

#[tokio::test]
async fn removed_and_cleared_entries_are_gone() {
    let Some(agent) = fresh_agent() else { return };
    agent.batch().set("a", &1).set("b", &2).set("c", &3).send().await.unwrap();
    assert!(agent.remove("a").await.unwrap());
    assert!(!agent.contains("a").await.unwrap());
    assert_eq!(agent.clear().await.unwrap(), 2);
    assert!(!agent.contains("b").await.unwrap());
}

#[tokio::test]
async fn an_agent_ends_with_all_its_memory() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("a", &1).await.unwrap();
    let ended = agent.end().await.unwrap();
    assert!(ended.deleted);
    assert_eq!(counts_by_kind(&ended.cleared), BTreeMap::from([(RecordKind::Entry, 1)]));
    assert!(!agent.contains("a").await.unwrap());
    let again = agent.end().await.unwrap();
    assert!(!again.deleted);
    assert_eq!(again.cleared, []);
}
