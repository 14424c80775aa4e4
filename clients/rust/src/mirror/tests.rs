//! Tests of what a mirror makes of the messages of a watch.

use std::cell::Cell;
use std::time::{Duration, UNIX_EPOCH};

use prost_types::Timestamp;

use super::*;

const YEAR_9999_END: i64 = 253_402_300_799;

pub(crate) fn entry_set(scope_id: &str, key: &str, text: &str, expires: Option<i64>) -> v1::Event {
    let entry = v1::Entry {
        key: key.into(),
        value_json: text.into(),
        scope_id: scope_id.into(),
        expire_time: expires.map(|seconds| Timestamp { seconds, nanos: 0 }),
        ..Default::default()
    };
    let subject =
        v1::EntryEvent { scope_id: scope_id.into(), key: key.into(), entry: Some(entry), ..Default::default() };
    event(EventType::EntrySet, Subject::Entry(subject))
}

fn event(what: EventType, subject: Subject) -> v1::Event {
    v1::Event { r#type: what.into(), subject: Some(subject), ..Default::default() }
}

fn entry_removed(key: &str) -> v1::Event {
    event(EventType::EntryRemoved, Subject::Entry(v1::EntryEvent { key: key.into(), ..Default::default() }))
}

fn scope_changed(what: EventType, scope_id: &str, parent_id: &str) -> v1::Event {
    let subject = v1::ScopeEvent { scope_id: scope_id.into(), parent_scope_id: parent_id.into(), ..Default::default() };
    event(what, Subject::Scope(subject))
}

fn cleared(what: EventType, scope_id: &str) -> v1::Event {
    event(what, Subject::Cleared(v1::ClearedEvent { scope_id: scope_id.into(), ..Default::default() }))
}

fn agent_ended() -> v1::Event {
    event(EventType::AgentEnded, Subject::Agent(v1::AgentEvent::default()))
}

/// Returns a complete mirror without records.
pub(crate) fn complete(bytes_max: usize) -> Mirror {
    let mut mirror = Mirror::new(bytes_max);
    mirror.is_complete = true;
    mirror
}

pub(crate) fn live(revision: i64, events: impl IntoIterator<Item = v1::Event>) -> v1::WatchEventsResponse {
    let events = events.into_iter().collect();
    v1::WatchEventsResponse { phase: WatchPhase::Live.into(), revision, events, ..Default::default() }
}

fn apply(mirror: &mut Mirror, revision: i64, events: impl IntoIterator<Item = v1::Event>) {
    mirror.apply(live(revision, events)).unwrap();
}

/// Returns the value that a look-up finds as JSON, or "".
fn text_in(mirror: &Mirror, scope_id: &str, key: &str) -> String {
    match mirror.find(scope_id, key, false, SystemTime::now) {
        Read::Held(Some(found)) => found.entry.value_json.clone(),
        _ => String::new(),
    }
}

#[test]
fn a_mirror_applies_a_commit_whole() {
    let mut mirror = complete(usize::MAX);
    let part = v1::WatchEventsResponse { revision_continues: true, ..live(1, [entry_set("", "a", "1", None)]) };
    mirror.apply(part).unwrap();
    assert_eq!((text_in(&mirror, "", "a").as_str(), mirror.revision), ("", 0));
    let opened = v1::WatchEventsResponse { phase: WatchPhase::Opened.into(), ..Default::default() };
    mirror.apply(opened).unwrap();
    assert_eq!(text_in(&mirror, "", "a"), "");
    apply(&mut mirror, 1, [entry_set("", "b", "2", None)]);
    assert_eq!((text_in(&mirror, "", "a") + &text_in(&mirror, "", "b"), mirror.revision), ("12".to_owned(), 1));
}

#[test]
fn an_entry_ends_with_its_deadline_and_what_is_behind_it_is_found() {
    let seconds = Cell::new(1_000);
    let now = || UNIX_EPOCH + Duration::from_secs(seconds.get());
    let mut mirror = complete(usize::MAX);
    let events = [
        entry_set("", "k", "\"root\"", Some(YEAR_9999_END)),
        scope_changed(EventType::ScopeCreated, "s", ""),
        entry_set("s", "k", "\"scope\"", Some(1_001)),
    ];
    apply(&mut mirror, 1, events);
    let found = |local_only| match mirror.find("s", "k", local_only, now) {
        Read::Held(found) => found.map(|found| found.entry.value_json.clone()),
        Read::Ask => panic!("the mirror has the scope"),
    };
    assert_eq!(found(false).as_deref(), Some("\"scope\""));
    seconds.set(1_001);
    assert_eq!(found(false).as_deref(), Some("\"root\""));
    assert_eq!(found(true), None);
    let Read::Held(all) = mirror.entries("s", "", false, now) else { panic!("the mirror has the scope") };
    assert_eq!(all.iter().map(|found| found.entry.value_json.as_str()).collect::<Vec<_>>(), ["\"root\""]);
}

#[test]
fn a_scope_ends_with_its_entries_and_those_of_others_stay() {
    let mut mirror = complete(usize::MAX);
    let events = [
        scope_changed(EventType::ScopeCreated, "s", ""),
        scope_changed(EventType::ScopeCreated, "below", "s"),
        entry_set("s", "k", "1", None),
        scope_changed(EventType::ScopeCreated, "s", ""),
        entry_set("unknown", "k", "2", None),
        entry_set("", "root", "3", None),
    ];
    apply(&mut mirror, 1, events);
    assert_eq!(text_in(&mirror, "below", "k") + &text_in(&mirror, "below", "root"), "13");
    assert!(matches!(mirror.find("unknown", "k", false, SystemTime::now), Read::Ask));
    apply(&mut mirror, 2, [cleared(EventType::EntriesCleared, "s")]);
    assert_eq!(text_in(&mirror, "below", "k"), "");
    apply(&mut mirror, 3, [scope_changed(EventType::ScopeDisposed, "s", "")]);
    assert!(matches!(mirror.find("s", "root", false, SystemTime::now), Read::Ask));
    assert_eq!(text_in(&mirror, "", "root"), "3");
}

#[test]
fn the_memory_of_what_is_overwritten_and_removed_is_free_again() {
    let mut mirror = complete(5_000);
    let text = format!("{:?}", "v".repeat(2_000));
    for revision in 0..20 {
        apply(&mut mirror, revision, [entry_set("", "k", &text, None)]);
    }
    let note = v1::Note { note_id: "n".into(), content: "text".into(), ..Default::default() };
    let subject = v1::NoteEvent { note_id: "n".into(), note: Some(note), previous: None };
    apply(&mut mirror, 20, [event(EventType::NoteCreated, Subject::Note(subject))]);
    assert!(mirror.note("n").is_some());
    apply(&mut mirror, 21, [entry_removed("k"), cleared(EventType::NotesCleared, "")]);
    assert_eq!((mirror.size_bytes, mirror.notes().count()), (0, 0));
    let error = mirror.apply(live(22, [entry_set("", "k", &"v".repeat(6_000), None)])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CacheFull);
    assert!(error.message().contains("5000 bytes"), "{error}");
}

#[test]
fn a_lower_revision_is_of_a_later_life_also_where_no_record_is_selected() {
    let mut mirror = complete(usize::MAX);
    let reaches = |mirror: &Mirror, revision| Mark::of(revision, Mark::at(mirror)).is_reached(mirror);
    apply(&mut mirror, 50, []);
    assert_eq!([0, 10, 50, 51].map(|revision| reaches(&mirror, revision)), [true, false, true, false]);
    apply(&mut mirror, 51, [agent_ended()]);
    apply(&mut mirror, 51, []);
    assert!(reaches(&mirror, 1));
    apply(&mut mirror, 60, []);
    assert!(!reaches(&mirror, 59));
}

#[test]
fn a_revision_of_a_later_life_is_not_reached_by_an_earlier_one() {
    let mut mirror = complete(usize::MAX);
    apply(&mut mirror, 5, [entry_set("", "k", "1", None)]);
    let before = Mark::at(&mirror);
    let (ended, foreign) = (Mark::of(0, before), Mark::of(3, before));
    assert!(!ended.is_reached(&mirror) && !foreign.is_reached(&mirror) && before.is_reached(&mirror));
    apply(&mut mirror, 6, [agent_ended()]);
    assert!(ended.is_reached(&mirror) && Mark::of(0, Mark::at(&mirror)).is_reached(&mirror));
    assert_eq!(text_in(&mirror, "", "k"), "");
    let again = Mark::of(7, Mark::at(&mirror));
    assert!(!again.is_reached(&mirror));
    apply(&mut mirror, 7, [entry_set("", "k", "1", None)]);
    assert!(again.is_reached(&mirror));
}

#[test]
fn a_mirror_that_is_not_complete_has_reached_nothing() {
    let mirror = Mirror::new(1);
    assert!(!Mark::at(&mirror).is_reached(&mirror));
}
