//! What was refused without Python, counted by its reason.

use std::sync::atomic::{AtomicU64, Ordering};

/// Why a connection or a call was refused.
#[derive(Clone, Copy)]
pub enum Refused {
    /// There are as many connections as there may be.
    Connections,
    /// A call has no credentials, and needs some.
    Unauthenticated,
    /// The metadata of a call is too large.
    Metadata,
    /// A message is larger than its method allows.
    TooLarge,
    /// The request of a call is malformed.
    Malformed,
    /// The request of a call has not arrived in time.
    Stalled,
    /// The client does not read its responses.
    Unread,
    /// As many calls wait for Python as may.
    Waiting,
}

const NAMES: [&str; 8] = [
    "connections",
    "unauthenticated",
    "metadata",
    "too_large",
    "malformed",
    "stalled",
    "unread",
    "waiting",
];

/// How often each occurred.
#[derive(Default)]
pub struct Counts([AtomicU64; NAMES.len()]);

impl Counts {
    pub fn add(&self, refused: Refused) {
        self.0[refused as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// The counts, by the names of their reasons.
    pub fn by_name(&self) -> Vec<(&'static str, u64)> {
        let counts = self.0.iter().map(|count| count.load(Ordering::Relaxed));
        NAMES.into_iter().zip(counts).collect()
    }
}
