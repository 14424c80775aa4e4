//! Helpers to read events, and numbers of records.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use crate::error::Result;
use crate::v1;

impl v1::EntryEvent {
    /// Returns the value of the entry after the change, or `None` if the change removed the entry, or if the watch is
    /// without content.
    ///
    /// # Errors
    ///
    /// `WrongType` if the value is not a `T`.
    pub fn value_after<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        value_of(self.entry.as_ref())
    }

    /// Returns the value of the entry before the change, or `None` if the change created the entry, if the watch is
    /// without [`previous`](crate::WatchBuilder::previous) or without content, or if the journal no longer retains it.
    ///
    /// # Errors
    ///
    /// `WrongType` if the value is not a `T`.
    pub fn value_before<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        value_of(self.previous.as_ref())
    }
}

fn value_of<T: DeserializeOwned>(entry: Option<&v1::Entry>) -> Result<Option<T>> {
    // No value is empty JSON text.
    entry.filter(|entry| !entry.value_json.is_empty()).map(v1::Entry::value).transpose()
}

/// Returns numbers of records by kind, such as those that [`Agent::end`](crate::Agent::end) has removed. Kinds without
/// records are absent. Kinds that only a newer server knows are added up as `Unspecified`.
#[must_use]
pub fn counts_by_kind(counts: &[v1::RecordCount]) -> BTreeMap<v1::RecordKind, i64> {
    let mut by_kind = BTreeMap::new();
    for count in counts {
        *by_kind.entry(count.kind()).or_default() += count.count;
    }
    by_kind
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::v1::RecordKind;

    fn entry(value_json: &str) -> v1::Entry {
        v1::Entry { key: "visits".into(), value_json: value_json.into(), ..Default::default() }
    }

    #[test]
    fn an_event_of_an_entry_has_the_values_before_and_after() {
        let event = v1::EntryEvent { entry: Some(entry("2")), previous: Some(entry("1")), ..Default::default() };
        assert_eq!(event.value_after::<u64>().unwrap(), Some(2));
        assert_eq!(event.value_before::<u64>().unwrap(), Some(1));
    }

    #[test]
    fn no_entry_and_an_entry_without_content_have_no_value() {
        let without_content = Some(entry(""));
        for event in [
            v1::EntryEvent::default(),
            v1::EntryEvent { entry: without_content.clone(), previous: without_content, ..Default::default() },
        ] {
            assert_eq!(event.value_after::<u64>().unwrap(), None);
            assert_eq!(event.value_before::<u64>().unwrap(), None);
        }
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        let event = v1::EntryEvent { entry: Some(entry("1")), previous: Some(entry("1")), ..Default::default() };
        assert_eq!(event.value_after::<String>().unwrap_err().kind(), ErrorKind::WrongType);
        assert_eq!(event.value_before::<String>().unwrap_err().kind(), ErrorKind::WrongType);
    }

    #[test]
    fn numbers_of_records_are_by_kind() {
        let count = |kind, count| v1::RecordCount { kind, count };
        let unknown = [count(9_001, 2), count(9_002, 3)];
        let counts = [&unknown[..], &[count(RecordKind::Entry.into(), 3), count(RecordKind::Note.into(), 1)]].concat();
        let expected = [(RecordKind::Unspecified, 5), (RecordKind::Entry, 3), (RecordKind::Note, 1)];
        assert_eq!(counts_by_kind(&counts), BTreeMap::from(expected));
    }
}
