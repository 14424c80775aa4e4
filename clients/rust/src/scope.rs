//! A scope that is disposed when its guard is dropped.

use std::ops::Deref;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::condition::Condition;
use crate::error::{Error, ErrorKind, Result};
use crate::input::choose;
use crate::new_entry::duration_of;
use crate::v1;
use crate::working_memory::WorkingMemory;

/// How long a scope of a block outlives a process that died.
const IDLE_TTL: Duration = Duration::from_secs(600);
/// One renewal may fail: the next one still comes before the scope ends.
const RENEWALS_PER_IDLE_TTL: u32 = 3;

/// Selects which entry remains if a merged scope and its parent have entries under the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Merge {
    /// The scope's entry replaces the parent's.
    Overwrite,
    /// The parent's entry is kept.
    KeepParent,
}

impl Merge {
    /// Returns the request that merges a scope, without an agent.
    pub(crate) fn into_request(self, scope_id: &str, dispose: bool) -> v1::MergeScopeRequest {
        let overwrite = Some(self == Self::Overwrite);
        v1::MergeScopeRequest { scope_id: scope_id.to_owned(), overwrite, dispose, ..Default::default() }
    }
}

/// A scope to create, with its attributes. A name converts to a `NewScope` with default attributes.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// use memoryd::NewScope;
///
/// let task = agent.scope(NewScope::new("task-1").user_id("ann").must_not_exist()).await?;
/// # task.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct NewScope {
    request: v1::CreateScopeRequest,
    names_user: bool,
    failure: Option<Error>,
}

impl NewScope {
    /// Returns a scope with this name: a label for people, at most 256 bytes, which need not be unique.
    pub fn new(name: impl Into<String>) -> Self {
        let request = v1::CreateScopeRequest { name: name.into(), ..Default::default() };
        Self { request, names_user: false, failure: None }
    }

    /// Sets the user that the scope is about, at most 256 bytes; empty for none. Default: the
    /// [bound user](crate::Agent::user), else none.
    pub fn user_id(mut self, user_id: impl Into<String>) -> Self {
        self.request.user_id = user_id.into();
        self.names_user = true;
        self
    }

    /// Makes the scope about this user, unless it names one.
    pub(crate) fn or_user(mut self, user_id: &str) -> Self {
        if !self.names_user {
            user_id.clone_into(&mut self.request.user_id);
        }
        self
    }

    /// Makes the creation fail with `RecordExists` if an active scope under the same parent has this name. Excludes any
    /// other condition: setting two makes the creation fail with `InvalidArgument`.
    pub fn must_not_exist(self) -> Self {
        self.on(Condition::MustNotExist)
    }

    /// Makes the creation fail with `RecordNotFound` unless an active scope under the same parent has this name.
    /// Excludes any other condition.
    pub fn must_exist(self) -> Self {
        self.on(Condition::MustExist)
    }

    /// Makes the creation fail with `RevisionMismatch` unless the active scope of this name under the same parent has
    /// this revision, where 0 means that there is none. Excludes any other condition.
    pub fn expected_revision(self, revision: i64) -> Self {
        self.on(Condition::ExpectedRevision(revision))
    }

    /// Makes the daemon dispose the scope once it was not used for this long, at least 1 s, so that nothing is left over
    /// if this process dies. The scope is kept while the [`Scope`] exists. Default: never; 10 minutes for
    /// [`WorkingMemory::with_scope`] and [`WorkingMemory::with_merged_scope`].
    pub fn idle_ttl(mut self, ttl: Duration) -> Self {
        self.request.idle_ttl = Some(duration_of(ttl));
        self
    }

    pub(crate) fn or_idle_ttl_of_block(self) -> Self {
        if self.request.idle_ttl.is_some() { self } else { self.idle_ttl(IDLE_TTL) }
    }

    fn on(mut self, condition: Condition) -> Self {
        let v1::Precondition { condition } = condition.into();
        let present = &mut self.request.precondition.get_or_insert_default().condition;
        let chosen = choose(present, condition, "must_exist, must_not_exist, expected_revision");
        self.failure = self.failure.or(chosen.err());
        self
    }

