//! A value to be stored, with what is said about it.

use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::metadata::struct_of;
use crate::v1;
use crate::v1::precondition::Condition;
use crate::v1::set_entry_operation::{Content, Expiry};
use crate::v1::{MemoryType, set_entry_request};
use crate::value::encode;

/// A value to be stored, with what is said about it.
///
/// A reference to anything that serde can serialize is a `NewEntry` of which nothing is said:
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// use memoryd::NewEntry;
/// use memoryd::v1::MemoryType;
///
/// agent.set("mood", "curious").await?;
/// agent.set("mood", NewEntry::new("curious").memory_type(MemoryType::Insight).importance(0.8)).await?;
/// agent.set("raw", NewEntry::json(r#"{"kept": "byte for byte" }"#)).await?;
/// # Ok(())
/// # }
/// ```
///
/// What cannot be written as JSON is told by the call that takes it, as `UnsupportedValue`.
#[derive(Debug)]
#[must_use]
pub struct NewEntry {
    operation: v1::SetEntryOperation,
    failure: Option<Error>,
}

impl NewEntry {
    /// A value as serde writes it.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> Self {
        match encode(value) {
            Ok(text) => Self::json(text),
            Err(error) => Self { failure: Some(error), ..Self::json("") },
        }
    }

    /// JSON text, which is stored byte for byte. The daemon checks that it is JSON.
    pub fn json(text: impl Into<String>) -> Self {
        let content = Some(Content::ValueJson(text.into()));
        Self { operation: v1::SetEntryOperation { content, ..Default::default() }, failure: None }
    }

    /// The writer's name for the value's type; at most 256 bytes.
    pub fn type_name(mut self, name: impl Into<String>) -> Self {
        self.operation.type_name = name.into();
        self
    }

    /// What the entry holds; a fact unless told otherwise.
    pub fn memory_type(mut self, memory_type: MemoryType) -> Self {
        self.operation.set_memory_type(memory_type);
        self
    }

    /// From 0 to 1; 0.5 unless told otherwise.
    pub fn importance(mut self, importance: f64) -> Self {
        self.operation.importance = Some(importance);
        self
    }

    /// Labels: at most 64. Repeats are dropped.
    pub fn tags<S: Into<String>>(mut self, tags: impl IntoIterator<Item = S>) -> Self {
        self.operation.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// The writer's own JSON values: what serde writes as an object, such as a map or a struct. Its numbers are doubles.
    pub fn metadata<T: Serialize + ?Sized>(mut self, metadata: &T) -> Self {
        match struct_of(metadata) {
            Ok(metadata) => self.operation.metadata = Some(metadata),
            Err(error) => self.failure = self.failure.or(Some(error)),
        }
        self
    }

    /// How long the entry lives. Replaces `expire_time` and `expiry_days`.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.operation.expiry = Some(Expiry::Ttl(duration_of(ttl)));
        self
    }

    /// The moment at which the entry ends. Replaces `ttl` and `expiry_days`.
    pub fn expire_time(mut self, time: SystemTime) -> Self {
        self.operation.expiry = Some(Expiry::ExpireTime(time.into()));
        self
    }

    /// How many days the entry lives. Replaces `ttl` and `expire_time`.
    pub fn expiry_days(mut self, days: i32) -> Self {
        self.operation.expiry = Some(Expiry::ExpiryDays(days));
        self
    }

    /// Store it only when this very place has no entry of the key, else fail as `EntryExists`. Replaces
    /// `expected_revision`.
    pub fn must_not_exist(self) -> Self {
        self.on(Condition::MustNotExist(true))
    }

    /// Store it only when this very place's entry has this revision, 0 meaning that there is none, else fail as
    /// `RevisionMismatch`. Replaces `must_not_exist`.
    pub fn expected_revision(self, revision: i64) -> Self {
        self.on(Condition::ExpectedRevision(revision))
    }

    fn on(mut self, condition: Condition) -> Self {
        self.operation.precondition = Some(v1::Precondition { condition: Some(condition) });
        self
    }

    /// Answers the step of a batch that stores it.
    pub(crate) fn into_operation(self, key: &str) -> Result<v1::SetEntryOperation> {
        match self.failure {
            Some(error) => Err(error),
            None => Ok(v1::SetEntryOperation { key: key.to_owned(), ..self.operation }),
        }
    }

    /// Answers the request that stores it.
    pub(crate) fn into_request(self, agent_id: &str, scope_id: &str, key: &str) -> Result<v1::SetEntryRequest> {
        let operation = self.into_operation(key)?;
        Ok(v1::SetEntryRequest {
            agent_id: agent_id.to_owned(),
            scope_id: scope_id.to_owned(),
            key: operation.key,
            content: operation.content.map(|content| match content {
                Content::ValueJson(text) => set_entry_request::Content::ValueJson(text),
                Content::Value(value) => set_entry_request::Content::Value(value),
            }),
            type_name: operation.type_name,
            memory_type: operation.memory_type,
            importance: operation.importance,
            tags: operation.tags,
            metadata: operation.metadata,
            expiry: operation.expiry.map(|expiry| match expiry {
                Expiry::Ttl(ttl) => set_entry_request::Expiry::Ttl(ttl),
                Expiry::ExpireTime(time) => set_entry_request::Expiry::ExpireTime(time),
                Expiry::ExpiryDays(days) => set_entry_request::Expiry::ExpiryDays(days),
            }),
            precondition: operation.precondition,
            ..Default::default()
        })
    }
}

