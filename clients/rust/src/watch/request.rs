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
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// let mut watch = agent.watch().key_prefix("plan/").initial_state().await?;
/// while let Some(event) = watch.next().await {
///     let event = event?;
///     println!("{} {:?} {}", event.revision, event.r#type(), event.key);
/// }
/// # Ok(())
/// # }
/// ```
///
/// No commit after the await is missed. The watch begins with the next commit, or as the last call of
/// [`initial_state`](Self::initial_state), [`resume_token`](Self::resume_token) and
/// [`after_revision`](Self::after_revision) specifies.
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

    /// Selects the events about entries whose key starts with the prefix. Events that are not about one entry are
    /// emitted, too.
    pub fn key_prefix(mut self, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        for filter in &mut self.request.filters {
            filter.key_prefix.clone_from(&prefix);
        }
        self
    }

    /// Selects the events of these types.
    pub fn event_types(mut self, types: impl IntoIterator<Item = v1::EventType>) -> Self {
        let types: Vec<i32> = types.into_iter().map(Into::into).collect();
        for filter in &mut self.request.filters {
            filter.event_types.clone_from(&types);
        }
        self
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

    /// Omits the values of entries.
    pub fn without_values(mut self) -> Self {
        self.request.set_payload_mode(v1::PayloadMode::MetadataOnly);
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
