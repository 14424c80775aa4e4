//! The conditions of several filters, which must all hold.

use crate::error::{Error, ErrorKind, Result};
use crate::v1;
use crate::v1::record_filter::Kind;

/// Adds conditions to those of a filter. Fails if both have one that would select more than each.
pub(crate) fn add_conditions(filter: &mut v1::RecordFilter, conditions: v1::RecordFilter) -> Result<()> {
    let v1::RecordFilter {
        ids,
        user_ids,
        all_users,
        all_tags,
        any_tags,
        metadata,
        create_start_time,
        create_end_time,
        update_start_time,
        update_end_time,
        conversation_ids,
        any_of,
        none_of,
        kind,
    } = conditions;
    add_list(&mut filter.ids, ids, "ids")?;
    add_list(&mut filter.user_ids, user_ids, "user_ids")?;
    filter.all_users |= all_users;
    check_users(filter)?;
    filter.all_tags.extend(all_tags);
    add_list(&mut filter.any_tags, any_tags, "any_tags")?;
    filter.metadata.extend(metadata);
    add_option(&mut filter.create_start_time, create_start_time, "create_start_time")?;
    add_option(&mut filter.create_end_time, create_end_time, "create_end_time")?;
    add_option(&mut filter.update_start_time, update_start_time, "update_start_time")?;
    add_option(&mut filter.update_end_time, update_end_time, "update_end_time")?;
    add_list(&mut filter.conversation_ids, conversation_ids, "conversation_ids")?;
    add_list(&mut filter.any_of, any_of, "any_of")?;
    filter.none_of.extend(none_of);
    match (&mut filter.kind, kind) {
        (Some(Kind::Entry(entry)), Some(Kind::Entry(more))) => add_entry(entry, more),
        (present, more) => add_option(present, more, "the condition on a kind of records"),
    }
}

/// Fails if a filter selects some users and all users.
pub(crate) fn check_users(filter: &v1::RecordFilter) -> Result<()> {
    if filter.all_users && !filter.user_ids.is_empty() {
        return Err(invalid("the selections of some users and of all users exclude each other"));
    }
    Ok(())
}

/// Selects by a list of which a record has any one. Fails if there is none, or one already.
pub(crate) fn select<T>(present: &mut Vec<T>, what: &str, given: impl IntoIterator<Item = impl Into<T>>) -> Result<()> {
    add_list(present, some_of(what, given)?, what)
}

/// A condition on the records of one kind.
pub(crate) trait KindCondition: Default {
    /// Returns this condition of a filter. It replaces a condition on another kind.
    fn of(filter: &mut Option<v1::RecordFilter>) -> &mut Self;
}

macro_rules! kind_conditions {
    ($($condition:ident: $kind:ident,)*) => {
        $(impl KindCondition for v1::$condition {
            fn of(filter: &mut Option<v1::RecordFilter>) -> &mut Self {
                let kind = &mut filter.get_or_insert_default().kind;
                if !matches!(kind, Some(Kind::$kind(_))) {
                    *kind = Some(Kind::$kind(Self::default()));
                }
                match kind {
                    Some(Kind::$kind(condition)) => condition,
                    _ => unreachable!("it was set"),
                }
            }
        })*
    };
}

kind_conditions! {
    FragmentCondition: Fragment,
    MemoryCondition: Memory,
    MemoryLinkCondition: MemoryLink,
    NoteCondition: Note,
    PlanCondition: Plan,
    DocumentCondition: Document,
    MessageCondition: Message,
}

/// Returns what is selected by. Fails if there is none, which would select all.
pub(crate) fn some_of<T>(what: &str, given: impl IntoIterator<Item = impl Into<T>>) -> Result<Vec<T>> {
    let chosen: Vec<T> = given.into_iter().map(Into::into).collect();
    if chosen.is_empty() {
        return Err(invalid(format!("a selection by {what} must name at least one: leave it out to select all")));
    }
    Ok(chosen)
}

/// Adds a list of which a record has any one. Fails if there is one already.
pub(crate) fn add_list<T>(present: &mut Vec<T>, more: Vec<T>, what: &str) -> Result<()> {
    if more.is_empty() {
        return Ok(());
    }
    if !present.is_empty() {
        return Err(twice(what));
    }
    *present = more;
    Ok(())
}

pub(crate) fn twice(what: &str) -> Error {
    invalid(format!("{what} is selected twice: select it once"))
}

fn add_entry(condition: &mut v1::EntryCondition, more: v1::EntryCondition) -> Result<()> {
    let v1::EntryCondition { key_prefixes, types, type_names, min_importance } = more;
    add_list(&mut condition.key_prefixes, key_prefixes, "key_prefixes")?;
    add_list(&mut condition.types, types, "types")?;
    add_list(&mut condition.type_names, type_names, "type_names")?;
    condition.min_importance = condition.min_importance.max(min_importance);
    Ok(())
}

fn add_option<T>(present: &mut Option<T>, more: Option<T>, what: &str) -> Result<()> {
    if more.is_none() {
        return Ok(());
    }
    if present.is_some() {
        return Err(twice(what));
    }
    *present = more;
    Ok(())
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidArgument, message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_entries(condition: v1::EntryCondition) -> v1::RecordFilter {
        v1::RecordFilter { kind: Some(Kind::Entry(condition)), ..Default::default() }
    }

    fn of_users(user_ids: &[&str]) -> v1::RecordFilter {
        v1::RecordFilter { user_ids: user_ids.iter().map(|&id| id.to_owned()).collect(), ..Default::default() }
    }

    #[test]
    fn conditions_combine() {
        let mut filter = of_entries(v1::EntryCondition { min_importance: 0.5, ..Default::default() });
        filter.all_tags = vec!["x".to_owned()];
        let mut more = of_entries(v1::EntryCondition { types: vec![2], ..Default::default() });
        more.all_tags = vec!["y".to_owned()];
        more.ids = vec!["k".to_owned()];
        add_conditions(&mut filter, more).unwrap();
        let entry = v1::EntryCondition { min_importance: 0.5, types: vec![2], ..Default::default() };
        let expected = v1::RecordFilter {
            ids: vec!["k".to_owned()],
            all_tags: vec!["x".to_owned(), "y".to_owned()],
            ..of_entries(entry)
        };
        assert_eq!(filter, expected);
    }

    #[test]
    fn conditions_that_would_select_more_are_refused() {
        let all = v1::RecordFilter { all_users: true, ..Default::default() };
        let notes = v1::RecordFilter { kind: Some(Kind::Note(v1::NoteCondition::default())), ..Default::default() };
        let prefix = v1::EntryCondition { key_prefixes: vec!["a".to_owned()], ..Default::default() };
        for (one, other) in [
            (of_users(&["ann"]), of_users(&["bob"])),
            (of_users(&["ann"]), all.clone()),
            (all, of_users(&["ann"])),
            (of_entries(prefix.clone()), of_entries(prefix)),
            (of_entries(v1::EntryCondition::default()), notes),
        ] {
            let error = add_conditions(&mut one.clone(), other).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        }
    }

    #[test]
    fn a_selection_of_nothing_is_refused() {
        assert_eq!(some_of::<String>("users", [] as [&str; 0]).unwrap_err().kind(), ErrorKind::InvalidArgument);
        assert_eq!(some_of::<String>("users", ["ann"]).unwrap(), ["ann"]);
    }
}
