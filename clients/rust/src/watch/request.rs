//! The options of a watch.

use std::fmt;
use std::time::Duration;

use futures_core::future::BoxFuture;

use crate::channel::Channel;
use crate::error::{Error, Result};
use crate::input::choose;
use crate::new_entry::duration_of;
use crate::selection::{add_conditions, add_list, some_of, twice};
use crate::user::narrow;
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
/// No commit after the await is missed. The watch begins with the next commit, or as one of
/// [`initial_state`](Self::initial_state), [`resume_token`](Self::resume_token) and
/// [`after_revision`](Self::after_revision) specifies, which exclude each other.
///
/// An event is emitted if it matches every selection. With [`key_prefix`](Self::key_prefix),
/// [`conversation_ids`](Self::conversation_ids) or [`user_ids`](Self::user_ids), events that may concern such records,
/// such as those about the whole agent, are emitted, too. A selection narrows every filter down. Each is made once, by its
/// method or in a filter; otherwise opening fails with `InvalidArgument`, as it does for a selection that names none of
/// what it selects by.
///
/// Opening fails if the daemon refuses the watch, and with `Unavailable` if the daemon cannot be reached within the
/// connect timeout. Dropping the future cancels the opening.
#[must_use = "a watch begins when it is awaited"]
pub struct WatchBuilder {
    channel: Channel,
    request: v1::WatchEventsRequest,
    outage_max: Option<Duration>,
    /// The user whose records the filters select, unless they select users; empty for none.
    user_id: String,
    /// Why the selections cannot be used.
    failure: Option<Error>,
}

impl WatchBuilder {
    pub(crate) fn new(channel: Channel, filters: Vec<v1::EventFilter>) -> Self {
        let request = v1::WatchEventsRequest { filters, ..Default::default() };
        Self { channel, request, outage_max: Some(OUTAGE_MAX), user_id: String::new(), failure: None }
    }

    /// Makes each filter select the records of this user, unless it selects users.
    pub(crate) fn or_user(mut self, user_id: &str) -> Self {
        user_id.clone_into(&mut self.user_id);
        self
    }

    fn bound_request(&self) -> v1::WatchEventsRequest {
        let mut request = self.request.clone();
        if !self.user_id.is_empty() {
            for filter in &mut request.filters {
                narrow(filter.record.get_or_insert_default(), &self.user_id);
            }
        }
        request
    }

    /// Selects the events about entries whose key starts with the prefix.
    pub fn key_prefix(self, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        self.narrow(Ok(prefix), |filter, prefix| {
            if !filter.key_prefix.is_empty() && !prefix.is_empty() {
                return Err(twice("key_prefix"));
            }
            filter.key_prefix.push_str(prefix);
            Ok(())
        })
    }

    /// Selects the events of these types.
    pub fn event_types(self, types: impl IntoIterator<Item = v1::EventType>) -> Self {
        self.narrow(some_of("types", types), |filter, types| {
            add_list(&mut filter.event_types, types.clone(), "event_types")
        })
    }

    /// Selects the events about records of these kinds.
    pub fn kinds(self, kinds: impl IntoIterator<Item = v1::RecordKind>) -> Self {
        self.narrow(some_of("kinds", kinds), |filter, kinds| add_list(&mut filter.kinds, kinds.clone(), "kinds"))
    }

    /// Selects the events of these causes. Those of the initial state have `InitialState`.
    pub fn causes(self, causes: impl IntoIterator<Item = v1::EventCause>) -> Self {
        self.narrow(some_of("causes", causes), |filter, causes| add_list(&mut filter.causes, causes.clone(), "causes"))
    }

    /// Selects the events of these conversations, and of their messages, plans, windows of entities and memories. An
    /// empty id selects records of no conversation.
    pub fn conversation_ids(self, conversation_ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let chosen = some_of("conversations", conversation_ids);
        self.of_records(chosen.map(|conversation_ids| v1::RecordFilter { conversation_ids, ..Default::default() }))
    }

