//! A listing of entries, page by page.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::error::{Error, Result};
use crate::method::UnaryRequest;
use crate::records::Records;
use crate::selection::{add_conditions, some_of};
use crate::v1;
use crate::v1::record_filter::Kind;
use crate::working_memory::WorkingMemory;

/// The entries of an agent or scope, all at one revision: a stream that reads them page by page, by default in the order
/// of their keys.
///
/// Set the filters first, then read: a filter that is set later has no effect. An entry is listed if it matches all
/// filters. Each selection is made once, by its method or in a filter; otherwise reading fails with
/// `InvalidArgument`, as it does for a selection that names none of what it selects by.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// let mut bookings = agent.entries().key_prefix("booking/").all_tags(["open"]);
/// while let Some(entry) = bookings.next().await {
///     let entry = entry?;
///     println!("{}: {}", entry.key, entry.value_json);
/// }
/// # Ok(())
/// # }
/// ```
///
/// An error is the last item; it is `PageTokenExpired` if the reader takes too long.
#[must_use = "nothing is requested until the stream is read"]
pub struct Entries {
    working_memory: WorkingMemory,
    request: v1::ListEntriesRequest,
    /// What is read, once that began.
    records: Option<Records<v1::Entry>>,
    /// Why the selections cannot be used.
    failure: Option<Error>,
}

impl Entries {
    pub(crate) fn new(working_memory: &WorkingMemory) -> Self {
        let request = v1::ListEntriesRequest {
            agent_id: working_memory.agent_id().to_owned(),
            scope_id: working_memory.scope_id().to_owned(),
            consistency: working_memory.place.consistency,
            ..Default::default()
        };
        Self { working_memory: working_memory.clone(), request, records: None, failure: None }
    }

    /// Lists every entry that a read finds: the nearest one of each key, up to the root.
    pub fn inherited(self) -> Self {
        self.asking(|request| request.include_inherited = true)
    }

    /// Selects the keys that start with the prefix.
    pub fn key_prefix(self, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        let key_prefixes = if prefix.is_empty() { Vec::new() } else { vec![prefix] };
        self.selecting_entries(Ok(v1::EntryCondition { key_prefixes, ..Default::default() }))
    }

    /// Selects the entries that have all of these tags.
    pub fn all_tags<S: Into<String>>(self, tags: impl IntoIterator<Item = S>) -> Self {
        let all_tags = tags.into_iter().map(Into::into).collect();
        self.selecting(Ok(v1::RecordFilter { all_tags, ..Default::default() }))
    }

    /// Selects the entries that have at least one of these tags.
    pub fn any_tags<S: Into<String>>(self, tags: impl IntoIterator<Item = S>) -> Self {
        let any_tags = some_of("tags", tags);
        self.selecting(any_tags.map(|any_tags| v1::RecordFilter { any_tags, ..Default::default() }))
    }

    /// Selects the entries of these types.
    pub fn entry_types(self, types: impl IntoIterator<Item = v1::EntryType>) -> Self {
        let types = some_of("types", types);
        self.selecting_entries(types.map(|types| v1::EntryCondition { types, ..Default::default() }))
    }

    /// Selects the entries about these users. An empty id selects those about none. Default: those about
    /// the [bound user](crate::Agent::user), else about none.
    pub fn user_ids<S: Into<String>>(self, user_ids: impl IntoIterator<Item = S>) -> Self {
        let user_ids = some_of("users", user_ids);
        self.selecting(user_ids.map(|user_ids| v1::RecordFilter { user_ids, ..Default::default() }))
    }

    /// Selects the entries about all users, and those about none.
    pub fn all_users(self) -> Self {
        self.selecting(Ok(v1::RecordFilter { all_users: true, ..Default::default() }))
    }

    /// Selects the entries that this filter selects, too.
    pub fn filter(self, filter: v1::RecordFilter) -> Self {
        self.selecting(Ok(filter))
    }

    /// Sets the order of the entries. Default: that of their keys.
    pub fn order(self, order: v1::ListOrder) -> Self {
        self.asking(|request| request.set_order(order))
    }

    /// Omits what a writer wrote: values, type names, tags and metadata.
    pub fn without_content(self) -> Self {
        self.asking(|request| request.set_view(v1::RecordView::WithoutContent))
    }

    /// Returns the next entry, or `None` after the last. Cancel safe: no entry is lost.
    pub async fn next(&mut self) -> Option<Result<v1::Entry>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    fn selecting_entries(self, condition: Result<v1::EntryCondition>) -> Self {
        self.selecting(condition.map(|entry| v1::RecordFilter { kind: Some(Kind::Entry(entry)), ..Default::default() }))
    }

    fn selecting(mut self, conditions: Result<v1::RecordFilter>) -> Self {
        let filter = self.request.filter.get_or_insert_default();
        let added = conditions.and_then(|conditions| add_conditions(filter, conditions));
        self.failure = self.failure.or(added.err());
        self
    }

    fn asking(mut self, say: impl FnOnce(&mut v1::ListEntriesRequest)) -> Self {
        say(&mut self.request);
        self
    }
}

impl Stream for Entries {
    type Item = Result<v1::Entry>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let records = this.records.get_or_insert_with(|| {
            let mut request = this.request.clone();
            let bound = request.bind_user(&this.working_memory.place.user_id);
            let request = this.failure.take().map_or(bound, Err).map(|()| request);
            Records::new(this.working_memory.channel.clone(), request, |response| response.entries)
        });
        Pin::new(records).poll_next(context)
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("request", &self.request).finish_non_exhaustive()
    }
}
