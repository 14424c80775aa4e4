//! Bytes that a door holds of requests and responses, in the counts that bound all of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::connection::Connection;
use crate::limit::COLLECTED_BYTES_MAX;

/// The bytes of a request that arrives as a whole before it is passed on.
pub struct Collected {
    connection: Arc<Connection>,
    size: usize,
}

impl Collected {
    pub fn new(connection: &Arc<Connection>) -> Self {
        let connection = Arc::clone(connection);
        Self { connection, size: 0 }
    }

    /// Count more. Returns false if all such requests together have no room for it.
    pub fn grow(&mut self, more: usize) -> bool {
        self.size += more;
        self.count().fetch_add(more, Ordering::AcqRel) + more <= COLLECTED_BYTES_MAX
    }

    /// Count the request as one of this size. Returns false as ``grow``.
    pub fn resize(&mut self, size: usize) -> bool {
        if size >= self.size {
            return self.grow(size - self.size);
        }
        self.count().fetch_sub(self.size - size, Ordering::AcqRel);
        self.size = size;
        true
    }

    fn count(&self) -> &AtomicUsize {
        &self.connection.shared.collected_bytes
    }
}

impl Drop for Collected {
    fn drop(&mut self) {
        self.count().fetch_sub(self.size, Ordering::AcqRel);
    }
}

/// The bytes of a response that its client has not read.
pub struct Unread {
    connection: Arc<Connection>,
    size: usize,
}

impl Unread {
    pub fn new(connection: &Arc<Connection>, size: usize) -> Self {
        let connection = Arc::clone(connection);
        connection.unsent_bytes.fetch_add(size, Ordering::AcqRel);
        connection.shared.unsent_bytes.fetch_add(size, Ordering::AcqRel);
        Self { connection, size }
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.connection.unsent_bytes.fetch_sub(self.size, Ordering::AcqRel);
        self.connection
            .shared
            .unsent_bytes
            .fetch_sub(self.size, Ordering::AcqRel);
    }
}
