//! Calls of working memory that are made at about the same time, sent together.

mod call;
mod lane;
mod send;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::error::{Error, ErrorKind, Result};
use crate::method::UnaryRequest;

use call::{Pending, Response, batched};
use lane::Lane;

/// Makes a call by itself.
pub(crate) trait Perform: Clone + Send + Sync + 'static {
    fn perform<R: UnaryRequest>(&self, request: R) -> impl Future<Output = Result<R::Response>> + Send;

    /// Runs work in the background.
    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static);
}

/// Sends the gets, sets and removes together that are called in one turn of the runtime, or within a window of time.
///
/// Each call has the result and the error that it has by itself; what would change them is not batched.
pub(crate) struct Batcher {
    /// `None` is the end of the turn.
    window: Option<Duration>,
    lanes: Mutex<Lanes>,
}

/// The calls that wait, by their agents.
#[derive(Default)]
struct Lanes {
    by_agent: HashMap<String, Lane>,
    /// Whether the calls that wait are going to be sent.
    is_scheduled: bool,
}

impl Batcher {
    pub(crate) fn new(window: Option<Duration>) -> Self {
        Self { window, lanes: Mutex::default() }
    }

    /// Performs a call together with others, or by itself after the writes of its agent that wait or are on their way.
    pub(crate) async fn run<R: UnaryRequest>(
        self: &Arc<Self>,
        perform: &impl Perform,
        request: R,
    ) -> Result<R::Response> {
        let Some(batched) = batched(&request) else {
            self.settle(perform, request.agent_id()).await;
            return perform.perform(request).await;
        };
        let (answer, answered) = oneshot::channel();
        let is_first = {
            let mut lanes = self.lanes();
            lanes.by_agent.entry(request.agent_id().to_owned()).or_default().add(Pending::new(batched, answer));
            !std::mem::replace(&mut lanes.is_scheduled, true)
        };
        if is_first {
            self.send_later(perform);
        }
        let ended = |_| Error::new(ErrorKind::Cancelled, "the runtime ended before the call did");
        answered.await.map_err(ended)?.map(Response::into_response_of::<R>)
    }

    fn send_later(self: &Arc<Self>, perform: &impl Perform) {
        let (batcher, performing) = (Arc::clone(self), perform.clone());
        perform.spawn(async move {
            match batcher.window {
                Some(window) => sleep(window).await,
                // The tasks that are ready run first.
                None => yield_now().await,
            }
            let mut lanes = batcher.lanes();
            lanes.is_scheduled = false;
            let groups: Vec<_> =
                lanes.by_agent.iter_mut().map(|(agent_id, lane)| (agent_id.clone(), lane.take())).collect();
            lanes.by_agent.retain(|_, lane| !lane.is_idle());
            drop(lanes);
            for (agent_id, groups) in groups {
                send::send(&batcher, &performing, &agent_id, groups);
            }
        });
    }

    /// Sends what waits for an agent, and waits until a call that is sent next comes after its writes.
    pub(crate) async fn settle(self: &Arc<Self>, perform: &impl Perform, agent_id: &str) {
        let (groups, mut changes, number) = {
            let mut lanes = self.lanes();
            let Some(lane) = lanes.by_agent.get_mut(agent_id) else {
                return;
            };
            let (changes, number) = lane.barrier();
            (lane.take(), changes, number)
        };
        send::send(self, perform, agent_id, groups);
        // An error says that the lane has ended.
        while !self.is_settled(agent_id, number) && changes.changed().await.is_ok() {}
    }

    fn is_settled(&self, agent_id: &str, number: u64) -> bool {
        self.lanes().by_agent.get(agent_id).is_none_or(|lane| lane.is_settled(number))
    }

    /// Takes note that writes are answered, and sends what has waited for them.
    fn answered(self: &Arc<Self>, perform: &impl Perform, agent_id: &str, sent: &lane::Sent) {
        let groups = {
            let mut lanes = self.lanes();
            let Some(lane) = lanes.by_agent.get_mut(agent_id) else {
                return;
            };
            lane.answered(sent);
            let groups = lane.take();
            lanes.by_agent.retain(|_, lane| !lane.is_idle());
            groups
        };
        send::send(self, perform, agent_id, groups);
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
