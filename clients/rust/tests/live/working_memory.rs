//! Entries of one agent or scope.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use memoryd::v1::MemoryType;
use memoryd::{ErrorKind, NewEntry};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::daemon::fresh_agent;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct User {
    name: String,
    visits: u64,
}

#[tokio::test]
async fn a_value_is_decoded_as_its_own_type() {
    let Some(agent) = fresh_agent() else { return };
    let ada = User { name: "Ada".to_owned(), visits: u64::MAX };
    let stored = agent.set("user", &ada).await.unwrap();
    assert_eq!((stored.is_update, stored.revision), (false, 1));
    assert_eq!(agent.get("user").await.unwrap(), Some(ada));
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
        .memory_type(MemoryType::Insight)
        .importance(0.8)
        .tags(["user", "today"])
        .metadata(&json!({"turn": 12}))
        .ttl(Duration::from_secs(3_600));
    agent.set("mood", entry).await.unwrap();
    let entry = agent.get_entry("mood").await.unwrap().unwrap();
    assert_eq!(entry.value::<String>().unwrap(), "curious");
    assert_eq!((entry.type_name.as_str(), entry.memory_type()), ("Mood", MemoryType::Insight));
    assert!((entry.importance - 0.8).abs() < f64::EPSILON);
    assert_eq!(entry.tags, ["user", "today"]);
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
    assert_eq!((exists.kind(), exists.revision()), (ErrorKind::EntryExists, Some(written)));
    assert!(exists.is(ErrorKind::AlreadyExists));
    let mismatch = agent.set("plan", NewEntry::new("late").expected_revision(7)).await.unwrap_err();
    assert_eq!(mismatch.kind(), ErrorKind::RevisionMismatch);
    assert_eq!((mismatch.expected_revision(), mismatch.actual_revision()), (Some(7), Some(written)));
    assert_eq!(agent.get::<String>("plan").await.unwrap().as_deref(), Some("first"));
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
    let results: Vec<_> = answer.results.iter().map(|result| (result.key.as_str(), result.existed)).collect();
    assert_eq!(results, [("a", false), ("b", false), ("old", true)]);
    assert_eq!(agent.get_entry("b").await.unwrap().unwrap().tags, ["t"]);
}

#[tokio::test]
async fn a_batch_that_fails_changes_nothing() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("a", &1).await.unwrap();
    let refused = agent.batch().set("b", &2).set("a", NewEntry::new(&3).must_not_exist()).send().await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::EntryExists);
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
    let mut entries = agent.entries();
    let mut keys = Vec::new();
    while let Some(entry) = entries.next().await {
        keys.push(entry.unwrap().key);
    }
    let expected: Vec<_> = (0..1_200).map(|number| format!("{number:04}")).collect();
    assert_eq!(keys, expected);
}

#[tokio::test]
async fn a_listing_contains_entries_that_match_all_filters() {
    let Some(agent) = fresh_agent() else { return };
    let tagged = |tag| NewEntry::new("v").tags([tag]);
    agent.batch().set("a1", tagged("x")).set("a2", tagged("y")).set("b1", tagged("x")).send().await.unwrap();
    agent.set("a3", tagged("x").memory_type(MemoryType::Event)).await.unwrap();
    let mut entries = agent.entries().key_prefix("a").tags(["x"]).memory_types([MemoryType::Fact]).without_values();
    let entry = entries.next().await.unwrap().unwrap();
    assert_eq!((entry.key.as_str(), entry.value_json.as_str()), ("a1", ""));
    assert!(entries.next().await.is_none());
}

#[tokio::test]
async fn a_refused_listing_ends_with_its_error() {
    let Some(agent) = fresh_agent() else { return };
    let mut entries = agent.attach("no-such-scope").entries();
    assert_eq!(entries.next().await.unwrap().unwrap_err().kind(), ErrorKind::ScopeNotFound);
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
async fn an_ended_agent_is_not_found() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("a", &1).await.unwrap();
    assert_eq!(agent.end().await.unwrap().entries_cleared, 1);
    assert_eq!(agent.end().await.unwrap_err().kind(), ErrorKind::AgentNotFound);
}
