//! What the tests of several modules need.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::call::Call;
use crate::connection::Connection;
use crate::door::{Pages, Visitors};
use crate::duration::Durations;
use crate::lane::Lane;
use crate::queue::{Pool, Queue, Waiting};
use crate::request::Metadata;
use crate::route::{Method, Refusals, Settings, Shared};
use crate::status::Status;

pub const BYTES_MAX: usize = 1_000;

/// A method of small messages, whose pool has the number 0.
pub fn method() -> Arc<Method> {
    Arc::new(Method {
        path: String::new(),
        number: 0,
        pool: 0,
        streams: true,
        answers: true,
        is_read: false,
        types: None,
        needs_credentials: false,
        bytes_max: BYTES_MAX,
        too_large: Status::plain(8, "too large"),
        durations: Durations::new(Arc::new([])),
    })
}

/// A connection of a front end with that method and one place for a call.
pub fn connection() -> Arc<Connection> {
    let refusal = || Status::plain(14, "refused");
    let pool = Pool {
        maximum: 1,
        connection_maximum: 1,
        total_refusal: refusal(),
        connection_refusal: refusal(),
    };
    let waiting = Waiting {
        maximum: 99,
        connection_maximum: 99,
        refusal: refusal(),
    };
    let settings = Settings {
        connections_max: 1,
        streams_max: 9,
        metadata_bytes_max: 1_000,
        unsent_bytes_max: 1_000,
        elements_max: 1_000,
        handshake: Duration::ZERO,
        arrival: Duration::ZERO,
        keep_alive: Duration::ZERO,
        keep_alive_timeout: Duration::ZERO,
        age: Duration::ZERO,
        idle: Duration::ZERO,
    };
    let refusals = Refusals {
        unauthenticated: refusal(),
        stalled: refusal(),
        malformed: refusal(),
        metadata: refusal(),
        unread: refusal(),
        collected: refusal(),
        elements: refusal(),
    };
    let queue = Queue::new(vec![pool], waiting).expect("there are open files left");
    let shared = Shared::new(
        queue,
        settings,
        refusals,
        Visitors::default(),
        Pages::default(),
        Vec::new(),
        method(),
    );
    Arc::new(Connection::new(
        String::new(),
        Vec::new(),
        Arc::new(shared),
        Arc::<Lane>::default(),
    ))
}

/// A call of that method.
pub fn call(connection: &Arc<Connection>) -> Arc<Call> {
    Call::new(
        Arc::clone(connection),
        method(),
        Metadata::default(),
        String::new(),
        Instant::now(),
        None,
    )
}
