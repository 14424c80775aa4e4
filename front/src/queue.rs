//! The queue between the threads that serve connections and Python's event loop.
//!
//! Connections take turns: one that sends thousands of calls delays those of the others by one call each. Python is woken
//! by an eventfd, once for all that came since it emptied the queue.

use std::collections::VecDeque;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use rustix::event::{EventfdFlags, eventfd};

use crate::call::Call;
use crate::limit::{REFUSALS_MAX, SIGNALS_MAX};
use crate::status::Status;

/// A call that Python has not begun yet: the number of its method, and its request, if that has arrived.
pub struct Arrival {
    pub call: Arc<Call>,
    pub message: Option<Bytes>,
}

/// What a call that Python has begun is told.
pub enum Signal {
    /// A part of the next message of the request, which is not its last.
    Part(Bytes),
    /// The next message of the request, or the last part of it.
    Message(Bytes),
    /// The request has ended.
    End,
    /// The request cannot be received: Python ends the call with this status.
    Broken(Status),
    /// All messages were sent that a method was waiting for.
    Sent,
    /// The client no longer waits.
    Left,
}

/// The maximum number of calls in progress of one class, in total and of one connection, and how more are refused.
pub struct Pool {
    pub maximum: u32,
    pub connection_maximum: u32,
    pub total_refusal: Status,
    pub connection_refusal: Status,
}

/// The calls of one connection. All fields are read and written under the queue's lock.
pub struct Turns(Mutex<TurnsState>);

struct TurnsState {
    waiting: VecDeque<Arrival>,
    begun: Vec<u32>,
    has_turn: bool,
}

impl Turns {
    pub fn new(pools: usize) -> Self {
        Self(Mutex::new(TurnsState {
            waiting: VecDeque::new(),
            begun: vec![0; pools],
            has_turn: false,
        }))
    }
}

struct State {
    turns: VecDeque<Arc<Turns>>,
    signals: VecDeque<(u64, Signal)>,
    begun: Vec<u32>,
    refused: Vec<u64>,
    waiting: usize,
    is_signalled: bool,
}

/// The bounds of what waits for Python, and how calls beyond them are refused.
pub struct Waiting {
    pub maximum: usize,
    pub connection_maximum: usize,
    pub refusal: Status,
}

pub struct Queue {
    state: Mutex<State>,
    pools: Vec<Pool>,
    bound: Waiting,
    wake: OwnedFd,
}

impl Queue {
    /// Return an empty queue. Fails if there are no more open files.
    pub fn new(pools: Vec<Pool>, bound: Waiting) -> std::io::Result<Self> {
        let state = State {
            turns: VecDeque::new(),
            signals: VecDeque::new(),
            begun: vec![0; pools.len()],
            refused: vec![0; pools.len()],
            waiting: 0,
            is_signalled: false,
        };
        Ok(Self {
            state: Mutex::new(state),
            pools,
            bound,
            wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        })
    }

    /// The file that is readable while there is something in the queue.
    pub fn fileno(&self) -> RawFd {
        self.wake.as_fd().as_raw_fd()
    }

    /// The turns of a new connection.
    pub fn turns(&self) -> Arc<Turns> {
        Arc::new(Turns::new(self.pools.len()))
    }

    /// Queue a call. Returns the refusal if too many wait.
    pub fn push(&self, turns: &Arc<Turns>, arrival: Arrival) -> Result<(), &Status> {
        let mut state = self.lock();
        let mut own = lock(turns);
        if state.waiting >= self.bound.maximum || own.waiting.len() >= self.bound.connection_maximum {
            return Err(&self.bound.refusal);
        }
        own.waiting.push_back(arrival);
        if !own.has_turn {
            own.has_turn = true;
            state.turns.push_back(Arc::clone(turns));
        }
        state.waiting += 1;
        self.signal(&mut state);
        Ok(())
    }

    /// Tell a call that Python has begun something.
    pub fn tell(&self, id: u64, signal: Signal) {
        let mut state = self.lock();
        state.signals.push_back((id, signal));
        self.signal(&mut state);
    }

    /// Take the next call that Python is to begin. Those whose pool is full are refused without it.
    ///
    /// Returns none, and Python stays woken, after many refusals as well: it serves the other calls' signals between them.
    pub fn next(&self) -> Option<Arrival> {
        for _ in 0..REFUSALS_MAX {
            let (arrival, refusal) = self.pop()?;
            match refusal {
                None => return Some(arrival),
                Some(status) => arrival.call.end(status.clone()),
            }
        }
        None
    }

