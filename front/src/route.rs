//! The methods of the contract by path, and all that does not change while the front end runs.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::count::Counts;
use crate::door::{Pages, Type, Visitors};
use crate::duration::Durations;
use crate::queue::Queue;
use crate::status::Status;

/// A method, as calls reach it.
#[allow(clippy::struct_excessive_bools)]
pub struct Method {
    /// Its path, empty for the method of all paths that have none.
    pub path: String,
    /// Its number, by which Python knows it.
    pub number: usize,
    /// The number of the pool in which its calls count.
    pub pool: usize,
    /// True if its requests are a stream.
    pub streams: bool,
    /// True if its responses are a stream.
    pub answers: bool,
    /// True if it changes nothing.
    pub is_read: bool,
    /// The types of its messages; none if these cannot be written as JSON.
    pub types: Option<Types>,
    /// True if each call needs a token or a client certificate.
    pub needs_credentials: bool,
    /// Maximum size of one message, and how larger ones are refused.
    pub bytes_max: usize,
    pub too_large: Status,
    pub durations: Durations,
}

/// The types of a method's messages.
pub struct Types {
    pub request: Type,
    pub response: Type,
}

impl Method {
    /// True for the method that serves the calls of all paths that have none.
    pub fn is_unknown(&self) -> bool {
        self.path.is_empty()
    }
}

/// Bounds of connections.
pub struct Settings {
    pub connections_max: usize,
    pub streams_max: u32,
    pub metadata_bytes_max: u32,
    /// Maximum number of bytes of responses that clients have not read; see ``Connection::is_clogged``.
    pub unsent_bytes_max: usize,
    /// Maximum number of elements of a message that arrives as JSON.
    pub elements_max: usize,
    pub handshake: Duration,
    pub arrival: Duration,
    pub keep_alive: Duration,
    pub keep_alive_timeout: Duration,
    /// Age after which a connection is asked to be replaced; zero for none.
    pub age: Duration,
    /// Time without calls after which a connection is closed; zero for none.
    pub idle: Duration,
}

/// How calls are refused before Python sees them.
pub struct Refusals {
    pub unauthenticated: Status,
    pub stalled: Status,
    pub malformed: Status,
    pub metadata: Status,
    pub unread: Status,
    /// There is no room for a request that must arrive as a whole.
    pub collected: Status,
    /// JSON has too many elements.
    pub elements: Status,
}

/// What all connections share.
pub struct Shared {
    pub queue: Queue,
    pub settings: Settings,
    pub refusals: Refusals,
    pub visitors: Visitors,
    pub pages: Pages,
    /// The bytes of responses that were not sent yet, but for messages of many calls.
    pub unsent_bytes: AtomicUsize,
    /// The bytes of messages of many calls that some call has not sent yet, each counted once.
    pub told_bytes: Arc<AtomicUsize>,
    pub arriving_bytes: AtomicUsize,
    /// The bytes of requests that arrive as a whole before they are passed on.
    pub collected_bytes: AtomicUsize,
    pub connections: AtomicUsize,
    /// The calls that have not ended, watches among them.
    pub calls: AtomicUsize,
    pub refused: Counts,
    methods: HashMap<String, Arc<Method>>,
    unknown: Arc<Method>,
    ids: AtomicU64,
}

impl Shared {
    /// ``unknown`` serves the calls of all other paths.
    pub fn new(
        queue: Queue,
        settings: Settings,
        refusals: Refusals,
        visitors: Visitors,
        pages: Pages,
        methods: Vec<Arc<Method>>,
        unknown: Arc<Method>,
    ) -> Self {
        let methods = methods
            .into_iter()
            .map(|method| (method.path.clone(), method))
            .collect();
        Self {
            queue,
            settings,
            refusals,
            visitors,
            pages,
            unsent_bytes: AtomicUsize::new(0),
            told_bytes: Arc::default(),
            arriving_bytes: AtomicUsize::new(0),
            collected_bytes: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            refused: Counts::default(),
            methods,
            unknown,
            ids: AtomicU64::new(0),
        }
    }

    pub fn method(&self, path: &str) -> &Arc<Method> {
        self.methods.get(path).unwrap_or(&self.unknown)
    }

    /// The methods that have a path.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.methods.values().map(AsRef::as_ref)
    }

    pub fn new_id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }
}
