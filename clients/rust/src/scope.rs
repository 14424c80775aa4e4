//! A scope that ends with its guard.

use std::ops::Deref;

use crate::error::{Error, ErrorKind, Result};
use crate::v1;
use crate::working_memory::WorkingMemory;

/// What a merge does with a key that the parent has, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Merge {
    /// The scope's entry replaces the parent's.
    Overwrite,
    /// The parent's entry stays.
    KeepParent,
}

/// The [`WorkingMemory`] of one task. Its reads fall back to its parent.
///
/// End it by [`close`](Self::close) or [`merge`](Self::merge), or use it inside of [`WorkingMemory::with_scope`]. A scope
/// that was created here and is dropped without that is ended in the background, as a safety net: errors are lost then,
/// and when the runtime ends first, the scope remains. [`keep`](Self::keep) turns that off.
#[derive(Debug)]
#[must_use = "the scope ends when it is dropped"]
pub struct Scope {
    working_memory: WorkingMemory,
    ends_with_guard: bool,
}

impl Scope {
    pub(crate) fn attached(working_memory: WorkingMemory) -> Self {
        Self { working_memory, ends_with_guard: false }
    }

    fn created(working_memory: WorkingMemory) -> Self {
        Self { working_memory, ends_with_guard: true }
    }

    /// Ends the scope and those below it with all their entries, and answers how many entries that were. A scope that
    /// has ended before is no error.
    ///
    /// # Errors
    ///
    /// Those of every method of [`WorkingMemory`]. The scope is not tried to be ended again then.
    pub async fn close(mut self) -> Result<i64> {
        let answer = self.channel.call(self.disposal()).await;
        self.ends_with_guard = false;
        Ok(answer?.entries_cleared)
    }

    /// Copies the scope's own entries to its parent and ends the scope, in one step, and answers how many were copied.
    ///
    /// # Errors
    ///
    /// `ScopeDisposed` when it has ended before, `LimitExceeded`, and those of every method of [`WorkingMemory`]. The
    /// scope stays then, so that nothing is lost.
    pub async fn merge(mut self, merge: Merge) -> Result<i64> {
        let request = v1::MergeScopeRequest {
            agent_id: self.agent_id().to_owned(),
            scope_id: self.scope_id().to_owned(),
            overwrite: Some(merge == Merge::Overwrite),
            dispose: true,
            ..Default::default()
        };
        let answer = self.channel.call(request).await;
        self.ends_with_guard = false;
        Ok(answer?.entries_merged)
    }

    /// Leaves the scope there when the guard is dropped.
    pub fn keep(mut self) -> Self {
        self.ends_with_guard = false;
        self
    }

    fn disposal(&self) -> v1::DisposeScopeRequest {
        v1::DisposeScopeRequest {
            agent_id: self.agent_id().to_owned(),
            scope_id: self.scope_id().to_owned(),
            ..Default::default()
        }
    }
}

impl Deref for Scope {
    type Target = WorkingMemory;

    fn deref(&self) -> &WorkingMemory {
        &self.working_memory
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        if !self.ends_with_guard {
            return;
        }
        let (channel, disposal) = (self.channel.clone(), self.disposal());
        self.channel.perform_later(async move {
            let scope_id = disposal.scope_id.clone();
            if let Err(error) = channel.call(disposal).await {
                tracing::warn!(scope_id, %error, "a scope that was dropped has not ended");
            }
        });
    }
}

/// Creates a scope in a task of its own, so that nobody who stops waiting leaves a scope behind without a guard.
pub(crate) async fn create_scope(parent: &WorkingMemory, name: &str) -> Result<Scope> {
    let channel = parent.channel.clone();
    let request = v1::CreateScopeRequest {
        agent_id: parent.agent_id().to_owned(),
        name: name.to_owned(),
        parent_scope_id: parent.scope_id().to_owned(),
        ..Default::default()
    };
    let created = parent.channel.runtime().spawn(async move {
        let agent_id = request.agent_id.clone();
        let scope = channel.call(request).await?.scope.unwrap_or_default();
        Ok(Scope::created(WorkingMemory::new(channel, agent_id, scope.scope_id)))
    });
    created.await.unwrap_or_else(|error| {
        Err(Error::new(ErrorKind::Cancelled, "the runtime ended before the scope was created").with_source(error))
    })
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Runtime;

    use super::*;
    use crate::client::Client;

    #[test]
    fn a_scope_may_be_dropped_when_the_runtime_is_gone() {
        let runtime = Runtime::new().unwrap();
        let client = {
            let _inside = runtime.enter();
            Client::builder().target("127.0.0.1:1").connect().unwrap()
        };
        let scope = Scope::created(WorkingMemory::clone(&client.agent("a")));
        drop(runtime);
        drop(scope);
    }
}
