//! A value to store, with the attributes of its entry.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::condition::Condition;
use crate::error::{Error, ErrorKind, Result};
use crate::input::choose;
use crate::metadata::struct_of;
use crate::v1;
use crate::v1::set_entry_operation::{Content, Expiry};
use crate::v1::{EntryType, get_or_set_entry_request, set_entry_request};
use crate::value::encode;

/// A value to store, with the attributes of its entry.
///
/// A reference to anything that serde can serialize converts to a `NewEntry` with default attributes:
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// use memoryd::NewEntry;
/// use memoryd::v1::EntryType;
///
/// agent.set("mood", "curious").await?;
/// agent.set("mood", NewEntry::new("curious").entry_type(EntryType::Insight).importance(0.8)).await?;
/// agent.set("raw", NewEntry::json(r#"{"kept": "byte for byte" }"#)).await?;
/// # Ok(())
/// # }
/// ```
///
/// If JSON cannot represent the value, the call that takes the entry fails with `UnsupportedValue`.
#[derive(Debug)]
#[must_use]
pub struct NewEntry {
    operation: v1::SetEntryOperation,
    /// The fields that are given, by their names in an update mask.
    given: BTreeSet<&'static str>,
    /// True if an existing entry keeps the other fields.
    keeps: bool,
    failure: Option<Error>,
}

