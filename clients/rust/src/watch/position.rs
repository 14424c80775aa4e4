//! The position of the reader of a watch: what was delivered, not what was received.

use crate::v1;
use crate::v1::WatchPhase;
use crate::v1::watch_events_request::Start;

#[derive(Debug)]
pub(crate) struct Position {
    pub(crate) resume_token: String,
    pub(crate) revision: i64,
    pub(crate) initial_state_complete: bool,
    pub(crate) resumes: u32,
    opened: bool,
}

impl Position {
    pub(crate) fn new(request: &v1::WatchEventsRequest) -> Self {
        Self {
            resume_token: match &request.start {
                Some(Start::ResumeToken(token)) => token.clone(),
                _ => String::new(),
            },
            revision: 0,
            initial_state_complete: request.start != Some(Start::IncludeInitialState(true)),
            resumes: 0,
            opened: false,
        }
    }

    /// Processes a message whose events are delivered next.
    pub(crate) fn received(&mut self, response: &v1::WatchEventsResponse) {
        match response.phase() {
            WatchPhase::Opened => {
                self.resumes += u32::from(self.opened);
                self.opened = true;
            }
            WatchPhase::InitialStateComplete => self.initial_state_complete = true,
            _ => {}
        }
    }

    /// Advances the resume token past a message whose events were all delivered.
    pub(crate) fn delivered(&mut self, response: &v1::WatchEventsResponse) {
        // A token from before the end of the initial state would resume without the rest of it.
        if self.initial_state_complete && !response.resume_token.is_empty() {
            self.resume_token.clone_from(&response.resume_token);
        }
        if response.revision != 0 {
            self.revision = response.revision;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::progress::tests::message;

    fn position(start: Option<Start>) -> Position {
        Position::new(&v1::WatchEventsRequest { start, ..Default::default() })
    }

    #[test]
    fn the_token_is_that_of_the_last_delivered_message() {
        let mut position = position(None);
        let live = message(WatchPhase::Live, "t1");
        position.received(&live);
        assert_eq!(position.resume_token, "");
        position.delivered(&live);
        assert_eq!(position.resume_token, "t1");
    }

    #[test]
    fn a_resumed_watch_begins_with_its_token() {
        assert_eq!(position(Some(Start::ResumeToken("t0".into()))).resume_token, "t0");
    }

    #[test]
    fn a_token_from_within_the_initial_state_is_not_used() {
        let mut position = position(Some(Start::IncludeInitialState(true)));
        assert!(!position.initial_state_complete);
        position.delivered(&message(WatchPhase::InitialState, "early"));
        assert_eq!(position.resume_token, "");
        let complete = message(WatchPhase::InitialStateComplete, "t1");
        position.received(&complete);
        position.delivered(&complete);
        assert!(position.initial_state_complete);
        assert_eq!(position.resume_token, "t1");
    }

    #[test]
    fn reconnections_are_counted_without_the_first_connection() {
        let mut position = position(None);
        for resumes in 0..3 {
            position.received(&message(WatchPhase::Opened, ""));
            assert_eq!(position.resumes, resumes);
        }
    }

    #[test]
    fn a_message_without_a_revision_keeps_the_last_one() {
        let mut position = position(None);
        position.delivered(&v1::WatchEventsResponse { revision: 7, ..Default::default() });
        position.delivered(&v1::WatchEventsResponse::default());
        assert_eq!(position.revision, 7);
    }
}
