//! One call: what its client sent before the request, and what is still to be sent to it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::connection::Connection;
use crate::limit::{UNSENT_BYTES_MAX, UNSENT_TOTAL_BYTES_MAX};
use crate::payload::Payload;
use crate::queue::Signal;
use crate::request::Metadata;
use crate::route::Method;
use crate::status::{CANCELLED, OK, Status};

/// Python has begun the call, and has not ended it.
const BEGUN: u8 = 1;
/// The end of the call is decided.
const ENDED: u8 = 2;
/// The client no longer waits.
const LEFT: u8 = 4;

/// A call. ``path`` is that of a method that does not exist, empty for all others.
pub struct Call {
    pub id: u64,
    pub connection: Arc<Connection>,
    pub metadata: Metadata,
    pub path: String,
    /// When its headers had arrived.
    pub began: Instant,
    pub deadline: Option<Instant>,
    /// Python asks for the next message of the request.
    pub wanted: Notify,
    method: Arc<Method>,
    flags: AtomicU8,
    unsent_bytes: AtomicUsize,
    outgoing: Mutex<Outgoing>,
}

#[derive(Default)]
struct Outgoing {
    items: VecDeque<Unsent>,
    end: Option<Status>,
    is_reset: bool,
    waker: Option<Waker>,
}

/// The next thing to send.
pub enum Next {
    Message(Unsent),
    End(Status),
    Reset,
}

/// A message that is still to be sent. It counts until it is dropped.
pub struct Unsent {
    pub payload: Payload,
    call: Arc<Call>,
    size: usize,
    /// Other calls have the same message, which is counted once for all: see ``Shared::told_bytes``.
    is_told: bool,
    is_awaited: bool,
}

impl Drop for Unsent {
    fn drop(&mut self) {
        self.call.unsent_bytes.fetch_sub(self.size, Ordering::AcqRel);
        let connection = &self.call.connection;
        let shared = &connection.shared;
        if !self.is_told {
            connection.unsent_bytes.fetch_sub(self.size, Ordering::AcqRel);
            shared.unsent_bytes.fetch_sub(self.size, Ordering::AcqRel);
        }
        if self.is_awaited {
            shared.queue.tell(self.call.id, Signal::Sent);
        }
    }
}

