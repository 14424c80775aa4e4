//! A copy that is kept current in the background until it is closed.

use std::sync::Arc;

use tokio::task::AbortHandle;

use crate::channel::Channel;
use crate::error::{Error, ErrorKind, Result};
use crate::mirror::{Bounds, NearCopy};
use crate::near::following::{Selection, follow, prove};
use crate::working_memory::WorkingMemory;

/// A copy, with the tasks that keep it current. Dropping it closes it.
pub(super) struct Opened {
    pub(super) copy: Arc<NearCopy>,
    /// Keys without it are not held.
    pub(super) key_prefix: String,
    pub(super) holds_notes: bool,
    channel: Channel,
    tasks: [AbortHandle; 2],
}

impl Opened {
    /// Opens the copy of an agent, and waits until it is complete.
    pub(super) async fn open(root: &WorkingMemory, bounds: Bounds, selection: Selection<'_>) -> Result<Self> {
        let channel = root.channel.clone();
        let copy = Arc::new(NearCopy::new(root.agent_id().to_owned(), bounds));
        // From here on, no write of this client is overlooked.
        channel.near().enter(&copy);
        let runtime = channel.runtime();
        let following = runtime.spawn(follow(channel.clone(), Arc::clone(&copy), selection.filters()));
        let proving = runtime.spawn(prove(channel.clone(), Arc::clone(&copy)));
        let opened = Self {
            key_prefix: selection.key_prefix.to_owned(),
            holds_notes: selection.holds_notes,
            tasks: [following.abort_handle(), proving.abort_handle()],
            copy,
            channel,
        };
        if opened.copy.wait(|mirror| mirror.is_complete).await {
            return Ok(opened);
        }
        let ended = || Error::new(ErrorKind::Cancelled, "the near cache was closed before it was complete");
        Err(opened.copy.failure().unwrap_or_else(ended))
    }

    pub(super) fn close(&self) {
        self.channel.near().exit(&self.copy);
        for task in &self.tasks {
            task.abort();
        }
        self.copy.close();
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.close();
    }
}
