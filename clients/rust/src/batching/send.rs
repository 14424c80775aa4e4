//! Sends calls together, and each by itself if they are refused.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::task::JoinSet;

use crate::batching::call::{Pending, Request, Response};
use crate::batching::lane::{Groups, Writes};
use crate::batching::{Batcher, Perform};
use crate::error::{Error, ErrorKind, Result};
use crate::v1;

/// The errors after which nothing has changed, and of which one call alone may be the cause. After others, each call would
/// fail, too, or nobody knows whether the changes were made.
const REFUSALS: [ErrorKind; 8] = [
    ErrorKind::InvalidArgument,
    ErrorKind::NotFound,
    ErrorKind::AlreadyExists,
    ErrorKind::PermissionDenied,
    ErrorKind::ResourceExhausted,
    ErrorKind::FailedPrecondition,
    ErrorKind::OutOfRange,
    ErrorKind::Unimplemented,
];

/// Sends groups of calls of an agent in the background.
pub(super) fn send(batcher: &Arc<Batcher>, perform: &impl Perform, agent_id: &str, groups: Groups) {
    for calls in groups.gets {
        let (perform, agent_id) = (perform.clone(), agent_id.to_owned());
        perform.clone().spawn(async move { get(&perform, agent_id, calls).await });
    }
    for Writes { calls, sent, .. } in groups.writes {
        let (batcher, perform, agent_id) = (Arc::clone(batcher), perform.clone(), agent_id.to_owned());
        perform.clone().spawn(async move {
            write(&perform, &agent_id, calls).await;
            batcher.answered(&perform, &agent_id, &sent);
        });
    }
}

async fn get(perform: &impl Perform, agent_id: String, mut calls: Vec<Pending>) {
    let Some(Request::Get(first)) = calls.first().map(|call| &call.request) else {
        return;
    };
    if calls.len() == 1 {
        return each(perform, calls).await;
    }
    let request = v1::BatchGetEntriesRequest {
        agent_id,
        scope_id: first.scope_id.clone(),
        local_only: first.local_only,
        keys: calls.iter().map(|call| call.request.key().to_owned()).collect(),
        ..Default::default()
    };
    match unless_given_up(perform.perform(request), &mut calls).await {
        Some(Ok(response)) => {
            // In the order of the keys. A key that was requested twice has two, each for one caller.
            let mut entries = response.entries.into_iter().peekable();
            for call in calls {
                let entry = entries.next_if(|entry| entry.key == call.request.key());
                let found = entry.is_some();
                call.answer(Ok(Response::Get(v1::GetEntryResponse { revision: response.revision, found, entry })));
            }
        }
        Some(Err(error)) => after(&error, perform, calls).await,
        None => {}
    }
}

async fn write(perform: &impl Perform, agent_id: &str, mut calls: Vec<Pending>) {
    if calls.len() == 1 {
        return each(perform, calls).await;
    }
    let writes = calls.iter().map(|call| call.request.to_write()).collect();
    let request = v1::CommitRequest { agent_id: agent_id.to_owned(), writes, ..Default::default() };
    match unless_given_up(perform.perform(request), &mut calls).await {
        Some(Ok(response)) => {
            let mut results = response.results.into_iter();
            for call in calls {
                call.answer(Response::of(results.next().unwrap_or_default()));
            }
        }
        Some(Err(error)) => after(&error, perform, calls).await,
        None => {}
    }
}

/// Makes each call by itself if one of them may be the cause of the error; otherwise each fails with the error.
async fn after(error: &Error, perform: &impl Perform, calls: Vec<Pending>) {
    if error.kind() != ErrorKind::Overloaded && REFUSALS.into_iter().any(|refusal| error.is(refusal)) {
        each(perform, calls).await;
    } else {
        for call in calls {
            call.answer(Err(error.clone()));
        }
    }
}

/// Makes each call by itself, those of one key one after the other.
async fn each(perform: &impl Perform, calls: Vec<Pending>) {
    let mut by_key: HashMap<String, Vec<Pending>> = HashMap::new();
    for call in calls {
        by_key.entry(call.request.key().to_owned()).or_default().push(call);
    }
    let mut running = JoinSet::new();
    for calls in by_key.into_values() {
        running.spawn(one_by_one(perform.clone(), calls));
    }
    running.join_all().await;
}

async fn one_by_one(perform: impl Perform, calls: Vec<Pending>) {
    for call in calls {
        let request = call.request.clone();
        let mut alone = [call];
        let performing = async {
            match request {
                Request::Get(request) => perform.perform(request).await.map(Response::Get),
                Request::Set(request) => perform.perform(request).await.map(Response::Set),
                Request::Remove(request) => perform.perform(request).await.map(Response::Remove),
            }
        };
        if let Some(result) = unless_given_up(performing, &mut alone).await {
            let [call] = alone;
            call.answer(result);
        }
    }
}

/// Returns the result of a request, or `None` once the callers of all of its calls have given up.
async fn unless_given_up<T>(performing: impl Future<Output = Result<T>>, calls: &mut [Pending]) -> Option<Result<T>> {
    let all_given_up = async {
        for call in calls {
            call.given_up().await;
        }
    };
    let (mut performing, mut all_given_up) = (pin!(performing), pin!(all_given_up));
    poll_fn(|context| match performing.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => all_given_up.as_mut().poll(context).map(|()| None),
    })
    .await
}
