//! The reading of JSON, in the loop or on a thread.

use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::door::json::{Type, Unreadable, to_binary};
use crate::limit::READING_WAIT;
use crate::payload::{Inflation, inflated};

pub enum Problem {
    TooLarge,
    TooMany,
    /// Too much is to be read before it.
    Late,
    Malformed(String),
}

pub fn read(kind: &Type, text: &[u8], is_gzip: bool, maximum: usize, elements_max: usize) -> Result<Vec<u8>, Problem> {
    let plain;
    let text = if is_gzip {
        plain = inflated(text, maximum).map_err(|error| match error {
            Inflation::TooLarge => Problem::TooLarge,
            Inflation::Damaged => Problem::Malformed("it is not compressed by gzip".to_owned()),
        })?;
        &*plain
    } else {
        text
    };
    to_binary(kind, text, elements_max).map_err(|error| match error {
        Unreadable::TooMany => Problem::TooMany,
        Unreadable::Malformed(why) => Problem::Malformed(why),
    })
}

/// Read on another thread, which reads one request at a time. One that waits for long is refused: its client has sent it in
/// time, and is not to hear that it has not.
pub async fn on_thread(work: impl FnOnce() -> Result<Vec<u8>, Problem> + Send + 'static) -> Result<Vec<u8>, Problem> {
    let mut reading = Reading(tokio::task::spawn_blocking(work));
    match timeout(READING_WAIT, &mut reading.0).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(Problem::Malformed("it could not be read".to_owned())),
        Err(_) => Err(Problem::Late),
    }
}

/// A request that is read on another thread. It is not begun any more once nobody waits for it.
struct Reading(JoinHandle<Result<Vec<u8>, Problem>>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use tokio::runtime::Builder;
    use tokio::time::advance;

    use super::{Problem, READING_WAIT, on_thread};

    #[test]
    fn a_request_that_waits_for_long_to_be_read_is_refused_and_never_read() {
        let mut builder = Builder::new_current_thread();
        let runtime = builder
            .enable_time()
            .start_paused(true)
            .max_blocking_threads(1)
            .build()
            .unwrap();
        runtime.block_on(async {
            let (free, occupied) = channel::<()>();
            let (read, reads) = channel();
            let first = tokio::spawn(on_thread(move || {
                let _ = occupied.recv();
                Ok(Vec::new())
            }));
            let second = tokio::spawn(on_thread(move || {
                let _ = read.send(());
                Ok(Vec::new())
            }));
            tokio::task::yield_now().await;
            advance(READING_WAIT).await;
            for late in [first, second] {
                assert!(matches!(late.await.unwrap(), Err(Problem::Late)));
            }
            drop(free);
            assert!(matches!(on_thread(|| Ok(vec![3])).await, Ok(data) if data == [3]));
            assert!(reads.recv().is_err());
        });
    }
}
