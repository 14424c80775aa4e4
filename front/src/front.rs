//! The front end: its threads, its addresses, and its end.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::connection::Stage;
use crate::lane::Lane;
use crate::listener::{Listener, Seat};
use crate::route::Shared;

/// Interval at which the end waits for the last connections.
const END_LOOK: Duration = Duration::from_millis(5);

/// A front end that listens, or is about to.
pub struct Front {
    pub shared: Arc<Shared>,
    pub lanes: Vec<Arc<Lane>>,
    stage: watch::Sender<Stage>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Front {
    pub fn new(shared: Shared, threads: usize) -> Self {
        Self {
            shared: Arc::new(shared),
            lanes: (0..threads.max(1)).map(|_| Arc::default()).collect(),
            stage: watch::Sender::new(Stage::Serving),
            threads: Mutex::default(),
        }
    }

    /// Accept connections, on threads of their own.
    pub fn start(&self, listeners: Vec<Listener>) -> io::Result<()> {
        let runtimes: Vec<Runtime> = self.lanes.iter().map(|_| runtime()).collect::<io::Result<_>>()?;
        let handles = runtimes.iter().map(Runtime::handle).cloned();
        let lanes = self.lanes.iter().cloned();
        let seats: Vec<Seat> = handles
            .zip(lanes)
            .map(|(runtime, lane)| Seat { runtime, lane })
            .collect();
        for listener in listeners {
            let accepting = listener.accept(Arc::clone(&self.shared), seats.clone(), self.stage.subscribe());
            runtimes[0].spawn(accepting);
        }
        for (number, (runtime, lane)) in runtimes.into_iter().zip(&self.lanes).enumerate() {
            let (lane, mut stage) = (Arc::clone(lane), self.stage.subscribe());
            let work = move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = lane.run() => {}
                        _ = stage.wait_for(|stage| *stage == Stage::Closing) => {}
                    }
                });
                // What still runs ends with the runtime, at its next step.
                runtime.shutdown_background();
            };
            let name = format!("memoryd-front-{number}");
            self.threads().push(thread::Builder::new().name(name).spawn(work)?);
        }
        Ok(())
    }

    /// End: connections take no new calls, and are closed once they have none, or after ``grace``.
    pub fn stop(&self, grace: Duration) {
        self.stage.send_replace(Stage::Draining);
        let end = Instant::now() + grace;
        while self.shared.connections.load(Ordering::Acquire) > 0 && Instant::now() < end {
            thread::sleep(END_LOOK);
        }
        self.stage.send_replace(Stage::Closing);
        let threads = std::mem::take(&mut *self.threads());
        for each in threads {
            // A panic has ended the process already.
            let _ = each.join();
        }
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().expect("no holder of the lock panics")
    }
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
}
