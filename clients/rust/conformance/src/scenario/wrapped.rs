//! What the requests of scenarios are made of again, for the wrappers.

use std::sync::atomic::{AtomicUsize, Ordering};

use memoryd::v1::consistency::Requirement;
use memoryd::v1::precondition;
use memoryd::{
    AgentConditionalRequest, Call, ChangeRequest, Client, Condition, ConditionalRequest, ReadRequest, ViewRequest, v1,
};
use prost::Message as _;
use prost_reflect::{DynamicMessage, MessageDescriptor, ReflectMessage as _, Value};
use prost_types::value::Kind;
use serde_json::Map;

use super::{Played, wrappers};

/// The number of calls with the requests of wrappers.
static CALLS: AtomicUsize = AtomicUsize::new(0);

pub fn calls() -> usize {
    CALLS.load(Ordering::Relaxed)
}

/// Returns the request that the wrapper of a method makes for what a request says, or `None` if there is no wrapper, or
/// none that can say it. Fails if the wrapper makes another request.
pub fn again(client: &Client, method: &str, kind: &MessageDescriptor, request: &[u8]) -> Played<Option<Vec<u8>>> {
    let asked = decoded(kind, request)?;
    let Some(made) = wrappers::again(client, method, request).filter(|_| is_sayable(&asked)) else {
        return Ok(None);
    };
    let mut made = decoded(kind, &made)?;
    // The wrappers read all pages, and choose their size.
    if let Some(page_size) = kind.get_field_by_name("page_size") {
        made.set_field(&page_size, asked.get_field(&page_size).into_owned());
    }
    let (left, right) = (comparable(made.clone()), comparable(asked));
    // As texts, values that are not numbers are the same.
    if left != right && left.to_string() != right.to_string() {
        return Err(format!("the wrapper of {method} makes {left} instead of {right}"));
    }
    CALLS.fetch_add(1, Ordering::Relaxed);
    Ok(Some(made.encode_to_vec()))
}

fn decoded(kind: &MessageDescriptor, request: &[u8]) -> Played<DynamicMessage> {
    DynamicMessage::decode(kind.clone(), request).map_err(|error| error.to_string())
}

/// Returns whether options can say an update: whether its mask names all that its draft has.
fn is_sayable(request: &DynamicMessage) -> bool {
    let kind = request.descriptor();
    let (Some(mask), Some(draft)) = (kind.get_field_by_name("update_mask"), kind.get_field_by_name("draft")) else {
        return true;
    };
    let (has_mask, mask, draft) = (request.has_field(&mask), request.get_field(&mask), request.get_field(&draft));
    let (Some(mask), Some(draft)) = (mask.as_message(), draft.as_message()) else { return false };
    let Some(paths) = mask.get_field_by_name("paths") else { return false };
    let paths: Vec<&str> = paths.as_list().unwrap_or_default().iter().filter_map(Value::as_str).collect();
    has_mask && draft.fields().all(|(field, _)| field.name() == "ttl" || paths.contains(&field.name()))
}

/// Returns a request without what does not matter: whether the draft of an update, or a filter, is empty.
fn comparable(mut message: DynamicMessage) -> DynamicMessage {
    let kind = message.descriptor();
    let draft = kind.get_field_by_name("draft").filter(|_| kind.get_field_by_name("update_mask").is_some());
    for part in draft.into_iter().chain(kind.get_field_by_name("filter")) {
        if message.get_field(&part).as_message().is_some_and(|part| part.fields().next().is_none()) {
            message.clear_field(&part);
        }
    }
    message
}

type Said<Q, T> = Option<Call<Q, T>>;

/// Adds a condition on the record.
pub fn condition<Q: ConditionalRequest, T>(call: Call<Q, T>, given: Option<v1::Precondition>) -> Said<Q, T> {
    match given {
        None => Some(call),
        Some(given) => Some(call.condition(condition_of(given)?)),
    }
}

/// Adds a condition on the agent.
pub fn agent_condition<Q: AgentConditionalRequest, T>(call: Call<Q, T>, given: Option<v1::Precondition>) -> Said<Q, T> {
    match given {
        None => Some(call),
        Some(given) => Some(call.agent_condition(condition_of(given)?)),
    }
}

fn condition_of(given: v1::Precondition) -> Option<Condition> {
    match given.condition? {
        precondition::Condition::MustNotExist(true) => Some(Condition::MustNotExist),
        precondition::Condition::MustExist(true) => Some(Condition::MustExist),
        precondition::Condition::ExpectedRevision(revision) => Some(Condition::ExpectedRevision(revision)),
        _ => None,
    }
}

/// Adds a request id.
#[allow(clippy::unnecessary_wraps, reason = "the others may have what cannot be said")]
pub fn request_id<Q: ChangeRequest, T>(call: Call<Q, T>, given: String) -> Said<Q, T> {
    Some(if given.is_empty() { call } else { call.request_id(given) })
}

/// Adds how current the response must be.
pub fn consistency<Q: ReadRequest, T>(call: Call<Q, T>, given: Option<v1::Consistency>) -> Said<Q, T> {
    let Some(given) = given else { return Some(call) };
    match given.requirement? {
        Requirement::MinRevision(revision) => Some(call.min_revision(revision)),
        Requirement::MaxStaleness(staleness) => Some(call.max_staleness(staleness.try_into().ok()?)),
    }
}

/// Leaves out what a writer wrote.
pub fn view<Q: ViewRequest, T>(call: Call<Q, T>, given: i32) -> Said<Q, T> {
    match v1::RecordView::try_from(given).ok()? {
        v1::RecordView::Unspecified => Some(call),
        v1::RecordView::WithoutContent => Some(call.without_content()),
        v1::RecordView::Full => None,
    }
}

/// Returns whether a field has another value than its default.
pub fn is_set<T: Default + PartialEq>(value: &T) -> bool {
    *value != T::default()
}

/// Returns values of an enum.
pub fn enums_of<E: TryFrom<i32>>(given: Vec<i32>) -> Option<Vec<E>> {
    given.into_iter().map(|value| value.try_into().ok()).collect()
}

pub fn json_of_struct(given: prost_types::Struct) -> serde_json::Value {
    serde_json::Value::Object(
        given.fields.into_iter().map(|(name, value)| (name, json_of(value))).collect::<Map<_, _>>(),
    )
}

pub fn json_of(given: prost_types::Value) -> serde_json::Value {
    match given.kind {
        None | Some(Kind::NullValue(_)) => serde_json::Value::Null,
        Some(Kind::NumberValue(number)) => number.into(),
        Some(Kind::StringValue(text)) => text.into(),
        Some(Kind::BoolValue(value)) => value.into(),
        Some(Kind::StructValue(object)) => json_of_struct(object),
        Some(Kind::ListValue(list)) => serde_json::Value::Array(list.values.into_iter().map(json_of).collect()),
    }
}