impl<T: Serialize + ?Sized> From<&T> for NewEntry {
    fn from(value: &T) -> Self {
        Self::new(value)
    }
}

/// Answers the length of time as a message; one that is too long for it becomes the longest.
pub(crate) fn duration_of(length: Duration) -> prost_types::Duration {
    length.try_into().unwrap_or(prost_types::Duration { seconds: i64::MAX, nanos: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn request(entry: impl Into<NewEntry>) -> v1::SetEntryRequest {
        entry.into().into_request("a", "s", "k").unwrap()
    }

    #[test]
    fn a_reference_to_a_value_is_an_entry() {
        let request = request(&vec![1, 2]);
        assert_eq!(request.content, Some(set_entry_request::Content::ValueJson("[1,2]".into())));
        assert_eq!((request.agent_id.as_str(), request.scope_id.as_str(), request.key.as_str()), ("a", "s", "k"));
        assert_eq!(request.importance, None);
    }

    #[test]
    fn json_text_stays_byte_for_byte() {
        let text = " {\"a\":  1.00}\n";
        assert_eq!(request(NewEntry::json(text)).content, Some(set_entry_request::Content::ValueJson(text.into())));
    }

    #[test]
    fn all_that_is_said_arrives() {
        let entry = NewEntry::new("v")
            .type_name("Mood")
            .memory_type(MemoryType::Insight)
            .importance(0.0)
            .tags(["a", "b"])
            .metadata(&serde_json::json!({"turn": 12}))
            .ttl(Duration::from_millis(1_500))
            .expected_revision(0);
        let request = request(entry);
        assert_eq!(request.type_name, "Mood");
        assert_eq!(request.memory_type(), MemoryType::Insight);
        assert_eq!(request.importance, Some(0.0));
        assert_eq!(request.tags, ["a", "b"]);
        assert!(request.metadata.unwrap().fields.contains_key("turn"));
        let ttl = prost_types::Duration { seconds: 1, nanos: 500_000_000 };
        assert_eq!(request.expiry, Some(set_entry_request::Expiry::Ttl(ttl)));
        assert_eq!(request.precondition.unwrap().condition, Some(Condition::ExpectedRevision(0)));
    }

    #[test]
    fn what_was_said_last_replaces_what_it_excludes() {
        let request =
            request(NewEntry::new(&1).ttl(Duration::MAX).expiry_days(3).expected_revision(1).must_not_exist());
        assert_eq!(request.expiry, Some(set_entry_request::Expiry::ExpiryDays(3)));
        assert_eq!(request.precondition.unwrap().condition, Some(Condition::MustNotExist(true)));
    }

    #[test]
    fn what_json_cannot_hold_is_told_by_the_call() {
        for entry in [NewEntry::new(&f64::NAN), NewEntry::new(&1).metadata("not an object")] {
            let error = entry.into_operation("k").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnsupportedValue);
        }
    }
}
