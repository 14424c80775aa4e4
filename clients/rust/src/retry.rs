//! Decides whether and when a failed call is retried.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Error, ErrorKind, Result};

const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(2);

/// Returns a random factor from 0.5 to 1, which spreads the clients, so that they do not return to a restarted daemon
/// all at once.
pub(crate) fn jitter() -> f64 {
    rand::random_range(0.5..=1.0)
}

/// Returns the wait after this number of consecutive failures, from 1.
pub(crate) fn backoff(failures: u32, longest: Duration, jitter: f64) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    longest.min(FIRST_DELAY * 2_u32.pow(doublings)).mul_f64(jitter)
}

/// Returns whether the cause may pass, so that a retry is useful. Cancelled is among them because a daemon that stops
/// cancels the calls that arrive at that moment.
pub(crate) fn may_pass(error: &Error) -> bool {
    [ErrorKind::Unavailable, ErrorKind::Cancelled, ErrorKind::Overloaded].into_iter().any(|kind| error.is(kind))
}

/// The attempts of one call, all within its timeout.
pub(crate) struct Attempts {
    repeatable: bool,
    deadline: Instant,
    patient_until: Instant,
    failures: u32,
}

impl Attempts {
    /// Begins the attempts. `patience` limits the retries while the daemon is unavailable.
    pub(crate) fn new(repeatable: bool, timeout: Duration, patience: Duration) -> Self {
        let now = Instant::now();
        Self { repeatable, deadline: now + timeout, patient_until: now + patience.min(timeout), failures: 0 }
    }

    /// Returns the time by which all attempts must have ended.
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns the wait before the next attempt, or the error if there is none.
    pub(crate) fn delay_after(&mut self, error: Error) -> Result<Duration> {
        self.failures += 1;
        let delay = error.retry_delay().unwrap_or_else(|| backoff(self.failures, LONGEST_DELAY, jitter()));
        let in_time = Instant::now() + delay < self.patient_until;
        if self.repeatable && in_time && may_pass(&error) { Ok(delay) } else { Err(error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::tests::{error_of, with_retry_delay};

    const TIMEOUT: Duration = Duration::from_secs(10);

    #[test]
    fn the_backoff_doubles_up_to_its_maximum() {
        let delays: Vec<_> = (1..40).map(|failures| backoff(failures, LONGEST_DELAY, 1.0)).collect();
        assert_eq!(delays[..3], [100, 200, 400].map(Duration::from_millis));
        assert!(delays.is_sorted());
        assert_eq!(delays.last(), Some(&LONGEST_DELAY));
    }

    #[test]
    fn the_jitter_takes_at_most_half_of_the_delay() {
        for _ in 0..100 {
            assert!((0.5..=1.0).contains(&jitter()));
        }
        assert_eq!(backoff(1, LONGEST_DELAY, 0.5), Duration::from_millis(50));
    }

    #[tokio::test(start_paused = true)]
    async fn an_unavailable_daemon_is_retried_until_the_timeout() {
        let start = Instant::now();
        let mut attempts = Attempts::new(true, TIMEOUT, TIMEOUT);
        let mut tries = 0;
        while let Ok(delay) = attempts.delay_after(error_of(ErrorKind::Unavailable)) {
            tries += 1;
            tokio::time::advance(delay).await;
        }
        assert!(tries > 5, "only {tries} tries");
        assert!(start.elapsed() <= TIMEOUT);
        assert!(start.elapsed() + LONGEST_DELAY >= TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_daemon_that_never_responded_is_retried_for_a_shorter_time() {
        let mut attempts = Attempts::new(true, TIMEOUT, Duration::ZERO);
        let error = attempts.delay_after(error_of(ErrorKind::Unavailable)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_the_daemon_cancelled_is_retried() {
        let cancelled = || error_of(ErrorKind::Cancelled);
        assert!(Attempts::new(true, TIMEOUT, TIMEOUT).delay_after(cancelled()).is_ok());
        assert!(Attempts::new(false, TIMEOUT, TIMEOUT).delay_after(cancelled()).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_is_the_retry_delay_of_the_daemon() {
        for kind in [ErrorKind::Draining, ErrorKind::Overloaded] {
            let soon = with_retry_delay(kind, Duration::from_secs(3));
            let delay = Attempts::new(true, TIMEOUT, TIMEOUT).delay_after(soon).unwrap();
            assert_eq!(delay, Duration::from_secs(3));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn there_is_no_retry_if_the_wait_would_pass_the_timeout() {
        let late = with_retry_delay(ErrorKind::Draining, Duration::from_secs(30));
        let error = Attempts::new(true, TIMEOUT, TIMEOUT).delay_after(late).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Draining);
    }

    #[tokio::test(start_paused = true)]
    async fn other_errors_are_not_retried() {
        for kind in [ErrorKind::InvalidArgument, ErrorKind::InternalError, ErrorKind::QuotaExceeded] {
            assert!(Attempts::new(true, TIMEOUT, TIMEOUT).delay_after(error_of(kind)).is_err());
        }
    }
}
