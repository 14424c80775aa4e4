//! The calls of one agent that wait to be sent together.

use std::collections::{BTreeSet, HashMap, HashSet};

use tokio::sync::watch;

use crate::batching::call::{Pending, Request};

const CALLS_MAX: usize = 1_000;
/// The maximum size of the writes of a commit, unless it is one write.
const BYTES_MAX: usize = 1 << 20;

/// The calls of one agent that wait. A call waits until the earlier writes of its key are answered, unless both are writes
/// of one commit.
#[derive(Default)]
pub(super) struct Lane {
    waiting: Vec<Numbered>,
    /// The keys that are written by calls that were sent and are not answered.
    unanswered: HashSet<String>,
    /// The numbers of the writes that are not answered, sent or not.
    writes: BTreeSet<u64>,
    next_number: u64,
    /// Notifies those that wait for writes.
    changes: watch::Sender<()>,
}

struct Numbered {
    number: u64,
    call: Pending,
}

/// The calls that are sent now.
#[derive(Default)]
pub(super) struct Groups {
    /// Gets of one scope, which look into its parents or do not: at most 1,000.
    pub(super) gets: Vec<Vec<Pending>>,
    pub(super) writes: Vec<Writes>,
}

/// Writes that are sent as one commit.
#[derive(Default)]
pub(super) struct Writes {
    pub(super) calls: Vec<Pending>,
    pub(super) sent: Sent,
    bytes: usize,
}

/// The keys and the numbers of writes that were sent.
#[derive(Default)]
pub(super) struct Sent {
    keys: HashSet<String>,
    numbers: Vec<u64>,
}

impl Lane {
    pub(super) fn add(&mut self, call: Pending) {
        let number = self.next_number;
        self.next_number += 1;
        if !matches!(call.request, Request::Get(_)) {
            self.writes.insert(number);
        }
        self.waiting.push(Numbered { number, call });
    }

    /// Returns whether no call waits, and no write is unanswered.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.writes.is_empty()
    }

    /// Takes the calls that need not wait any longer.
    pub(super) fn take(&mut self) -> Groups {
        let mut held = HashSet::new();
        let mut gets: HashMap<(String, bool), Vec<Pending>> = HashMap::new();
        let mut commits: Vec<Writes> = Vec::new();
        for Numbered { number, call } in std::mem::take(&mut self.waiting) {
            if call.is_over() {
                self.writes.remove(&number);
                continue;
            }
            let key = call.request.key();
            let is_unanswered = held.contains(key) || self.unanswered.contains(key);
            if let (Request::Get(get), false) = (&call.request, is_unanswered) {
                let place = (get.scope_id.clone(), get.local_only);
                gets.entry(place).or_default().push(call);
                continue;
            }
            let is_get = matches!(call.request, Request::Get(_));
            let last = commits.last_mut().filter(|last| !is_get && !held.contains(key) && last.has_room(&call));
            match last {
                Some(last) if !is_unanswered || last.sent.keys.contains(key) => last.add(number, call),
                _ if is_get || is_unanswered => {
                    held.insert(key.to_owned());
                    self.waiting.push(Numbered { number, call });
                    continue;
                }
                _ => commits.push(Writes::of(number, call)),
            }
            let written = commits.last().and_then(|last| last.calls.last()).map(|write| write.request.key().to_owned());
            self.unanswered.extend(written);
        }
        self.changes.send_replace(());
        Groups { gets: gets.into_values().flat_map(in_requests).collect(), writes: commits }
    }

    /// Takes note that writes are answered.
    pub(super) fn answered(&mut self, sent: &Sent) {
        self.unanswered.retain(|key| !sent.keys.contains(key));
        self.writes.retain(|number| !sent.numbers.contains(number));
        self.changes.send_replace(());
    }

    /// Returns a receiver of changes, and the number of the first call that comes after all that there are now.
    pub(super) fn barrier(&self) -> (watch::Receiver<()>, u64) {
        (self.changes.subscribe(), self.next_number)
    }

    /// Returns whether the writes before a number are answered.
    pub(super) fn is_settled(&self, number: u64) -> bool {
        self.writes.first().is_none_or(|&first| first >= number)
    }
}

impl Writes {
    fn of(number: u64, call: Pending) -> Self {
        let mut writes = Self::default();
        writes.add(number, call);
        writes
    }

    fn has_room(&self, call: &Pending) -> bool {
        self.calls.len() < CALLS_MAX && self.bytes + call.request.bytes() <= BYTES_MAX
    }

    fn add(&mut self, number: u64, call: Pending) {
        self.bytes += call.request.bytes();
        self.sent.keys.insert(call.request.key().to_owned());
        self.sent.numbers.push(number);
        self.calls.push(call);
    }
}

/// Splits gets into those of each request.
fn in_requests(gets: Vec<Pending>) -> Vec<Vec<Pending>> {
    let mut requests = Vec::with_capacity(gets.len().div_ceil(CALLS_MAX));
    let mut gets = gets.into_iter().peekable();
    while gets.peek().is_some() {
        requests.push(gets.by_ref().take(CALLS_MAX).collect());
    }
    requests
}
