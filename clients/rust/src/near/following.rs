//! What keeps a near cache current: a watch, and calls that prove how current it is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

use crate::channel::Channel;
use crate::error::{Error, ErrorKind, Result};
use crate::mirror::{Mark, Mirror, NearCopy, ROOT};
use crate::retry::{backoff, jitter};
use crate::v1;
use crate::v1::RecordKind;
use crate::watch::{WatchBuilder, WatchMessage};
use crate::working_memory::WorkingMemory;

/// How many times a cache finds out how current it is, within the staleness that it may have.
const PROOFS: u32 = 3;
/// The same for a cache that may have any staleness, while it owes a write.
const PROOF_INTERVAL: Duration = Duration::from_secs(2);
const LONGEST_DELAY: Duration = Duration::from_secs(5);

/// The records that a near cache holds.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    pub(super) agent_id: &'a str,
    /// A scope and those that it inherits from, up to the root; empty for all scopes.
    pub(super) scope_ids: &'a [String],
    pub(super) key_prefix: &'a str,
    pub(super) holds_notes: bool,
}

impl Selection<'_> {
    /// Returns the filters of a watch.
    pub(super) fn filters(self) -> Vec<v1::EventFilter> {
        let mut filters = match self.scope_ids {
            [] => vec![self.of_scopes(&[])],
            [own, ancestors @ ..] => {
                let below = v1::EventFilter { include_descendants: true, ..self.of_scopes(std::slice::from_ref(own)) };
                vec![below, self.of_scopes(ancestors)]
            }
        };
        if self.holds_notes {
            filters.push(self.of_kinds(&[RecordKind::Note, RecordKind::Agent]));
        }
        filters
    }

    fn of_scopes(self, scope_ids: &[String]) -> v1::EventFilter {
        v1::EventFilter {
            scope_ids: scope_ids.to_vec(),
            key_prefix: self.key_prefix.to_owned(),
            ..self.of_kinds(&[RecordKind::Entry, RecordKind::Scope, RecordKind::Agent])
        }
    }

    fn of_kinds(self, kinds: &[RecordKind]) -> v1::EventFilter {
        let kinds = kinds.iter().map(|&kind| kind.into()).collect();
        v1::EventFilter { agent_ids: vec![self.agent_id.to_owned()], kinds, ..Default::default() }
    }
}

/// Returns a scope of an agent and those that it inherits from, up to the root; nothing for the root, which stands for the
/// whole agent.
pub(super) async fn path_of(root: &WorkingMemory, scope_id: &str) -> Result<Vec<String>> {
    let mut path = Vec::new();
    let mut last = scope_id.to_owned();
    while last != ROOT {
        let agent_id = root.agent_id().to_owned();
        let request = v1::GetScopeRequest { agent_id, scope_id: last.clone(), ..Default::default() };
        path.push(last);
        last = root.channel.call(request).await?.scope.unwrap_or_default().parent_scope_id;
    }
    if !path.is_empty() {
        path.push(last);
    }
    Ok(path)
}

/// Keeps the mirror current by watches, until one of them fails for good.
pub(super) async fn follow(channel: Channel, copy: Arc<NearCopy>, filters: Vec<v1::EventFilter>) {
    let mut failures = 0;
    loop {
        let (was_loaded, error) = follow_once(&channel, &copy, &filters).await;
        if !copy.look(|mirror| mirror.is_complete) || !begins_again(&error) {
            copy.fail(error);
            return;
        }
        failures = if was_loaded { 1 } else { failures + 1 };
        sleep(backoff(failures, LONGEST_DELAY, jitter())).await;
    }
}

/// Loads a new mirror, and keeps it current until the watch ends. Returns whether the mirror was complete, and why the
/// watch has ended.
async fn follow_once(channel: &Channel, copy: &NearCopy, filters: &[v1::EventFilter]) -> (bool, Error) {
    let mut began = Instant::now();
    let watch = WatchBuilder::new(channel.clone(), filters.to_vec()).initial_state().progress_on_commit();
    let mut watch = match watch.outage_max(None).await {
        Ok(watch) => watch,
        Err(error) => return (false, error),
    };
    let empty = || Mirror::new(copy.bounds.bytes_max);
    let mut loading = Some(empty());
    while let Some(message) = watch.next_message().await {
        let applied = match (message, &mut loading) {
            (Err(error), _) => Err(error),
            (Ok(WatchMessage::Restarted), _) => {
                began = Instant::now();
                loading = Some(empty());
                Ok(())
            }
            (Ok(WatchMessage::Received(message)), None) => copy.apply(message),
            (Ok(WatchMessage::Received(message)), Some(mirror)) => mirror.apply(message),
        };
        if let Err(error) = applied {
            return (loading.is_none(), error);
        }
        if let Some(loaded) = loading.take_if(|mirror| mirror.is_complete) {
            copy.replace(loaded, began);
        }
    }
    (loading.is_none(), Error::new(ErrorKind::Cancelled, "the watch of the near cache has ended"))
}

/// Returns whether a watch that ended with this error may begin again with the initial state.
fn begins_again(error: &Error) -> bool {
    let permanent = [
        ErrorKind::CacheFull,
        ErrorKind::InvalidArgument,
        ErrorKind::PermissionDenied,
        ErrorKind::Unauthenticated,
        ErrorKind::Unimplemented,
    ];
    error.kind() == ErrorKind::InvalidResumeToken || !permanent.into_iter().any(|kind| error.is(kind))
}

/// Finds out how current the mirror is, again and again until the watch has failed: it was current when a call began that it has caught up with. A
/// copy without a bound does so only while it owes a write.
pub(super) async fn prove(channel: Channel, copy: Arc<NearCopy>) {
    let interval = copy.bounds.staleness.map_or(PROOF_INTERVAL, |staleness| staleness / PROOFS);
    loop {
        sleep(interval).await;
        if copy.failure().is_some() {
            return;
        }
        let began = Instant::now();
        let Some(before) = copy.before_proof() else {
            continue;
        };
        // The key does not matter: the response has the agent's revision, 0 if there is no agent.
        let request =
            v1::ContainsEntryRequest { agent_id: copy.agent_id().to_owned(), key: "-".into(), ..Default::default() };
        let Ok(answer) = channel.call(request).await else {
            continue;
        };
        let proven = Mark::of(answer.revision, before);
        if timeout(interval, copy.wait(|mirror| proven.is_reached(mirror))).await.unwrap_or(false) {
            copy.proved(began);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::tests::error_of;

    #[test]
    fn a_watch_begins_again_unless_its_error_is_permanent() {
        for kind in [
            ErrorKind::InvalidResumeToken,
            ErrorKind::ForeignResumeToken,
            ErrorKind::RevisionInFuture,
            ErrorKind::Unavailable,
            ErrorKind::HistoryLost,
        ] {
            assert!(begins_again(&error_of(kind)), "{kind:?}");
        }
        for kind in
            [ErrorKind::PermissionDenied, ErrorKind::Unimplemented, ErrorKind::InvalidArgument, ErrorKind::CacheFull]
        {
            assert!(!begins_again(&error_of(kind)), "{kind:?}");
        }
    }
}
