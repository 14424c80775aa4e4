//! The near caches of a client, which its writes wait for.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::time::Instant;

use crate::method::{ChangedAgents, UnaryRequest};
use crate::mirror::{Mark, NearCopy};

/// The maximum time for which a write waits until the near caches of its agent have it. Then they ask the daemon.
const SEEN_MAX: Duration = Duration::from_secs(1);

/// The near caches of a client by their agents, whose writes they have to see.
#[derive(Default)]
pub(crate) struct NearCopies {
    by_agent: RwLock<HashMap<String, Vec<Arc<NearCopy>>>>,
}

impl NearCopies {
    pub(crate) fn enter(&self, copy: &Arc<NearCopy>) {
        let mut by_agent = self.by_agent.write().unwrap_or_else(PoisonError::into_inner);
        by_agent.entry(copy.agent_id().to_owned()).or_default().push(Arc::clone(copy));
    }

    pub(crate) fn exit(&self, copy: &Arc<NearCopy>) {
        let mut by_agent = self.by_agent.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(copies) = by_agent.get_mut(copy.agent_id()) {
            copies.retain(|each| !Arc::ptr_eq(each, copy));
        }
        by_agent.retain(|_, copies| !copies.is_empty());
    }

    fn of(&self, changed: ChangedAgents<'_>) -> Vec<Arc<NearCopy>> {
        let by_agent = self.by_agent.read().unwrap_or_else(PoisonError::into_inner);
        match changed {
            ChangedAgents::None => Vec::new(),
            ChangedAgents::One(agent_id) => by_agent.get(agent_id).cloned().unwrap_or_default(),
            ChangedAgents::All => by_agent.values().flatten().cloned().collect(),
        }
    }
}

/// A write that begins, with what the near caches that it concerns had before it.
pub(crate) struct NearWrite<'a> {
    near: &'a NearCopies,
    changed: ChangedAgents<'a>,
    before: Vec<(Arc<NearCopy>, Mark)>,
}

impl<'a> NearWrite<'a> {
    /// Begins a call, which concerns no near cache if it is a read.
    pub(crate) fn begin(near: &'a NearCopies, request: &'a impl UnaryRequest) -> Self {
        let changed = request.changed_agents();
        let with_mark = |copy: Arc<NearCopy>| {
            let before = copy.reached();
            (copy, before)
        };
        let before = near.of(changed).into_iter().map(with_mark).collect();
        Self { near, changed, before }
    }

