//! The options of a watch.

use std::fmt;
use std::time::Duration;

use futures_core::future::BoxFuture;

use crate::channel::Channel;
use crate::error::Result;
use crate::new_entry::duration_of;
use crate::v1;
use crate::v1::watch_events_request::Start;
use crate::watch::Watch;

const OUTAGE_MAX: Duration = Duration::from_secs(300);

/// Builds a [`Watch`]: await it to open the watch.
///
/// ```no_run
/// use memoryd::v1::event::Subject;
///
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// let mut watch = agent.watch().key_prefix("plan/").initial_state().await?;
/// while let Some(event) = watch.next().await {
///     let event = event?;
///     match &event.subject {
///         Some(Subject::Entry(entry)) => println!("{} {:?}", entry.key, entry.value_after::<String>()?),
///         Some(Subject::Scope(scope)) => println!("{:?} {}", event.r#type(), scope.name),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// No commit after the await is missed. The watch begins with the next commit, or as the last call of
/// [`initial_state`](Self::initial_state), [`resume_token`](Self::resume_token) and
/// [`after_revision`](Self::after_revision) specifies.
///
/// An event is emitted if it matches every selection. With [`key_prefix`](Self::key_prefix),
/// [`conversation_ids`](Self::conversation_ids) or [`user_ids`](Self::user_ids), events that may concern such records,
/// such as those about the whole agent, are emitted, too. A selection narrows every filter down.
///
/// Opening fails if the daemon refuses the watch, and with `Unavailable` if the daemon cannot be reached within the
/// connect timeout. Dropping the future cancels the opening.
#[must_use = "a watch begins when it is awaited"]
pub struct WatchBuilder {
    channel: Channel,
    request: v1::WatchEventsRequest,
    outage_max: Option<Duration>,
}

impl WatchBuilder {
    pub(crate) fn new(channel: Channel, filters: Vec<v1::EventFilter>) -> Self {
        let request = v1::WatchEventsRequest { filters, ..Default::default() };
        Self { channel, request, outage_max: Some(OUTAGE_MAX) }
    }

    /// Selects the events about entries whose key starts with the prefix.
    pub fn key_prefix(self, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        self.narrow(|filter| filter.key_prefix.clone_from(&prefix))
    }

    /// Selects the events of these types.
    pub fn event_types(self, types: impl IntoIterator<Item = v1::EventType>) -> Self {
        let types = collect(types);
        self.narrow(|filter| filter.event_types.clone_from(&types))
    }

    /// Selects the events about records of these kinds.
    pub fn kinds(self, kinds: impl IntoIterator<Item = v1::RecordKind>) -> Self {
        let kinds = collect(kinds);
        self.narrow(|filter| filter.kinds.clone_from(&kinds))
    }

    /// Selects the events of these causes. Those of the initial state have `InitialState`.
    pub fn causes(self, causes: impl IntoIterator<Item = v1::EventCause>) -> Self {
        let causes = collect(causes);
        self.narrow(|filter| filter.causes.clone_from(&causes))
    }

    /// Selects the events of these conversations, and of their messages, plans, windows of entities and memories. An
    /// empty id selects records of no conversation.
    pub fn conversation_ids(self, conversation_ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let conversation_ids = collect(conversation_ids);
        self.narrow(|filter| record_of(filter).conversation_ids.clone_from(&conversation_ids))
    }

    /// Selects the events of records about these users. An empty id selects records about no user.
    pub fn user_ids(self, user_ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let user_ids = collect(user_ids);
        self.narrow(|filter| record_of(filter).user_ids.clone_from(&user_ids))
    }

    /// Selects the events of the records that this filter selects. It replaces what `conversation_ids` and `user_ids`
    /// selected before.
    pub fn filter(self, record: v1::RecordFilter) -> Self {
        let record = Some(record);
        self.narrow(|filter| filter.record.clone_from(&record))
    }

    /// Begins with the existing state, as events of cause `InitialState`.
    pub fn initial_state(self) -> Self {
        self.start(Start::IncludeInitialState(true))
    }

    /// Continues after the last event that another watch had returned when it had this token.
    pub fn resume_token(self, token: impl Into<String>) -> Self {
        self.start(Start::ResumeToken(token.into()))
    }

