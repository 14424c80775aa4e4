//! What to watch, before the watch is open.

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

/// What to watch, and from where: await it to open the watch.
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
/// The watch has begun when it is answered: from then on no commit is missed. It begins with the next commit, unless
/// one of [`initial_state`](Self::initial_state), [`resume_token`](Self::resume_token) and
/// [`after_revision`](Self::after_revision) says otherwise; each of them replaces the others.
///
/// Opening fails when the daemon refuses the watch, and with `Unavailable` when the daemon cannot be reached for the
/// connect timeout. Dropping the future gives up.
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

    /// Of the events about one entry, only those whose key starts with it. Events about more than one entry pass.
    pub fn key_prefix(mut self, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        for filter in &mut self.request.filters {
            filter.key_prefix.clone_from(&prefix);
        }
        self
    }

    /// Only the events of these types.
    pub fn event_types(mut self, types: impl IntoIterator<Item = v1::EventType>) -> Self {
        let types: Vec<i32> = types.into_iter().map(Into::into).collect();
        for filter in &mut self.request.filters {
            filter.event_types.clone_from(&types);
        }
        self
    }

    /// First tell what is there, as events of cause `InitialState`.
    pub fn initial_state(self) -> Self {
        self.start(Start::IncludeInitialState(true))
    }

    /// Go on where a watch that had this token was.
    pub fn resume_token(self, token: impl Into<String>) -> Self {
        self.start(Start::ResumeToken(token.into()))
    }

    /// Begin with the events after this revision. The filters must name exactly one agent.
    pub fn after_revision(self, revision: i64) -> Self {
        self.start(Start::AfterRevision(revision))
    }

    /// Leave the values of entries out.
    pub fn without_values(mut self) -> Self {
        self.request.set_payload_mode(v1::PayloadMode::MetadataOnly);
        self
    }

    /// Leave out the events that this origin has caused.
    pub fn exclude_origin(mut self, origin: impl Into<String>) -> Self {
        self.request.exclude_origin = origin.into();
        self
    }

    /// How often a watch with nothing to tell says so: 100 ms to 1 hour; 30 s unless told otherwise.
    pub fn progress_interval(mut self, interval: Duration) -> Self {
        self.request.progress_interval = Some(duration_of(interval));
        self
    }

    /// How long the daemon may stay away before the watch fails; 300 s unless told otherwise, `None` for as long as it
    /// takes.
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
