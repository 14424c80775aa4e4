//! The state of a watch across its connections: builds requests, and decides whether to reconnect. Does no I/O.

use std::mem;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::retry::{backoff, jitter, may_pass};
use crate::v1;
use crate::v1::WatchPhase;
use crate::v1::watch_events_request::Start;

const LONGEST_DELAY: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Progress {
    request: v1::WatchEventsRequest,
    /// The token of the last message that was received, where a reconnection continues.
    resume_token: String,
    initial_state_complete: bool,
    heard_initial_state: bool,
    failures: u32,
    outage_max: Option<Duration>,
    give_up_at: Option<Instant>,
}

impl Progress {
    /// Begins a watch. `connect_timeout` limits how long the daemon may stay unavailable before the watch has opened,
    /// and `outage_max` after that.
    pub(crate) fn new(
        request: v1::WatchEventsRequest,
        connect_timeout: Duration,
        outage_max: Option<Duration>,
    ) -> Self {
        Self {
            resume_token: String::new(),
            initial_state_complete: request.start != Some(Start::IncludeInitialState(true)),
            heard_initial_state: false,
            failures: 0,
            outage_max,
            give_up_at: Instant::now().checked_add(connect_timeout),
            request,
        }
    }

    /// Returns the request for the next connection: from the start, or after the last message that was received.
    pub(crate) fn request(&self) -> v1::WatchEventsRequest {
        let mut request = self.request.clone();
        if !self.resume_token.is_empty() {
            request.start = Some(Start::ResumeToken(self.resume_token.clone()));
        }
        request
    }

    /// Processes a message from the daemon.
    pub(crate) fn received(&mut self, response: &v1::WatchEventsResponse) {
        self.failures = 0;
        self.give_up_at = None;
        match response.phase() {
            WatchPhase::InitialState => self.heard_initial_state = true,
            WatchPhase::InitialStateComplete => self.initial_state_complete = true,
            _ => {}
        }
        // A token from before the end of the initial state would resume without the rest of it.
        if self.initial_state_complete && !response.resume_token.is_empty() {
            self.resume_token.clone_from(&response.resume_token);
        }
    }

    /// Returns the wait before the next connection, or the error if there is none.
    pub(crate) fn lost(&mut self, error: Error) -> Result<Duration> {
        if !may_pass(&error) {
            return Err(error);
        }
        let now = Instant::now();
        if self.give_up_at.is_none() {
            self.give_up_at = self.outage_max.and_then(|outage_max| now.checked_add(outage_max));
        }
        self.failures += 1;
        let delay = backoff(self.failures, LONGEST_DELAY, jitter()).max(error.retry_delay().unwrap_or_default());
        if self.give_up_at.is_some_and(|give_up_at| now + delay >= give_up_at) {
            return Err(error);
        }
        tracing::info!(%error, ?delay, "watch reconnects after a delay");
        Ok(delay)
    }

    /// Returns whether the initial state begins again, so that the reader must discard the part that it received.
    pub(crate) fn restarts(&mut self) -> bool {
        if self.initial_state_complete {
            return false;
        }
        mem::take(&mut self.heard_initial_state)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::error::tests::{error_of, with_retry_delay};

    const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
    const OUTAGE_MAX: Duration = Duration::from_secs(60);

    pub(crate) fn message(phase: WatchPhase, token: &str) -> v1::WatchEventsResponse {
        v1::WatchEventsResponse { phase: phase.into(), resume_token: token.into(), ..Default::default() }
    }

    fn progress(start: Option<Start>) -> Progress {
        let request = v1::WatchEventsRequest { start, ..Default::default() };
        Progress::new(request, CONNECT_TIMEOUT, Some(OUTAGE_MAX))
    }

    fn gone() -> Error {
        error_of(ErrorKind::Unavailable)
    }

    /// Loses the connection until the watch gives up, and returns the time that took.
    async fn time_until_given_up(progress: &mut Progress) -> Duration {
        let start = Instant::now();
        while let Ok(delay) = progress.lost(gone()) {
            tokio::time::advance(delay).await;
        }
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_never_opened_gives_up_after_the_connect_timeout() {
        let elapsed = time_until_given_up(&mut progress(None)).await;
        assert!(elapsed <= CONNECT_TIMEOUT && elapsed > Duration::from_secs(1), "{elapsed:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_watch_gives_up_after_the_maximum_outage() {
        let mut progress = progress(None);
        progress.received(&message(WatchPhase::Opened, "t1"));
        let elapsed = time_until_given_up(&mut progress).await;
        assert!(elapsed <= OUTAGE_MAX && elapsed + LONGEST_DELAY >= OUTAGE_MAX, "{elapsed:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_without_a_maximum_outage_never_gives_up() {
        let mut progress = Progress::new(v1::WatchEventsRequest::default(), CONNECT_TIMEOUT, None);
        progress.received(&message(WatchPhase::Opened, "t1"));
        for _ in 0..1_000 {
            let delay = progress.lost(gone()).unwrap();
            assert!(delay <= LONGEST_DELAY);
            tokio::time::advance(delay).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_resets_the_waits_and_the_maximum_outage() {
        let mut progress = progress(None);
        progress.received(&message(WatchPhase::Opened, "t1"));
        time_until_given_up(&mut progress).await;
        progress.received(&message(WatchPhase::Progress, "t2"));
        assert!(progress.lost(gone()).unwrap() <= Duration::from_millis(100));
    }

    #[tokio::test(start_paused = true)]
    async fn any_other_error_ends_the_watch_at_once() {
        let mut progress = progress(None);
        let error = progress.lost(error_of(ErrorKind::RevisionCompacted)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RevisionCompacted);
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_is_the_greater_of_backoff_and_retry_delay() {
        let mut progress = progress(None);
        let soon = with_retry_delay(ErrorKind::Draining, Duration::from_secs(2));
        assert_eq!(progress.lost(soon).unwrap(), Duration::from_secs(2));
        let at_once = with_retry_delay(ErrorKind::Draining, Duration::ZERO);
        assert!(progress.lost(at_once).unwrap() >= Duration::from_millis(100));
    }

    #[tokio::test]
    async fn a_watch_continues_after_the_last_message() {
        let mut progress = progress(Some(Start::AfterRevision(3)));
        assert_eq!(progress.request().start, Some(Start::AfterRevision(3)));
        progress.received(&message(WatchPhase::Live, "t1"));
        progress.received(&message(WatchPhase::Live, ""));
        assert_eq!(progress.request().start, Some(Start::ResumeToken("t1".into())));
    }

    #[tokio::test]
    async fn an_interrupted_initial_state_restarts_once() {
        let mut progress = progress(Some(Start::IncludeInitialState(true)));
        progress.received(&message(WatchPhase::Opened, "early"));
        assert!(!progress.restarts());
        progress.received(&message(WatchPhase::InitialState, "early"));
        assert_eq!(progress.request().start, Some(Start::IncludeInitialState(true)));
        assert!(progress.restarts());
        assert!(!progress.restarts());
    }

    #[tokio::test]
    async fn a_complete_initial_state_is_not_restarted() {
        let mut progress = progress(Some(Start::IncludeInitialState(true)));
        progress.received(&message(WatchPhase::InitialState, ""));
        progress.received(&message(WatchPhase::InitialStateComplete, "t1"));
        assert!(!progress.restarts());
        assert_eq!(progress.request().start, Some(Start::ResumeToken("t1".into())));
    }
}