    /// Begins with the events after this revision. The filters must name exactly one agent.
    pub fn after_revision(self, revision: i64) -> Self {
        self.start(Start::AfterRevision(revision))
    }

    /// Omits what a writer wrote, such as the values, type names, tags and metadata of entries. Ids, keys, numbers,
    /// enums and times remain.
    pub fn without_content(mut self) -> Self {
        self.request.set_view(v1::RecordView::WithoutContent);
        self
    }

    /// Adds the record before each change to its event, if the journal still retains it.
    pub fn previous(mut self) -> Self {
        self.request.include_previous = true;
        self
    }

    /// Omits the events that this origin caused.
    pub fn exclude_origin(mut self, origin: impl Into<String>) -> Self {
        self.request.exclude_origin = origin.into();
        self
    }

    /// Sets how often the resume token advances when no event matches, from 100 ms to 1 hour. Default: 30 s.
    pub fn progress_interval(mut self, interval: Duration) -> Self {
        self.request.progress_interval = Some(duration_of(interval));
        self
    }

    /// Sets how long the daemon may stay unavailable before the watch fails; `None` is no limit. Default: 300 s.
    pub fn outage_max(mut self, outage_max: impl Into<Option<Duration>>) -> Self {
        self.outage_max = outage_max.into();
        self
    }

    fn start(mut self, start: Start) -> Self {
        self.request.start = Some(start);
        self
    }

    /// Changes every filter, of which there is at least one.
    fn narrow(mut self, change: impl FnMut(&mut v1::EventFilter)) -> Self {
        self.request.filters.iter_mut().for_each(change);
        self
    }
}

fn record_of(filter: &mut v1::EventFilter) -> &mut v1::RecordFilter {
    filter.record.get_or_insert_with(v1::RecordFilter::default)
}

fn collect<T>(items: impl IntoIterator<Item = impl Into<T>>) -> Vec<T> {
    items.into_iter().map(Into::into).collect()
}

impl IntoFuture for WatchBuilder {
    type Output = Result<Watch>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(Watch::open(self.channel, self.request, self.outage_max))
    }
}

impl fmt::Debug for WatchBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchBuilder").field("request", &self.request).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::client::Client;
    use crate::v1::{EventCause, EventFilter, EventType, RecordFilter, RecordKind, RecordView};

    fn client() -> Client {
        Client::builder().target("127.0.0.1:1").connect().unwrap()
    }

    fn of_agent(agent_id: &str) -> EventFilter {
        EventFilter { agent_ids: vec![agent_id.into()], ..Default::default() }
    }

    #[tokio::test]
    async fn selections_narrow_every_filter_down() {
        let watch = client()
            .watch([of_agent("a"), of_agent("b")])
            .key_prefix("u")
            .event_types([EventType::EntrySet])
            .kinds([RecordKind::Entry])
            .causes([EventCause::Request])
            .conversation_ids(["c", ""])
            .user_ids(["ann"]);
        let expected = ["a", "b"].map(|agent_id| EventFilter {
            key_prefix: "u".into(),
            event_types: vec![EventType::EntrySet.into()],
            kinds: vec![RecordKind::Entry.into()],
            causes: vec![EventCause::Request.into()],
            record: Some(RecordFilter {
                conversation_ids: vec!["c".into(), String::new()],
                user_ids: vec!["ann".into()],
                ..Default::default()
            }),
            ..of_agent(agent_id)
        });
        assert_eq!(watch.request.filters, expected);
    }

    #[tokio::test]
    async fn a_selection_narrows_a_watch_of_all_events_down() {
        assert_eq!(client().watch([]).request.filters, [EventFilter::default()]);
        let watch = client().watch([]).key_prefix("u").kinds([RecordKind::Note]);
        let expected =
            EventFilter { key_prefix: "u".into(), kinds: vec![RecordKind::Note.into()], ..Default::default() };
        assert_eq!(watch.request.filters, [expected]);
    }

    #[tokio::test]
    async fn options_select_how_much_events_contain() {
        let whole = client().watch([]).request;
        assert!(whole.view() != RecordView::WithoutContent && !whole.include_previous);
        let request = client().watch([]).without_content().previous().request;
        assert!(request.view() == RecordView::WithoutContent && request.include_previous);
    }
}