impl Call {
    pub fn new(
        connection: Arc<Connection>,
        method: Arc<Method>,
        metadata: Metadata,
        path: String,
        began: Instant,
        deadline: Option<Instant>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id: connection.shared.new_id(),
            connection,
            metadata,
            path,
            began,
            deadline,
            wanted: Notify::new(),
            method,
            flags: AtomicU8::new(0),
            unsent_bytes: AtomicUsize::new(0),
            outgoing: Mutex::default(),
        })
    }

    pub fn method(&self) -> &Method {
        &self.method
    }

    /// True once the end of the call is decided, or its client has left.
    pub fn has_ended(&self) -> bool {
        self.flags.load(Ordering::Acquire) & (ENDED | LEFT) != 0
    }

    /// True if the client no longer waits: it has cancelled the call, or its deadline is over.
    pub fn has_left(&self) -> bool {
        self.flags.load(Ordering::Acquire) & LEFT != 0
            || self.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Note that Python begins the call. Returns false if it is over: Python then never sees it.
    ///
    /// A client that leaves meanwhile is noticed in any case: here, or by ``note_left``, which then tells Python.
    pub fn begin(&self) -> bool {
        self.flags.fetch_or(BEGUN, Ordering::AcqRel) & (ENDED | LEFT) == 0
    }

    /// Free the place of the call: Python's part of it is over.
    pub fn leave_place(&self) {
        if self.flags.fetch_and(!BEGUN, Ordering::AcqRel) & BEGUN != 0 {
            self.connection
                .shared
                .queue
                .leave(&self.connection.turns, self.method.pool);
        }
    }

    /// Decide the end of the call, for one of two reasons. Returns the flags before. The first end is the one that counts.
    fn decide(&self, flag: u8, code: u32) -> u8 {
        let before = self.flags.fetch_or(flag, Ordering::AcqRel);
        if before & (ENDED | LEFT) == 0 {
            self.method.durations.add(code, self.began);
        }
        before
    }

    /// Note that the client no longer waits, and tell Python. What is unsent is dropped.
    pub fn note_left(&self) {
        let before = self.decide(LEFT, CANCELLED);
        if before & LEFT == 0 && before & BEGUN != 0 {
            self.connection.shared.queue.tell(self.id, Signal::Left);
        }
        // Outside the lock: what is dropped tells Python, too.
        let items = std::mem::take(&mut self.lock().items);
        drop(items);
    }

    /// End the call, whose deadline is over. What is unsent is dropped: the client may read nothing any more.
    pub fn note_late(&self, status: Status) {
        self.note_left();
        let mut outgoing = self.lock();
        outgoing.end = Some(status);
        if let Some(waker) = outgoing.waker.take() {
            drop(outgoing);
            waker.wake();
        }
    }

    /// True if everything was sent that the call was given.
    pub fn has_room(&self) -> bool {
        self.unsent_bytes.load(Ordering::Acquire) == 0 && !self.has_ended()
    }

    /// Count a message as unsent. Returns it, and whether its method may go on before it is sent.
    pub fn unsent(self: &Arc<Self>, payload: Payload, waits: bool) -> (Unsent, bool) {
        let size = payload.size();
        let own = self.unsent_bytes.fetch_add(size, Ordering::AcqRel) + size;
        self.connection.unsent_bytes.fetch_add(size, Ordering::AcqRel);
        let all = self.connection.shared.unsent_bytes.fetch_add(size, Ordering::AcqRel) + size;
        let is_awaited = waits && (own > UNSENT_BYTES_MAX || all > UNSENT_TOTAL_BYTES_MAX);
        let unsent = Unsent {
            payload,
            call: Arc::clone(self),
            size,
            is_told: false,
            is_awaited,
        };
        (unsent, is_awaited)
    }

    /// As ``unsent``, for a message that other calls are sent as well. Its method waits for nothing.
    pub fn told(self: &Arc<Self>, payload: Payload) -> Unsent {
        let size = payload.size();
        self.unsent_bytes.fetch_add(size, Ordering::AcqRel);
        Unsent {
            payload,
            call: Arc::clone(self),
            size,
            is_told: true,
            is_awaited: false,
        }
    }

    /// As ``unsent``, for a message whose end Python wants to know in any case.
    pub fn awaited(self: &Arc<Self>, payload: Payload) -> Unsent {
        let (mut unsent, _) = self.unsent(payload, false);
        unsent.is_awaited = true;
        unsent
    }

    /// Send a message, unless the end of the call is decided. To be called outside the threads of connections.
    pub fn send(&self, unsent: Unsent) {
        if self.flags.load(Ordering::Acquire) & ENDED == 0 {
            self.connection.lane.push(Command::Send(unsent));
        }
    }

    /// End the call, unless its end is decided. To be called outside the threads of connections.
    pub fn end(self: &Arc<Self>, status: Status) {
        self.leave_place();
        if self.decide(ENDED, status.code) & ENDED == 0 {
            self.connection.lane.push(Command::End(Arc::clone(self), status));
        }
    }

    /// End the call with its only response. To be called outside the threads of connections.
    pub fn answer(self: &Arc<Self>, unsent: Unsent) {
        self.leave_place();
        if self.decide(ENDED, OK) & ENDED == 0 {
            self.connection.lane.push(Command::Answer(unsent));
        }
    }

    fn put(&self, item: Option<Unsent>, end: Option<Status>, is_reset: bool) {
        let mut outgoing = self.lock();
        if self.flags.load(Ordering::Acquire) & LEFT == 0 {
            outgoing.items.extend(item);
            // Nothing takes back an end.
            if end.is_some() {
                outgoing.end = end;
            }
            outgoing.is_reset |= is_reset;
            if let Some(waker) = outgoing.waker.take() {
                drop(outgoing);
                waker.wake();
            }
        } else {
            // After the lock: it tells Python.
            drop(outgoing);
            drop(item);
        }
    }

    /// Wait until there is something to send.
    pub fn poll_ready(&self, context: &Context<'_>) -> Poll<()> {
        let mut outgoing = self.lock();
        if outgoing.items.is_empty() && outgoing.end.is_none() && !outgoing.is_reset {
            outgoing.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Take the status of a call that failed before it sent a message; none for any other.
    pub fn take_only_status(&self) -> Option<Status> {
        let mut outgoing = self.lock();
        let is_failure = outgoing.items.is_empty() && outgoing.end.as_ref().is_some_and(|status| status.code != 0);
        if is_failure { outgoing.end.take() } else { None }
    }

    /// The next thing to send.
    pub fn poll_next(&self, context: &Context<'_>) -> Poll<Next> {
        let mut outgoing = self.lock();
        if outgoing.is_reset {
            return Poll::Ready(Next::Reset);
        }
        if let Some(item) = outgoing.items.pop_front() {
            if outgoing.items.is_empty() {
                // Tens of thousands of streams wait for their next message.
                outgoing.items = VecDeque::new();
            }
            return Poll::Ready(Next::Message(item));
        }
        if let Some(status) = outgoing.end.take() {
            return Poll::Ready(Next::End(status));
        }
        outgoing.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().expect("no holder of the lock panics")
    }
}

/// What Python has done, to be carried out on the thread of the connection.
pub enum Command {
    /// Send the only response, and end.
    Answer(Unsent),
    /// Send one message of a stream.
    Send(Unsent),
    /// Send a message that all these streams share.
    Tell(Vec<Unsent>),
    /// End with a status, after all that was sent.
    End(Arc<Call>, Status),
    /// Receive the next message of the request.
    Want(Arc<Call>),
    /// End at once, without a status.
    Reset(Arc<Call>),
    /// Fail as a defect would.
    Fail,
}

impl Command {
    pub fn run(self) {
        match self {
            Self::Answer(unsent) => {
                let call = Arc::clone(&unsent.call);
                call.put(Some(unsent), Some(Status::default()), false);
            }
            Self::Send(unsent) => Self::send(unsent),
            Self::Tell(all) => all.into_iter().for_each(Self::send),
            Self::End(call, status) => call.put(None, Some(status), false),
            Self::Want(call) => call.wanted.notify_one(),
            Self::Reset(call) => call.put(None, None, true),
            Self::Fail => panic!("it was asked to fail"),
        }
    }

    fn send(unsent: Unsent) {
        let call = Arc::clone(&unsent.call);
        call.put(Some(unsent), None, false);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};

    use super::{Command, Next};
    use crate::fixture::{call, connection};
    use crate::payload::Payload;
    use crate::status::Status;

    #[test]
    fn a_message_after_the_end_does_not_take_the_end_back() {
        let call = call(&connection());
        let (unsent, _) = call.unsent(Payload::copied(b"late"), false);
        Command::End(Arc::clone(&call), Status::plain(5, "the end")).run();
        Command::Send(unsent).run();
        let context = Context::from_waker(Waker::noop());
        assert!(matches!(call.poll_next(&context), Poll::Ready(Next::Message(_))));
        assert!(matches!(call.poll_next(&context), Poll::Ready(Next::End(status)) if status.code == 5));
    }

    #[test]
    fn a_message_after_the_end_leaves_nothing_unsent() {
        let call = call(&connection());
        call.end(Status::plain(5, "the end"));
        let (unsent, _) = call.unsent(Payload::copied(b"late"), false);
        call.send(unsent);
        assert_eq!(call.connection.shared.unsent_bytes.load(super::Ordering::Acquire), 0);
    }

    #[test]
    fn a_message_of_many_calls_counts_once() {
        let connection = connection();
        let shared = &connection.shared;
        let payload = Payload::counted(&[0; 1000], &shared.told_bytes);
        let size = payload.size();
        let calls = [call(&connection), call(&connection)];
        let unsent: Vec<_> = calls.iter().map(|call| call.told(payload.clone())).collect();
        drop(payload);
        let counts = || {
            [&*shared.told_bytes, &shared.unsent_bytes, &connection.unsent_bytes]
                .map(|count| count.load(super::Ordering::Acquire))
        };
        assert_eq!(counts(), [size, 0, 0]);
        assert!(calls.iter().all(|call| !call.has_room()));
        drop(unsent);
        assert_eq!(counts(), [0, 0, 0]);
        assert!(calls.iter().all(|call| call.has_room()));
    }

    #[test]
    fn a_call_does_not_begin_once_its_client_has_left() {
        let call = call(&connection());
        call.note_left();
        assert!(!call.begin());
    }
}
