//! The user that an agent may be bound to: whom the agent writes about, and whose records it selects.

use std::any::Any;

use prost::Message;

use crate::error::Result;
use crate::method::SelectingRequest;
use crate::selection::check_users;
use crate::v1;

/// Sets the user of what is written, unless it has one.
pub(crate) fn bind(field: &mut String, user_id: &str) {
    if field.is_empty() {
        user_id.clone_into(field);
    }
}

/// Sets the user of what is written, unless the caller has named one, or none.
pub(crate) fn bind_optional(field: &mut Option<String>, user_id: &str) {
    if field.is_none() && !user_id.is_empty() {
        *field = Some(user_id.to_owned());
    }
}

/// Selects the user's records, unless the request selects users or names the records.
pub(crate) fn select<R: SelectingRequest>(request: &mut R, user_id: &str) -> Result<()> {
    if !user_id.is_empty() && !names_records(request) {
        narrow(request.filter_mut().get_or_insert_default(), user_id);
    }
    request.filter_mut().as_ref().map_or(Ok(()), check_users)
}

/// Selects the user's records, unless the filter selects users.
pub(crate) fn narrow(filter: &mut v1::RecordFilter, user_id: &str) {
    if filter.user_ids.is_empty() && !filter.all_users {
        filter.user_ids.push(user_id.to_owned());
    }
}

/// Returns whether a request names the records, or what they belong to, whose user is theirs: the bound user would leave
/// out those of a conversation without a user.
fn names_records(request: &dyn Any) -> bool {
    if let Some(request) = request.downcast_ref::<v1::BatchForgetMemoriesRequest>() {
        // Without any condition, it would forget all that there is of the user.
        let is_conditional = request.filter.as_ref().is_some_and(|filter| filter.encoded_len() > 0);
        return !request.memory_ids.is_empty() || !is_conditional;
    }
    if let Some(request) = request.downcast_ref::<v1::ListMemoryLinksRequest>() {
        return !request.memory_id.is_empty();
    }
    request.is::<v1::ListMessagesRequest>()
}