impl NewEntry {
    /// Returns an entry with a value that serde serializes.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> Self {
        match encode(value) {
            Ok(text) => Self::json(text),
            Err(error) => Self { failure: Some(error), ..Self::json("") },
        }
    }

    /// Returns an entry with JSON text, which is stored byte for byte. The daemon checks that it is JSON.
    pub fn json(text: impl Into<String>) -> Self {
        let content = Some(Content::ValueJson(text.into()));
        Self {
            operation: v1::SetEntryOperation { content, ..Default::default() },
            given: BTreeSet::new(),
            keeps: false,
            failure: None,
        }
    }

    /// Sets the name that the writer uses for the value's type, at most 256 bytes.
    pub fn type_name(mut self, name: impl Into<String>) -> Self {
        self.operation.type_name = name.into();
        self.giving("type_name")
    }

    /// Sets the type of the entry. Default: a fact.
    pub fn entry_type(mut self, entry_type: EntryType) -> Self {
        self.operation.set_type(entry_type);
        self.giving("type")
    }

    /// Sets the importance, from 0 to 1. Default: 0.5.
    pub fn importance(mut self, importance: f64) -> Self {
        self.operation.importance = Some(importance);
        self.giving("importance")
    }

    /// Sets the tags, at most 64. Duplicates are dropped.
    pub fn tags<S: Into<String>>(mut self, tags: impl IntoIterator<Item = S>) -> Self {
        self.operation.tags = tags.into_iter().map(Into::into).collect();
        self.giving("tags")
    }

    /// Sets additional JSON values that the writer defines. serde must serialize them as an object, such as a map or a
    /// struct. Numbers are doubles.
    pub fn metadata<T: Serialize + ?Sized>(mut self, metadata: &T) -> Self {
        match struct_of("metadata", metadata) {
            Ok(metadata) => self.operation.metadata = Some(metadata),
            Err(error) => self.failure = self.failure.or(Some(error)),
        }
        self.giving("metadata")
    }

    /// Sets the user that the entry is about, at most 256 bytes; empty for none. Default: the
    /// [bound user](crate::Agent::user), else none.
    pub fn user_id(mut self, user_id: impl Into<String>) -> Self {
        self.operation.user_id = user_id.into();
        self.giving("user_id")
    }

    /// Makes the entry expire after this time. Excludes `expire_time`: setting both fails with `InvalidArgument`.
    pub fn ttl(self, ttl: Duration) -> Self {
        self.expiring(Expiry::Ttl(duration_of(ttl)))
    }

    /// Makes the entry expire at this moment. Excludes `ttl`: setting both fails with `InvalidArgument`.
    pub fn expire_time(self, time: SystemTime) -> Self {
        self.expiring(Expiry::ExpireTime(time.into()))
    }

    fn expiring(mut self, expiry: Expiry) -> Self {
        let chosen = choose(&mut self.operation.expiry, Some(expiry), "expire_time, ttl");
        self.failure = self.failure.or(chosen.err());
        self.giving("expire_time")
    }

    /// Ends the expiry of an entry that [`update_entry`](crate::WorkingMemory::update_entry) changes: it then never expires,
    /// unless the agent has a default.
    pub fn without_expiry(mut self) -> Self {
        self.operation.expiry = None;
        self.giving("expire_time")
    }

    /// Makes an existing entry keep what is not given.
    pub(crate) fn keeping(mut self) -> Self {
        self.keeps = true;
        self
    }

    /// Makes the entry about this user, unless it names one.
    pub(crate) fn or_user(mut self, user_id: &str) -> Self {
        if !self.given.contains("user_id") {
            user_id.clone_into(&mut self.operation.user_id);
        }
        self
    }

    fn giving(mut self, field: &'static str) -> Self {
        self.given.insert(field);
        self
    }

    /// Makes the change fail with `RecordExists` if the agent or scope itself has an entry under the key. Excludes any
    /// other condition.
    pub fn must_not_exist(self) -> Self {
        self.on(Condition::MustNotExist)
    }

    /// Makes the change fail with `RecordNotFound` unless the agent or scope itself has an entry under the key.
    /// Excludes any other condition.
    pub fn must_exist(self) -> Self {
        self.on(Condition::MustExist)
    }

    /// Makes the change fail with `RevisionMismatch` unless the own entry of the agent or scope has this revision,
    /// where 0 means that there is none. Excludes any other condition.
    pub fn expected_revision(self, revision: i64) -> Self {
        self.on(Condition::ExpectedRevision(revision))
    }

    fn on(mut self, condition: Condition) -> Self {
        let v1::Precondition { condition } = condition.into();
        let present = &mut self.operation.precondition.get_or_insert_default().condition;
        let chosen = choose(present, condition, "must_exist, must_not_exist, expected_revision");
        self.failure = self.failure.or(chosen.err());
        self
    }

    /// Returns the operation of a batch that stores the entry.
    pub(crate) fn into_operation(self, key: &str) -> Result<v1::SetEntryOperation> {
        match self.failure {
            Some(error) => Err(error),
            None => Ok(v1::SetEntryOperation { key: key.to_owned(), ..self.operation }),
        }
    }

    /// Returns the write of a transaction that stores the entry if there is none.
    pub(crate) fn into_get_or_set(self, scope_id: &str, key: &str) -> Result<v1::GetOrSetEntryRequest> {
        let operation = self.into_operation(key)?;
        if operation.precondition.is_some() {
            return Err(Error::new(ErrorKind::InvalidArgument, "get_or_set takes no condition of the entry"));
        }
        Ok(v1::GetOrSetEntryRequest {
            scope_id: scope_id.to_owned(),
            key: operation.key,
            content: operation.content.map(|content| match content {
                Content::ValueJson(text) => get_or_set_entry_request::Content::ValueJson(text),
                Content::Value(value) => get_or_set_entry_request::Content::Value(value),
            }),
            type_name: operation.type_name,
            r#type: operation.r#type,
            importance: operation.importance,
            tags: operation.tags,
            metadata: operation.metadata,
            expiry: operation.expiry.map(|expiry| match expiry {
                Expiry::Ttl(ttl) => get_or_set_entry_request::Expiry::Ttl(ttl),
                Expiry::ExpireTime(time) => get_or_set_entry_request::Expiry::ExpireTime(time),
            }),
            user_id: operation.user_id,
            ..Default::default()
        })
    }

    /// Returns the request that stores the entry.
    pub(crate) fn into_request(self, agent_id: &str, scope_id: &str, key: &str) -> Result<v1::SetEntryRequest> {
        let paths = self.given.iter().map(|&field| field.to_owned()).collect();
        let update_mask = self.keeps.then_some(prost_types::FieldMask { paths });
        let operation = self.into_operation(key)?;
        Ok(v1::SetEntryRequest {
            update_mask,
            agent_id: agent_id.to_owned(),
            scope_id: scope_id.to_owned(),
            key: operation.key,
            content: operation.content.map(|content| match content {
                Content::ValueJson(text) => set_entry_request::Content::ValueJson(text),
                Content::Value(value) => set_entry_request::Content::Value(value),
            }),
            type_name: operation.type_name,
            r#type: operation.r#type,
            importance: operation.importance,
            tags: operation.tags,
            metadata: operation.metadata,
            expiry: operation.expiry.map(|expiry| match expiry {
                Expiry::Ttl(ttl) => set_entry_request::Expiry::Ttl(ttl),
                Expiry::ExpireTime(time) => set_entry_request::Expiry::ExpireTime(time),
            }),
            user_id: operation.user_id,
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

/// Converts a duration to a message. One that is too long becomes the maximum.
pub(crate) fn duration_of(length: Duration) -> prost_types::Duration {
    length.try_into().unwrap_or(prost_types::Duration { seconds: i64::MAX, nanos: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_request_contains_all_attributes() {
        let entry = NewEntry::new("v")
            .type_name("Mood")
            .entry_type(EntryType::Insight)
            .importance(0.0)
            .tags(["a", "b"])
            .metadata(&serde_json::json!({"turn": 12}))
            .user_id("ann")
            .ttl(Duration::from_millis(1_500))
            .expected_revision(0);
        let request = request(entry);
        assert_eq!(request.type_name, "Mood");
        assert_eq!(request.r#type(), EntryType::Insight);
        assert_eq!(request.importance, Some(0.0));
        assert_eq!(request.tags, ["a", "b"]);
        assert!(request.metadata.unwrap().fields.contains_key("turn"));
        let ttl = prost_types::Duration { seconds: 1, nanos: 500_000_000 };
        assert_eq!(request.expiry, Some(set_entry_request::Expiry::Ttl(ttl)));
        assert_eq!(request.user_id, "ann");
        assert_eq!(request.precondition, Some(Condition::ExpectedRevision(0).into()));
    }

    #[test]
    fn a_bound_user_is_that_of_the_entry_unless_it_names_another() {
        let of = |entry: NewEntry| request(entry.keeping().or_user("ada"));
        assert_eq!(of(NewEntry::new(&1)).user_id, "ada");
        // An entry that exists keeps its user.
        assert_eq!(of(NewEntry::new(&1)).update_mask.unwrap().paths, [] as [&str; 0]);
        assert_eq!(of(NewEntry::new(&1).user_id("bob")).user_id, "bob");
        assert_eq!(of(NewEntry::new(&1).user_id("")).user_id, "");
    }

    #[test]
    fn expiries_and_conditions_exclude_each_other() {
        for entry in [
            NewEntry::new(&1).ttl(Duration::MAX).expire_time(SystemTime::UNIX_EPOCH),
            NewEntry::new(&1).must_exist().must_not_exist(),
            NewEntry::new(&1).expected_revision(1).must_exist(),
        ] {
            assert_eq!(entry.into_operation("k").unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
        let entry = NewEntry::new(&1).expected_revision(1).expected_revision(2);
        assert_eq!(request(entry).precondition, Some(Condition::ExpectedRevision(2).into()));
    }

    #[test]
    fn an_unsupported_value_is_an_error_of_the_call() {
        for entry in [NewEntry::new(&f64::NAN), NewEntry::new(&1).metadata("not an object")] {
            let error = entry.into_operation("k").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnsupportedValue);
        }
    }
}