    fn pop(&self) -> Option<(Arrival, Option<&Status>)> {
        let mut state = self.lock();
        while let Some(turns) = state.turns.pop_front() {
            let mut own = lock(&turns);
            let arrival = own.waiting.pop_front().expect("a connection with a turn has a call");
            state.waiting -= 1;
            own.has_turn = !own.waiting.is_empty();
            if own.has_turn {
                state.turns.push_back(Arc::clone(&turns));
            }
            let number = arrival.call.method().pool;
            let pool = &self.pools[number];
            let refusal = if arrival.call.has_ended() {
                continue;
            } else if own.begun[number] >= pool.connection_maximum {
                Some(&pool.connection_refusal)
            } else if state.begun[number] >= pool.maximum {
                Some(&pool.total_refusal)
            } else if arrival.call.begin() {
                own.begun[number] += 1;
                state.begun[number] += 1;
                None
            } else {
                continue;
            };
            state.refused[number] += u64::from(refusal.is_some());
            return Some((arrival, refusal));
        }
        self.rest(&mut state);
        None
    }

    /// Take what calls are to be told, in the order in which it came: a few at a time, since each may wake a task that
    /// takes long. Python stays woken for the others.
    pub fn signals(&self) -> Vec<(u64, Signal)> {
        let mut state = self.lock();
        let count = state.signals.len().min(SIGNALS_MAX);
        let signals = state.signals.drain(..count).collect();
        self.rest(&mut state);
        signals
    }

    /// Return how many calls wait for Python.
    pub fn waiting(&self) -> usize {
        self.lock().waiting
    }

    /// Take how many calls of each pool were refused since the last time; none if there were none.
    pub fn refused(&self) -> Option<Vec<u64>> {
        let mut state = self.lock();
        if state.refused.iter().all(|count| *count == 0) {
            return None;
        }
        let none = vec![0; self.pools.len()];
        Some(std::mem::replace(&mut state.refused, none))
    }

    /// Free the place of a call that Python has begun.
    pub fn leave(&self, turns: &Turns, pool: usize) {
        let mut state = self.lock();
        state.begun[pool] -= 1;
        lock(turns).begun[pool] -= 1;
    }

    fn signal(&self, state: &mut State) {
        if !state.is_signalled {
            state.is_signalled = true;
            // It cannot fail: the counter is 0 or 1.
            let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
        }
    }

    fn rest(&self, state: &mut State) {
        if state.is_signalled && state.turns.is_empty() && state.signals.is_empty() {
            state.is_signalled = false;
            let _ = rustix::io::read(&self.wake, &mut [0_u8; 8]);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the lock panics")
    }
}

fn lock(turns: &Turns) -> MutexGuard<'_, TurnsState> {
    turns.0.lock().expect("no holder of the lock panics")
}

#[cfg(test)]
mod tests {
    use super::{Arrival, Signal};
    use crate::fixture::{call, connection};
    use crate::limit::{REFUSALS_MAX, SIGNALS_MAX};

    #[test]
    fn signals_come_a_few_at_a_time_and_in_their_order() {
        let connection = connection();
        let queue = &connection.shared.queue;
        for id in 0..=SIGNALS_MAX as u64 {
            queue.tell(id, Signal::End);
        }
        let first: Vec<u64> = queue.signals().iter().map(|(id, _)| *id).collect();
        assert_eq!(first, (0..SIGNALS_MAX as u64).collect::<Vec<_>>());
        assert!(queue.lock().is_signalled);
        assert_eq!(queue.signals().len(), 1);
        assert!(!queue.lock().is_signalled);
    }

    #[test]
    fn python_takes_a_turn_between_many_refusals() {
        let connection = connection();
        let queue = &connection.shared.queue;
        let push = || {
            let arrival = Arrival {
                call: call(&connection),
                message: None,
            };
            assert!(queue.push(&connection.turns, arrival).is_ok());
        };
        push();
        // It has the only place.
        let begun = queue.next();
        assert!(begun.is_some());
        (0..=REFUSALS_MAX).for_each(|_| push());
        assert!(queue.next().is_none());
        assert!(queue.lock().is_signalled);
        assert!(queue.next().is_none());
        assert!(!queue.lock().is_signalled);
        assert_eq!(queue.refused(), Some(vec![REFUSALS_MAX as u64 + 1]));
    }
}