    /// Selects the events of records about these users. An empty id selects records about no user. Default: the
    /// [bound user](crate::Agent::user), else all.
    pub fn user_ids(self, user_ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let chosen = some_of("users", user_ids);
        self.of_records(chosen.map(|user_ids| v1::RecordFilter { user_ids, ..Default::default() }))
    }

    /// Selects the events of the records that this filter selects, too.
    pub fn filter(self, record: v1::RecordFilter) -> Self {
        self.of_records(Ok(record))
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

    /// Reports the revision of each commit at once, also of those that no selection matches, by a message of the phase
    /// `Progress`. The filters must name exactly one agent.
    pub fn progress_on_commit(mut self) -> Self {
        self.request.progress_on_commit = true;
        self
    }

    /// Sets how long the daemon may stay unavailable before the watch fails; `None` is no limit. Default: 300 s.
    pub fn outage_max(mut self, outage_max: impl Into<Option<Duration>>) -> Self {
        self.outage_max = outage_max.into();
        self
    }

    fn start(mut self, start: Start) -> Self {
        let chosen = choose(&mut self.request.start, Some(start), "initial_state, resume_token, after_revision");
        self.failure = self.failure.or(chosen.err());
        self
    }

    fn of_records(self, conditions: Result<v1::RecordFilter>) -> Self {
        self.narrow(conditions, |filter, conditions| {
            add_conditions(filter.record.get_or_insert_with(v1::RecordFilter::default), conditions.clone())
        })
    }

    /// Adds conditions to every filter, of which there is at least one.
    fn narrow<T>(mut self, conditions: Result<T>, mut add: impl FnMut(&mut v1::EventFilter, &T) -> Result<()>) -> Self {
        let added = conditions
            .and_then(|conditions| self.request.filters.iter_mut().try_for_each(|filter| add(filter, &conditions)));
        self.failure = self.failure.or(added.err());
        self
    }
}

impl IntoFuture for WatchBuilder {
    type Output = Result<Watch>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let request = self.bound_request();
        match self.failure {
            Some(failure) => Box::pin(std::future::ready(Err(failure))),
            None => Box::pin(Watch::open(self.channel, request, self.outage_max)),
        }
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
    use crate::error::ErrorKind;
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
    async fn selections_that_would_select_more_are_refused() {
        let all = RecordFilter { all_users: true, ..Default::default() };
        for refused in [
            client().watch([]).user_ids(["ann"]).user_ids(["bob"]),
            client().watch([]).user_ids(["ann"]).filter(all),
            client().watch([]).key_prefix("a").key_prefix("b"),
            client().watch([]).user_ids([] as [&str; 0]),
            client().watch([]).kinds([]),
            client().watch([]).initial_state().after_revision(1),
        ] {
            assert_eq!(refused.await.unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
    }

    #[tokio::test]
    async fn a_bound_user_is_selected_unless_others_are() {
        let agent = client().agent("a");
        for (watch, user_ids) in [
            (agent.watch(), vec![]),
            (agent.user("ada").watch().kinds([RecordKind::Note]), vec!["ada".to_owned()]),
            (agent.user("ada").attach("s").watch(), vec!["ada".to_owned()]),
            (agent.user("ada").watch().user_ids(["bob"]), vec!["bob".to_owned()]),
        ] {
            let filter = watch.bound_request().filters.remove(0);
            assert_eq!(filter.record.unwrap_or_default().user_ids, user_ids);
        }
    }

    #[tokio::test]
    async fn options_select_how_much_events_contain() {
        let whole = client().watch([]).request;
        assert!(whole.view() != RecordView::WithoutContent && !whole.include_previous);
        let request = client().watch([]).without_content().previous().request;
        assert!(request.view() == RecordView::WithoutContent && request.include_previous);
    }
}
