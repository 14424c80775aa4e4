//! The unary methods of the daemon, and which of them are safe to repeat.

use std::fmt::Debug;

use crate::error::Result;
use crate::v1;

mod sealed {
    pub trait Sealed {}
}

/// The agents whose records a request changes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub enum ChangedAgents<'a> {
    None,
    One(&'a str),
    All,
}

/// A request of a unary method, for [`Client::call`](crate::Client::call). Every such message of [`v1`] implements it.
pub trait UnaryRequest: prost::Message + Clone + Debug + Default + sealed::Sealed + 'static {
    /// The message that the method returns.
    type Response: prost::Message + Clone + Default + 'static;

    /// The method's path on the wire.
    const PATH: &'static str;

    /// If true, a failed call may be sent again. It follows from the idempotency level in the method's proto.
    const REPEATABLE: bool;

    /// Returns the field for the request id, if the method has one.
    fn request_id(&mut self) -> Option<&mut String> {
        None
    }

    /// Returns how long the daemon may hold the call, if the request says so.
    #[doc(hidden)]
    fn wait_duration(&self) -> Option<&prost_types::Duration> {
        None
    }

    /// Returns the agent of the request, empty if it has none.
    #[doc(hidden)]
    #[allow(clippy::unnecessary_literal_bound, reason = "that of other requests is theirs")]
    fn agent_id(&self) -> &str {
        ""
    }

    /// Returns the agents that the request changes.
    #[doc(hidden)]
    fn changed_agents(&self) -> ChangedAgents<'_> {
        ChangedAgents::None
    }

    /// Returns the agent's revision in a response, 0 if it has none.
    #[doc(hidden)]
    fn revision_of(_response: &Self::Response) -> i64 {
        0
    }

    /// Sets the agent of the request.
    #[doc(hidden)]
    fn bind_agent(&mut self, _agent_id: &str) {}

    /// Makes what the request writes about the user, and selects the user's records, unless it names others.
    #[doc(hidden)]
    fn bind_user(&mut self, _user_id: &str) -> Result<()> {
        Ok(())
    }
}

/// A request that changes a record, and may have a condition on it.
pub trait ConditionalRequest: UnaryRequest {
    #[doc(hidden)]
    fn precondition_mut(&mut self) -> &mut Option<v1::Precondition>;
}

/// A request that changes an agent, and may have a condition on it.
pub trait AgentConditionalRequest: UnaryRequest {
    #[doc(hidden)]
    fn agent_precondition_mut(&mut self) -> &mut Option<v1::Precondition>;
}

/// A request that changes something, once for its id.
pub trait ChangeRequest: UnaryRequest {
    #[doc(hidden)]
    fn request_id_mut(&mut self) -> &mut String;
}

/// A request that reads, and may say how current the response must be.
pub trait ReadRequest: UnaryRequest {
    #[doc(hidden)]
    fn consistency_mut(&mut self) -> &mut Option<v1::Consistency>;
}

/// A request that selects records.
pub trait SelectingRequest: UnaryRequest {
    #[doc(hidden)]
    fn filter_mut(&mut self) -> &mut Option<v1::RecordFilter>;
}

/// A request that may leave out what a writer wrote.
pub trait ViewRequest: UnaryRequest {
    #[doc(hidden)]
    fn view_mut(&mut self) -> &mut i32;
}

/// A request that lists records, page by page.
pub trait PagedRequest: UnaryRequest {
    /// Returns the fields for the size of a page, and for the token of the page.
    #[doc(hidden)]
    fn page_mut(&mut self) -> (&mut i32, &mut String);

    /// Takes the token of the next page out of a response; it is empty after the last page.
    #[doc(hidden)]
    fn next_page_token(response: &mut Self::Response) -> String;
}

/// A request of a method that can be a write of a [`Transaction`](crate::Transaction). Every such message of [`v1`]
/// implements it: see [`v1::Write`].
pub trait WriteRequest: UnaryRequest {
    /// Returns the write.
    #[doc(hidden)]
    fn into_write(self) -> v1::write::Write;

    /// Returns the response of this method, or `None` for a result of another one.
    #[doc(hidden)]
    fn response(result: &v1::write_result::Result) -> Option<&Self::Response>;
}

include!(concat!(env!("OUT_DIR"), "/method.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    fn repeatable<R: UnaryRequest>() -> bool {
        R::REPEATABLE
    }

    #[test]
    fn changes_with_a_request_id_and_reads_are_repeatable() {
        assert!(repeatable::<v1::SetEntryRequest>());
        assert!(v1::SetEntryRequest::default().request_id().is_some());
        assert!(repeatable::<v1::GetEntryRequest>());
        assert!(repeatable::<v1::BatchGetEntriesRequest>());
        assert!(repeatable::<v1::ListSnapshotsRequest>());
        assert!(repeatable::<v1::RecallMemoriesRequest>());
        assert!(repeatable::<v1::SearchDocumentsRequest>());
        assert!(repeatable::<v1::CompactMessagesRequest>());
        assert!(v1::CompactMessagesRequest::default().request_id().is_some());
        assert!(repeatable::<v1::ReembedMemoriesRequest>());
        assert!(v1::GetEntryRequest::default().request_id().is_none());
    }

    #[test]
    fn changes_of_snapshots_are_repeatable_with_a_request_id() {
        assert!(repeatable::<v1::CreateSnapshotRequest>());
        assert!(v1::CreateSnapshotRequest::default().request_id().is_some());
        assert!(repeatable::<v1::RestoreSnapshotRequest>());
        assert!(v1::RestoreSnapshotRequest::default().request_id().is_some());
        assert!(repeatable::<v1::DeleteSnapshotRequest>());
    }

    #[test]
    fn a_request_names_the_agents_that_it_changes() {
        let agent_id = "a".to_owned();
        let set = v1::SetEntryRequest { agent_id: agent_id.clone(), ..Default::default() };
        assert_eq!(set.changed_agents(), ChangedAgents::One("a"));
        let get = v1::GetEntryRequest { agent_id: agent_id.clone(), ..Default::default() };
        assert_eq!(get.changed_agents(), ChangedAgents::None);
        assert_eq!(v1::GetServerInfoRequest {}.changed_agents(), ChangedAgents::None);
        let restore = |agent_id: &str, as_agent_id: &str, dry_run| v1::RestoreSnapshotRequest {
            agent_id: agent_id.into(),
            as_agent_id: as_agent_id.into(),
            dry_run,
            ..Default::default()
        };
        assert_eq!(restore("", "", false).changed_agents(), ChangedAgents::All);
        assert_eq!(restore("a", "", false).changed_agents(), ChangedAgents::One("a"));
        assert_eq!(restore("a", "b", false).changed_agents(), ChangedAgents::One("b"));
        assert_eq!(restore("a", "b", true).changed_agents(), ChangedAgents::None);
        assert_eq!(v1::SetEntryRequest::revision_of(&v1::SetEntryResponse { revision: 7, ..Default::default() }), 7);
    }

    #[test]
    fn a_method_is_found_at_its_path() {
        assert_eq!(v1::EndAgentRequest::PATH, "/memoryd.v1.AgentService/EndAgent");
    }
}
