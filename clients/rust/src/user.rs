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

/// Returns whether a request names the records, or what they belong to, whose user is theirs: the bound user would
/// leave out those of a conversation without a user.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::call::tests::agent;
    use crate::error::ErrorKind;
    use crate::kinds::MemoryDraft;
    use crate::method::UnaryRequest;

    fn request<Q: UnaryRequest, T: 'static>(call: Call<Q, T>) -> Q {
        call.into_request().unwrap()
    }

    #[tokio::test]
    async fn a_bound_user_is_that_of_what_is_written_unless_it_names_another() {
        let ada = agent().user("ada");
        assert_eq!(request(ada.notes().create("t", "c")).draft.unwrap().user_id, "ada");
        assert_eq!(request(ada.notes().create("t", "c").user_id("bob")).draft.unwrap().user_id, "bob");
        let drafts = [MemoryDraft::new("1"), MemoryDraft::new("2").user_id("bob")];
        let users = request(ada.memories().create_many(drafts)).drafts.into_iter().map(|draft| draft.user_id);
        assert_eq!(users.collect::<Vec<_>>(), ["ada", "bob"]);
        assert_eq!(request(ada.documents().create()).draft.unwrap().user_id, "ada");
        let none = [] as [v1::Entity; 0];
        assert_eq!(request(ada.entities().set("c", none.clone())).user_id.as_deref(), Some("ada"));
        assert_eq!(request(ada.entities().set("c", none.clone()).user_id("")).user_id.as_deref(), Some(""));
        assert_eq!(request(agent().entities().set("c", none)).user_id, None);
        assert_eq!(request(agent().documents().create()).draft, None);
    }

    #[tokio::test]
    async fn an_update_keeps_the_user() {
        let update = request(agent().user("ada").notes().update("n").title("t"));
        assert_eq!(update.draft.unwrap().user_id, "");
        assert_eq!(update.update_mask.unwrap().paths, ["title"]);
    }

    #[tokio::test]
    async fn a_bound_user_is_selected_unless_others_are() {
        let ada = agent().user("ada").memories();
        let of_users = |user_ids: &[&str]| v1::RecordFilter {
            user_ids: user_ids.iter().map(|&id| id.to_owned()).collect(),
            ..Default::default()
        };
        for (call, expected) in [
            (agent().memories().forget_many(), None),
            (ada.forget_many(), None), // it would be all that there is of the user
            (ada.forget_many().all_tags([] as [&str; 0]), Some(of_users(&[]))),
            (ada.forget_many().memory_ids(["m"]), None),
            (ada.forget_many().user_ids([""]), Some(of_users(&[""]))),
            (ada.forget_many().all_users(), Some(v1::RecordFilter { all_users: true, ..of_users(&[]) })),
            (
                ada.forget_many().all_tags(["t"]),
                Some(v1::RecordFilter { all_tags: vec!["t".into()], ..of_users(&["ada"]) }),
            ),
        ] {
            assert_eq!(request(call).filter, expected);
        }
        assert_eq!(request(ada.recall("q")).filter, Some(of_users(&["ada"])));
        assert_eq!(request(agent().user("ada").compose()).filter, Some(of_users(&["ada"])));
    }

    #[tokio::test]
    async fn a_bound_user_is_not_selected_among_the_records_of_what_a_call_names() {
        let ada = agent().user("ada");
        assert_eq!(request(ada.conversations().messages("c")).filter, None);
        assert_eq!(request(ada.memories().links().memory_id("m")).filter, None);
        assert_eq!(request(ada.memories().links()).filter.unwrap().user_ids, ["ada"]);
    }

    #[tokio::test]
    async fn some_users_and_all_users_exclude_each_other() {
        for call in [
            agent().notes().list().user_ids(["ada"]).all_users(),
            agent().user("ada").notes().list().all_users().user_ids(["bob"]),
        ] {
            assert_eq!(call.into_request().unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
    }
}
