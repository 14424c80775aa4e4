//! Calls of the methods of all kinds of memory.

use std::fmt;
use std::time::Duration;

use futures_core::future::BoxFuture;

use crate::agent::Agent;
use crate::channel::Channel;
use crate::condition::Condition;
use crate::error::Result;
use crate::input::{Failure, choose};
use crate::method::{
    AgentConditionalRequest, ChangeRequest, ConditionalRequest, PagedRequest, ReadRequest, UnaryRequest, ViewRequest,
};
use crate::new_entry::duration_of;
use crate::records::Records;
use crate::v1;
use crate::v1::consistency::Requirement;

/// A call with the request `Q` and the result `T`: set its options, then await it. [`kinds`](crate::kinds) names the
/// call of each method.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// use memoryd::Condition;
///
/// let note = agent.notes().create("Tone", "Answer in one sentence").tags(["style"]).await?;
/// let unchanged = Condition::ExpectedRevision(note.revision);
/// agent.notes().update(note.note_id).content("Answer in two sentences").condition(unchanged).await?;
/// # Ok(())
/// # }
/// ```
///
/// A call that lists records returns those of all pages; [`stream`](Self::stream) reads them page by page.
///
/// # Errors
///
/// A call fails if the daemon refuses, with the errors that its method lists, with `Unavailable` or `DeadlineExceeded`
/// if the daemon cannot be reached, and with `InvalidArgument` or `UnsupportedValue` for options that cannot be sent,
/// such as a selection that names none of what it selects by.
///
/// # Cancel safety
///
/// Dropping the future cancels the call. A change may or may not have been applied then, as after `DeadlineExceeded`.
#[must_use = "nothing is sent until the call is awaited"]
pub struct Call<Q: UnaryRequest, T> {
    agent: Agent,
    pub(crate) request: Q,
    pub(crate) failure: Failure,
    send: fn(Self) -> BoxFuture<'static, Result<T>>,
    read: fn(Q::Response) -> T,
}

impl<Q: UnaryRequest, T: 'static> Call<Q, T> {
    pub(crate) fn new(agent: &Agent, read: fn(Q::Response) -> T) -> Self {
        Self::sending(agent, read, |call| Box::pin(call.once()))
    }

    fn sending(agent: &Agent, read: fn(Q::Response) -> T, send: fn(Self) -> BoxFuture<'static, Result<T>>) -> Self {
        Self { agent: agent.clone(), request: Q::default(), failure: Failure::default(), send, read }
    }

    async fn once(self) -> Result<T> {
        let (channel, read) = (self.channel(), self.read);
        let request = self.into_request()?;
        let wait = request.wait_duration().and_then(|&wait| Duration::try_from(wait).ok()).unwrap_or_default();
        Ok(read(channel.call_waiting(request, wait).await?))
    }

    pub(crate) fn channel(&self) -> Channel {
        self.agent.channel.clone()
    }

    /// Returns the request as it would be sent.
    #[doc(hidden)]
    pub fn request(self) -> Result<Q> {
        self.into_request()
    }

    /// Returns the request, bound to the agent and its user.
    pub(crate) fn into_request(self) -> Result<Q> {
        let mut request = self.failure.or(self.request)?;
        request.bind_agent(self.agent.agent_id());
        request.bind_user(&self.agent.place.user_id)?;
        Ok(request)
    }
}

impl<Q: PagedRequest, R: Send + 'static> Call<Q, Vec<R>> {
    pub(crate) fn listing(agent: &Agent, read: fn(Q::Response) -> Vec<R>) -> Self {
        Self::sending(agent, read, |call| Box::pin(call.stream().all()))
    }

    /// Returns a stream of the records, which reads them page by page.
    ///
    /// ```no_run
    /// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
    /// let mut notes = agent.notes().list().any_tags(["style"]).stream();
    /// while let Some(note) = notes.next().await {
    ///     println!("{}", note?.title);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(self) -> Records<R> {
        let (channel, read) = (self.channel(), self.read);
        Records::new(channel, self.into_request(), read)
    }
}

impl<Q: ConditionalRequest, T> Call<Q, T> {
    /// Makes the change only if this condition on the record is met. Otherwise the call fails with `RecordExists`,
    /// `RecordNotFound` or `RevisionMismatch`, and nothing changes.
    pub fn condition(mut self, condition: Condition) -> Self {
        *self.request.precondition_mut() = Some(condition.into());
        self
    }
}

impl<Q: AgentConditionalRequest, T> Call<Q, T> {
    /// Makes the change only if this condition on the agent is met, whose revision is that of its last change.
    /// Otherwise the call fails with `AlreadyExists`, `AgentNotFound` or `RevisionMismatch`, and nothing changes.
    pub fn agent_condition(mut self, condition: Condition) -> Self {
        *self.request.agent_precondition_mut() = Some(condition.into());
        self
    }
}

impl<Q: ChangeRequest, T> Call<Q, T> {
    /// Makes the change safe to repeat by another call or process: with the same id it is made once. At most 128 bytes.
    /// Default: a new id, which the retries of the call have in common.
    pub fn request_id(mut self, request_id: impl Into<String>) -> Self {
        *self.request.request_id_mut() = request_id.into();
        self
    }
}