    /// Returns the request that creates the scope below a parent.
    pub(crate) fn into_request(self, agent_id: &str, parent_scope_id: &str) -> Result<v1::CreateScopeRequest> {
        match self.failure {
            Some(error) => Err(error),
            None => Ok(v1::CreateScopeRequest {
                agent_id: agent_id.to_owned(),
                parent_scope_id: parent_scope_id.to_owned(),
                ..self.request
            }),
        }
    }
}

impl<S: Into<String>> From<S> for NewScope {
    fn from(name: S) -> Self {
        Self::new(name)
    }
}

/// A scope below an agent or another scope, such as the [`WorkingMemory`] of one task. Its reads fall back to its
/// parents.
///
/// End it by [`close`](Self::close) or [`merge`](Self::merge), or use [`WorkingMemory::with_scope`]. As a safety net, a
/// scope that was created here and is dropped without that is disposed in the background: errors are only logged, and
/// if the runtime ends first, the scope remains. [`keep`](Self::keep) disables that.
#[derive(Debug)]
#[must_use = "the scope is disposed when it is dropped"]
pub struct Scope {
    working_memory: WorkingMemory,
    ends_with_guard: bool,
    /// The task that keeps the scope; it ends with this object.
    _renewal: JoinSet<()>,
}

impl Scope {
    pub(crate) fn attached(working_memory: WorkingMemory) -> Self {
        Self { working_memory, ends_with_guard: false, _renewal: JoinSet::new() }
    }

    fn created(working_memory: WorkingMemory, renewal: JoinSet<()>) -> Self {
        Self { working_memory, ends_with_guard: true, _renewal: renewal }
    }

    /// Disposes the scope and those below it with all their entries, and returns the number of entries. A scope that
    /// has already ended, by itself or with its agent, is not an error.
    ///
    /// # Errors
    ///
    /// Those of every method of [`WorkingMemory`]. The scope is not disposed in the background then.
    pub async fn close(self) -> Result<i64> {
        self.closing(None).await
    }

    /// Disposes the scope as [`close`](Self::close) does, if the condition on the agent is met.
    ///
    /// # Errors
    ///
    /// `AgentNotFound`, `RevisionMismatch` or `AlreadyExists` if the condition is not met. The scope remains then.
    pub async fn close_if(self, condition: Condition) -> Result<i64> {
        self.closing(Some(condition)).await
    }

    async fn closing(mut self, condition: Option<Condition>) -> Result<i64> {
        let agent_precondition = condition.map(Into::into);
        let answer = self.channel.call(v1::DisposeScopeRequest { agent_precondition, ..self.disposal() }).await;
        self.ends_with_guard = false;
        match answer {
            // The daemon remembers a disposed scope for a limited time, and none of an ended agent.
            Err(error) if error.kind() == ErrorKind::RecordNotFound => Ok(0),
            answer => Ok(answer?.cleared_entry_count),
        }
    }

    /// Copies the scope's own entries to its parent and disposes the scope in the same step, and returns the number of
    /// entries copied.
    ///
    /// # Errors
    ///
    /// `ScopeDisposed` if it has already ended, `QuotaExceeded`, and those of every method of [`WorkingMemory`]. The
    /// scope remains then, so that nothing is lost.
    pub async fn merge(self, merge: Merge) -> Result<i64> {
        self.merging(merge, None).await
    }

    /// Merges the scope as [`merge`](Self::merge) does, if the condition on the agent is met.
    ///
    /// # Errors
    ///
    /// `AgentNotFound`, `RevisionMismatch` or `AlreadyExists` if the condition is not met, and those of
    /// [`merge`](Self::merge). The scope remains then.
    pub async fn merge_if(self, merge: Merge, condition: Condition) -> Result<i64> {
        self.merging(merge, Some(condition)).await
    }

    async fn merging(mut self, merge: Merge, condition: Option<Condition>) -> Result<i64> {
        let merged = self.copying(merge, true, condition).await;
        self.ends_with_guard = false;
        merged
    }

