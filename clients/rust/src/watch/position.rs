//! Where the listener of a watch stands: what was handed over, not what came.

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

    /// Notes a message that is about to be told.
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

    /// Notes that the listener has all of the message.
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
    fn the_token_belongs_to_what_was_handed_over() {
        let mut position = position(None);
        let live = message(WatchPhase::Live, "t1");
        position.received(&live);
        assert_eq!(position.resume_token, "");
        position.delivered(&live);
        assert_eq!(position.resume_token, "t1");
    }

    #[test]
    fn a_watch_that_was_resumed_begins_at_its_token() {
        assert_eq!(position(Some(Start::ResumeToken("t0".into()))).resume_token, "t0");
    }

    #[test]
    fn a_token_from_before_the_end_of_the_initial_state_is_not_used() {
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
    fn connecting_again_is_counted_and_the_first_time_is_not() {
        let mut position = position(None);
        for resumes in 0..3 {
            position.received(&message(WatchPhase::Opened, ""));
            assert_eq!(position.resumes, resumes);
        }
    }

    #[test]
    fn the_revision_stays_when_a_message_has_none() {
        let mut position = position(None);
        position.delivered(&v1::WatchEventsResponse { revision: 7, ..Default::default() });
        position.delivered(&v1::WatchEventsResponse::default());
        assert_eq!(position.revision, 7);
    }
}