impl<Q: ReadRequest, T> Call<Q, T> {
    /// Reads with every change of the agent up to this revision, or fails with `RevisionInFuture`. A daemon that shares
    /// its store then reads from its memory if that suffices. Default: every change that was committed before the call.
    /// Excludes `max_staleness`.
    pub fn min_revision(self, revision: i64) -> Self {
        self.requiring(Requirement::MinRevision(revision))
    }

    /// Reads with every change that was committed at least this long ago: from 0 to 1 day. Excludes `min_revision`, and
    /// is like it otherwise.
    pub fn max_staleness(self, staleness: Duration) -> Self {
        self.requiring(Requirement::MaxStaleness(duration_of(staleness)))
    }

    fn requiring(mut self, requirement: Requirement) -> Self {
        let present = &mut self.request.consistency_mut().get_or_insert_default().requirement;
        self.failure.keep(choose(present, Some(requirement), "min_revision, max_staleness"));
        self
    }
}

impl<Q: ViewRequest, T> Call<Q, T> {
    /// Returns the records without what a writer wrote, such as texts, tags and metadata.
    pub fn without_content(mut self) -> Self {
        *self.request.view_mut() = v1::RecordView::WithoutContent.into();
        self
    }
}

impl<Q: UnaryRequest, T> IntoFuture for Call<Q, T> {
    type Output = Result<T>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        (self.send)(self)
    }
}

impl<Q: UnaryRequest, T> fmt::Debug for Call<Q, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("request", &self.request).finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fmt::Write as _;
    use std::time::UNIX_EPOCH;

    use prost::Message;

    use super::*;
    use crate::client::Client;
    use crate::error::ErrorKind;
    use crate::kinds::{
        ContextSection, MemoriesSource, MemoryCondition, MessageDraft, MetadataCondition, NotesSource, RecordFilter,
    };

    /// Returns an agent of a daemon that does not exist.
    pub(crate) fn agent() -> Agent {
        Client::builder().target("127.0.0.1:1").connect().unwrap().agent("a")
    }

    /// Returns a message as it is sent, in hexadecimal digits.
    pub(crate) fn hex(message: &impl Message) -> String {
        message.encode_to_vec().iter().fold(String::new(), |mut digits, byte| {
            write!(digits, "{byte:02x}").unwrap();
            digits
        })
    }

    #[tokio::test]
    async fn a_selection_that_would_select_all_is_refused() {
        let none = [] as [&str; 0];
        let forget = || agent().memories().forget_many();
        for call in [
            forget().memory_ids(none),
            forget().user_ids(none),
            forget().any_of([] as [RecordFilter; 0]),
            forget().none_of([RecordFilter::new().ids(none)]),
            forget().none_of([RecordFilter::new().memory(MemoryCondition::new().project_ids(none))]),
            forget().none_of([RecordFilter::new().metadata([MetadataCondition::new("p").any_of(none)])]),
            forget().types([]),
            forget().ids(["a"]).ids(["b"]),
        ] {
            assert_eq!(call.into_request().unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
        let acknowledge = agent().fragments().acknowledge("l").fragment_ids(none);
        assert_eq!(acknowledge.await.unwrap_err().kind(), ErrorKind::InvalidArgument);
        let listed = agent().notes().list().notebooks(none).stream().next().await;
        assert_eq!(listed.unwrap().unwrap_err().kind(), ErrorKind::InvalidArgument);
        let none_of = [] as [RecordFilter; 0];
        forget().all_tags(none).metadata([] as [MetadataCondition; 0]).none_of(none_of).into_request().unwrap();
    }

    #[tokio::test]
    async fn what_json_cannot_represent_is_an_error_of_the_call() {
        let part = MessageDraft::new(v1::MessageRole::User).metadata(&f64::NAN);
        let error = agent().conversations().append("c", [part]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedValue);
        let error = agent().notes().create("t", "c").metadata("text").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedValue);
    }

    #[tokio::test]
    async fn options_that_exclude_each_other_are_refused() {
        let soon = Duration::from_secs(1);
        let update = || agent().memories().update("m");
        let error = update().expire_time(UNIX_EPOCH).ttl(soon).into_request().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(error.message(), "only one of expire_time, ttl may be set");
        let error = agent().notes().get("n").min_revision(1).max_staleness(soon).into_request().unwrap_err();
        assert_eq!(error.message(), "only one of min_revision, max_staleness may be set");
        let error = ContextSection::new().notes(NotesSource::new()).memories(MemoriesSource::new());
        assert_eq!(agent().compose().sections([error]).into_request().unwrap_err().kind(), ErrorKind::InvalidArgument);
        let request = update().ttl(soon).ttl(2 * soon).into_request().unwrap();
        assert_eq!(request.update_mask.unwrap().paths, ["expire_time"]);
        assert_eq!(request.draft.unwrap().expiry, Some(v1::memory_draft::Expiry::Ttl(duration_of(2 * soon))));
    }

    /// Asserts that a call sends this request.
    #[track_caller]
    pub(crate) fn sends<Q: UnaryRequest, T: 'static>(call: Call<Q, T>, expected: &str) {
        assert_eq!(hex(&call.into_request().unwrap()), expected);
    }
}
