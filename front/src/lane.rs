//! The way from Python to a thread of connections: what Python has done is carried out there, many at a time.

use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::call::Command;

#[derive(Default)]
pub struct Lane {
    commands: Mutex<Vec<Command>>,
    notify: Notify,
}

impl Lane {
    /// Add a command, which is carried out after the next ``flush``.
    pub fn push(&self, command: Command) {
        self.commands
            .lock()
            .expect("no holder of the lock panics")
            .push(command);
    }

    /// Wake the thread if there are commands.
    pub fn flush(&self) {
        if !self.commands.lock().expect("no holder of the lock panics").is_empty() {
            self.notify.notify_one();
        }
    }

    /// Carry out commands for ever. To be run on the thread of the connections.
    pub async fn run(self: Arc<Self>) {
        let mut batch = Vec::new();
        loop {
            self.notify.notified().await;
            std::mem::swap(
                &mut batch,
                &mut self.commands.lock().expect("no holder of the lock panics"),
            );
            batch.drain(..).for_each(Command::run);
        }
    }
}