    /// Copies the scope's own entries to its parent as [`merge`](Self::merge) does, but keeps the scope, and returns the
    /// number of entries copied.
    ///
    /// # Errors
    ///
    /// Those of [`merge`](Self::merge).
    pub async fn merge_and_keep(&self, merge: Merge) -> Result<i64> {
        self.copying(merge, false, None).await
    }

    /// Copies the entries as [`merge_and_keep`](Self::merge_and_keep) does, if the condition on the agent is met.
    ///
    /// # Errors
    ///
    /// Those of [`merge_if`](Self::merge_if).
    pub async fn merge_and_keep_if(&self, merge: Merge, condition: Condition) -> Result<i64> {
        self.copying(merge, false, Some(condition)).await
    }

    async fn copying(&self, merge: Merge, dispose: bool, condition: Option<Condition>) -> Result<i64> {
        let request = v1::MergeScopeRequest {
            agent_id: self.agent_id().to_owned(),
            agent_precondition: condition.map(Into::into),
            ..merge.into_request(self.scope_id(), dispose)
        };
        Ok(self.channel.call(request).await?.merged_entry_count)
    }

    /// Keeps the scope when the guard is dropped.
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
                tracing::warn!(scope_id, %error, "dropped scope not disposed");
            }
        });
    }
}

/// Creates a scope. The call runs in a task of its own: if the caller's future is dropped meanwhile, the task still
/// receives the scope and drops its guard, which disposes it.
pub(crate) async fn create_scope(parent: &WorkingMemory, scope: NewScope) -> Result<Scope> {
    let channel = parent.channel.clone();
    let request = scope.or_user(&parent.place.user_id).into_request(parent.agent_id(), parent.scope_id())?;
    let parent = parent.clone();
    let created = channel.runtime().clone().spawn(async move {
        let idle_ttl = request.idle_ttl.and_then(|ttl| Duration::try_from(ttl).ok());
        let scope = channel.call(request).await?.scope.unwrap_or_default();
        let created = parent.of_scope(scope.scope_id);
        let mut renewal = JoinSet::new();
        if let Some(ttl) = idle_ttl {
            renewal.spawn(keep_used(created.clone(), ttl / RENEWALS_PER_IDLE_TTL));
        }
        Ok(Scope::created(created, renewal))
    });
    created.await.unwrap_or_else(|error| {
        Err(Error::new(ErrorKind::Cancelled, "the runtime ended before the scope was created").with_source(error))
    })
}

/// Uses a scope once per interval until it is disposed.
async fn keep_used(scope: WorkingMemory, interval: Duration) {
    loop {
        sleep(interval).await;
        let request = v1::GetScopeRequest {
            agent_id: scope.agent_id().to_owned(),
            scope_id: scope.scope_id().to_owned(),
            ..Default::default()
        };
        match scope.channel.call(request).await {
            Ok(answer) if answer.scope.as_ref().is_some_and(|scope| scope.disposed) => return,
            Err(error) if error.kind() == ErrorKind::RecordNotFound => return,
            // Any other error may pass before the scope ends: try again at the next turn.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Runtime;

    use super::*;
    use crate::client::Client;

    #[test]
    fn conditions_exclude_each_other() {
        for scope in [
            NewScope::new("task").must_exist().must_not_exist(),
            NewScope::new("task").expected_revision(1).must_exist(),
        ] {
            assert_eq!(scope.into_request("a", "").unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
        let scope = NewScope::new("task").expected_revision(1).expected_revision(2);
        let request = scope.into_request("a", "").unwrap();
        assert_eq!(request.precondition, Some(Condition::ExpectedRevision(2).into()));
    }

    #[test]
    fn a_scope_can_be_dropped_after_the_end_of_the_runtime() {
        let runtime = Runtime::new().unwrap();
        let client = {
            let _inside = runtime.enter();
            Client::builder().target("127.0.0.1:1").connect().unwrap()
        };
        let scope = Scope::created(WorkingMemory::clone(&client.agent("a")), JoinSet::new());
        drop(runtime);
        drop(scope);
    }
}