    /// Waits until the near caches have the revision of the response, also those that were opened after the beginning.
    pub(crate) async fn end(self, revision: i64) {
        let deadline = Instant::now() + SEEN_MAX;
        for copy in self.near.of(self.changed) {
            let known = self.before.iter().find(|(each, _)| Arc::ptr_eq(each, &copy));
            let before = known.map_or(Mark::BEGINNING, |(_, before)| *before);
            if self.changed == ChangedAgents::All {
                // The response has no revision. A proof, or another load, shows that the copy has the change.
                copy.owe(Mark::UNKNOWN);
            } else if revision > 0 {
                copy.see(Mark::of(revision, before), deadline).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::tests::error_of;
    use crate::error::{ErrorKind, Result};
    use crate::mirror::tests::{complete, entry_set, live};
    use crate::mirror::{Bounds, Mirror, Read, StaleRead};
    use crate::v1;

    /// Returns the copy of the agent "a" at revision 5, without a watch.
    fn copy_that(when_stale: StaleRead) -> (NearCopies, Arc<NearCopy>) {
        let bounds = Bounds { staleness: None, when_stale, bytes_max: usize::MAX };
        let copy = Arc::new(NearCopy::new("a".into(), bounds));
        copy.replace(complete(usize::MAX), std::time::Instant::now());
        copy.apply(live(5, [entry_set("", "k", "1", None)])).unwrap();
        let copies = NearCopies::default();
        copies.enter(&copy);
        (copies, copy)
    }

    fn copy() -> (NearCopies, Arc<NearCopy>) {
        copy_that(StaleRead::Serve)
    }

    fn read(copy: &NearCopy) -> Result<Read<()>> {
        copy.read(|_| Read::Held(()))
    }

    fn serves(copy: &NearCopy) -> bool {
        read(copy).unwrap() == Read::Held(())
    }

    fn set_of(agent_id: &str) -> v1::SetEntryRequest {
        v1::SetEntryRequest { agent_id: agent_id.into(), ..Default::default() }
    }

    /// Sees a write without waiting.
    async fn see(copy: &NearCopy, written: Mark) {
        copy.see(written, Instant::now()).await;
    }

    fn at(copy: &NearCopy, revision: i64) -> Mark {
        Mark::of(revision, copy.reached())
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_that_began_before_a_near_cache_concerns_it() {
        for (revision, is_served) in [(4, true), (5, true), (6, false)] {
            let (copies, copy) = copy();
            copies.exit(&copy);
            let request = set_of("a");
            let write = NearWrite::begin(&copies, &request);
            copies.enter(&copy);
            write.end(revision).await;
            assert_eq!(serves(&copy), is_served, "at revision 5, after a write of revision {revision}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_waits_until_a_near_cache_has_it() {
        let (copies, copy) = copy();
        let request = set_of("a");
        let write = NearWrite::begin(&copies, &request);
        let ended = async {
            write.end(6).await;
            assert_eq!(copy.look(|mirror| mirror.revision), 6);
        };
        let applied = async {
            tokio::task::yield_now().await;
            copy.apply(live(6, [])).unwrap();
        };
        tokio::join!(ended, applied);
        assert!(serves(&copy));
    }

    #[tokio::test(start_paused = true)]
    async fn reads_ask_the_daemon_while_a_write_is_owed() {
        let (copies, copy) = copy();
        NearWrite::begin(&copies, &set_of("a")).end(7).await;
        see(&copy, at(&copy, 6)).await;
        for revision in 5..8 {
            copy.apply(live(revision, [])).unwrap();
            assert_eq!(serves(&copy), revision == 7);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn other_calls_do_not_concern_a_near_cache() {
        let (copies, copy) = copy();
        NearWrite::begin(&copies, &set_of("b")).end(9).await;
        let get = v1::GetEntryRequest { agent_id: "a".into(), ..Default::default() };
        NearWrite::begin(&copies, &get).end(9).await;
        NearWrite::begin(&copies, &set_of("a")).end(0).await;
        assert!(serves(&copy));
        copies.exit(&copy);
        NearWrite::begin(&copies, &set_of("a")).end(9).await;
        assert!(serves(&copy));
    }

    #[tokio::test(start_paused = true)]
    async fn a_restore_of_all_agents_is_owed_until_a_proof() {
        let (copies, copy) = copy();
        NearWrite::begin(&copies, &v1::RestoreSnapshotRequest::default()).end(0).await;
        assert!(!serves(&copy));
        assert!(copy.before_proof().is_some());
        copy.proved(std::time::Instant::now());
        assert!(serves(&copy));
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_at_a_lower_revision_is_owed_until_a_proof_or_another_load() {
        // A request was repeated, whose first response is returned again; or the store is another one.
        for settle in [
            |copy: &NearCopy| copy.proved(std::time::Instant::now()),
            |copy: &NearCopy| {
                let mut other = complete(usize::MAX);
                other.apply(live(3, [entry_set("", "k", "1", None)])).unwrap();
                copy.replace(other, std::time::Instant::now());
            },
        ] {
            let (copies, copy) = copy();
            NearWrite::begin(&copies, &set_of("a")).end(3).await;
            assert!(!serves(&copy));
            settle(&copy);
            assert!(serves(&copy));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn writes_do_not_wait_for_a_near_cache_that_has_failed_or_is_closed() {
        let begun = Instant::now();
        for end in [
            |copy: &NearCopy| copy.fail(error_of(ErrorKind::PermissionDenied)),
            |copy: &NearCopy| copy.fail(error_of(ErrorKind::CacheFull)),
            NearCopy::close,
        ] {
            let (copies, copy) = copy();
            end(&copy);
            NearWrite::begin(&copies, &set_of("a")).end(6).await;
            assert!(!serves(&copy));
        }
        assert_eq!(begun.elapsed(), Duration::ZERO); // time: it is paused
    }

    #[test]
    fn a_near_cache_that_is_full_or_closed_keeps_no_records() {
        for end in [|copy: &NearCopy| copy.fail(error_of(ErrorKind::CacheFull)), NearCopy::close] {
            let (_, copy) = copy();
            end(&copy);
            copy.apply(live(6, [])).unwrap();
            assert_eq!(copy.look(|mirror| mirror.size_bytes), 0);
            assert_eq!(copy.staleness(), None);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_is_refused_with_the_error_that_ended_the_watch() {
        let (copies, copy) = copy_that(StaleRead::Refuse);
        assert_eq!(read(&copy).unwrap(), Read::Held(()));
        copy.fail(error_of(ErrorKind::PermissionDenied));
        NearWrite::begin(&copies, &set_of("a")).end(6).await;
        let error = read(&copy).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StaleRead);
        assert!(error.message().ends_with("may miss a write of this client: an error of a test"), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }

    #[test]
    fn a_mirror_that_was_replaced_is_of_a_later_life() {
        let (_, copy) = copy();
        let (before, other) = (copy.reached(), Mirror::new(1));
        copy.replace(other, std::time::Instant::now());
        assert!(copy.look(|mirror| mirror.lives) > 0 && !copy.look(|mirror| before.is_reached(mirror)));
    }
}
