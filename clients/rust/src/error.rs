//! What can go wrong.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};
use std::{error, fmt};

use tonic::{Code, Status};

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something failed, by name.
///
/// The daemon's names are told apart by the reason that it gives, else by the status code. Those that a status code
/// alone would name are also groups of others: see [`group`](Self::group).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is not allowed; [`Error::fields`] tells for each bad field what is wrong with it.
    InvalidArgument,
    /// No text can be extracted from the file, as it is or within the daemon's limits; the metadata says why under
    /// `problem`.
    DocumentUnreadable,
    /// The page token is damaged or of another listing.
    InvalidPageToken,
    /// The resume token is damaged.
    InvalidResumeToken,
    /// The request id belongs to another change.
    RequestIdReused,

    /// A named thing is not there. A missing entry is no error.
    NotFound,
    /// There is no such agent: none of its memory was ever set, or it has ended.
    AgentNotFound,
    /// The agent has no such memory, or has forgotten it.
    MemoryNotFound,
    /// The agent has no such record of a kind: no such note, for example.
    RecordNotFound,
    /// The agent has no such scope.
    ScopeNotFound,
    /// There is no such snapshot.
    SnapshotNotFound,

    /// The thing that must not be there is there.
    AlreadyExists,
    /// The key has an entry; [`Error::revision`] last wrote it.
    EntryExists,
    /// The memory's id is taken.
    MemoryExists,
    /// The id is taken by another record of the kind.
    RecordExists,
    /// A scope of this name is there.
    ScopeExists,
    /// The snapshot's id is taken.
    SnapshotExists,

    /// The state does not allow the call.
    FailedPrecondition,
    /// The resume token is of another store: begin the watch anew.
    ForeignResumeToken,
    /// The plan was completed or replaced, and does not change any more.
    PlanEnded,
    /// A record or a snapshot was written by a newer version of the daemon.
    SchemaTooNew,
    /// A record or a snapshot was written by a version whose data the daemon does not read.
    SchemaTooOld,
    /// The scope has ended.
    ScopeDisposed,
    /// The snapshot is of another agent.
    SnapshotAgentMismatch,
    /// The snapshot is encrypted, and no key of the daemon opens it.
    SnapshotLocked,
    /// The daemon has no model to sum conversations up.
    SummarizerMissing,
    /// The daemon does not fetch this URL, or none at all.
    UrlNotAllowed,

    /// Somebody else was faster.
    Aborted,
    /// The lease of fragments is over, or was never given.
    LeaseLost,
    /// The reservation is over, or was never given.
    ReservationLost,
    /// The expected revision does not hold: [`Error::expected_revision`] and [`Error::actual_revision`].
    RevisionMismatch,

    /// What was asked for lies outside of what the daemon keeps.
    OutOfRange,
    /// What memories were at that time is not known any more: [`Error::oldest_time`].
    HistoryCompacted,
    /// The listing's revision is no longer kept: list again.
    PageTokenExpired,
    /// The journal no longer has what was asked for: [`Error::oldest_revision`].
    RevisionCompacted,
    /// The revision is not reached yet.
    RevisionInFuture,

    /// There is no room for it.
    ResourceExhausted,
    /// A limit of the daemon would be exceeded: [`Error::limit`] and [`Error::limit_value`].
    LimitExceeded,
    /// The daemon's disk or store has no room. Reads and watches go on.
    StorageFull,

    /// The daemon cannot be reached, or takes no calls now.
    Unavailable,
    /// The daemon is about to stop.
    Draining,
    /// The daemon's store does not answer.
    StoreUnavailable,
    /// The model that sums conversations up does not answer.
    SummarizerUnavailable,

    /// Data is damaged.
    DataLoss,
    /// The store's data is damaged; nothing is served from it.
    DataDamaged,
    /// The daemon's store went back in time: commits that were acknowledged are gone.
    HistoryLost,
    /// The snapshot's file is damaged; nothing was changed.
    SnapshotDamaged,

    /// The call was cancelled on its way.
    Cancelled,
    /// The call took longer than its timeout. A change may have happened or not.
    DeadlineExceeded,
    /// The daemon has a defect, told in its log; or the answer was none that this client knows.
    InternalError,
    /// The caller may not touch this agent.
    PermissionDenied,
    /// The caller gave no token or certificate, or one that the daemon does not know.
    Unauthenticated,
    /// The daemon has no such method: it is older than this client.
    Unimplemented,

    /// The address is neither `HOST:PORT` nor `unix:/path`, or what TLS or the headers need cannot be used.
    InvalidTarget,
    /// The value cannot be written as JSON.
    UnsupportedValue,
    /// The value that was read is not of the type that was asked for.
    WrongType,
}

impl ErrorKind {
    /// Answers the kind that stands for the status code alone, such as `NotFound` for `AgentNotFound`. A kind that
    /// belongs to no other is its own group.
    #[must_use]
    pub fn group(self) -> Self {
        match self {
            Self::DocumentUnreadable | Self::InvalidPageToken | Self::InvalidResumeToken | Self::RequestIdReused => {
                Self::InvalidArgument
            }
            Self::AgentNotFound
            | Self::MemoryNotFound
            | Self::RecordNotFound
            | Self::ScopeNotFound
            | Self::SnapshotNotFound => Self::NotFound,
            Self::EntryExists | Self::MemoryExists | Self::RecordExists | Self::ScopeExists | Self::SnapshotExists => {
                Self::AlreadyExists
            }
            Self::ForeignResumeToken
            | Self::PlanEnded
            | Self::SchemaTooNew
            | Self::SchemaTooOld
            | Self::ScopeDisposed
            | Self::SnapshotAgentMismatch
            | Self::SnapshotLocked
            | Self::SummarizerMissing
            | Self::UrlNotAllowed => Self::FailedPrecondition,
            Self::LeaseLost | Self::ReservationLost | Self::RevisionMismatch => Self::Aborted,
            Self::HistoryCompacted | Self::PageTokenExpired | Self::RevisionCompacted | Self::RevisionInFuture => {
                Self::OutOfRange
            }
            Self::LimitExceeded | Self::StorageFull => Self::ResourceExhausted,
            Self::Draining | Self::StoreUnavailable | Self::SummarizerUnavailable => Self::Unavailable,
            Self::DataDamaged | Self::HistoryLost | Self::SnapshotDamaged => Self::DataLoss,
            alone => alone,
        }
    }
}

/// Why something failed. [`kind`](Self::kind) is what programs look at; its `Display` is for people.
pub struct Error(Box<Failure>);

pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) code: Option<Code>,
    pub(crate) reason: String,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) retry_delay: Option<Duration>,
    pub(crate) source: Option<Box<dyn error::Error + Send + Sync>>,
}

impl Error {
    /// An error that did not come from the daemon, of a kind that has a status code or not.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::from(Failure {
            kind,
            message: message.into(),
            code: match kind {
                ErrorKind::DeadlineExceeded => Some(Code::DeadlineExceeded),
                ErrorKind::Unavailable => Some(Code::Unavailable),
                _ => None,
            },
            reason: String::new(),
            metadata: BTreeMap::new(),
            fields: BTreeMap::new(),
            retry_delay: None,
            source: None,
        })
    }

    pub(crate) fn with_source(mut self, source: impl error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    /// Names the daemon that was looked for, when the error is that there was none.
    pub(crate) fn at(mut self, target: &str) -> Self {
        if self.0.reason.is_empty() && self.kind() == ErrorKind::Unavailable {
            self.0.message = format!("no answer from memoryd at {target}: {}", self.0.message);
        }
        self
    }

    /// The name of what went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Whether it is of this kind, or of the group that this kind stands for: an `AgentNotFound` is a `NotFound`, too.
    #[must_use]
    pub fn is(&self, kind: ErrorKind) -> bool {
        self.0.kind == kind || self.0.kind.group() == kind
    }

    /// What went wrong, for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The status code of the call; `None` when it was not a call that failed.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        self.0.code
    }

    /// The name of the daemon's [`ErrorReason`](crate::v1::ErrorReason), such as `ERROR_REASON_SCOPE_DISPOSED`; empty
    /// when it gave none.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// The particulars that the reason's comment lists.
    #[must_use]
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.0.metadata
    }

    /// For each bad field of the request, what is wrong with it.
    #[must_use]
    pub fn fields(&self) -> &BTreeMap<String, String> {
        &self.0.fields
    }

    /// After which time the daemon wants to be asked again; `None` when it said nothing.
    #[must_use]
    pub fn retry_delay(&self) -> Option<Duration> {
        self.0.retry_delay
    }

    /// Of an `EntryExists`: the revision that last wrote the entry.
    #[must_use]
    pub fn revision(&self) -> Option<i64> {
        self.number("revision")
    }

    /// Of a `RevisionMismatch`: the revision that the caller expected.
    #[must_use]
    pub fn expected_revision(&self) -> Option<i64> {
        self.number("expected_revision")
    }

    /// Of a `RevisionMismatch`: the revision that is there; 0 when nothing is.
    #[must_use]
    pub fn actual_revision(&self) -> Option<i64> {
        self.number("actual_revision")
    }

    /// Of a `RevisionCompacted`: the oldest revision that is retained, when one agent was asked for.
    #[must_use]
    pub fn oldest_revision(&self) -> Option<i64> {
        self.number("oldest_revision")
    }

    /// Of a `HistoryCompacted`: since when it is known what memories were.
    #[must_use]
    pub fn oldest_time(&self) -> Option<SystemTime> {
        let since_epoch = Duration::from_nanos(u64::try_from(self.number("oldest_time")?).ok()?);
        SystemTime::UNIX_EPOCH.checked_add(since_epoch)
    }

    /// Of a `LimitExceeded`: the limit's name, such as `entries_per_agent`.
    #[must_use]
    pub fn limit(&self) -> Option<&str> {
        self.0.metadata.get("limit").map(String::as_str)
    }

    /// Of a `LimitExceeded`: the most that the limit allows.
    #[must_use]
    pub fn limit_value(&self) -> Option<i64> {
        self.number("value")
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.0.metadata.get(name)?.parse().ok()
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self(Box::new(failure))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("code", &self.0.code)
            .field("reason", &self.0.reason)
            .field("metadata", &self.0.metadata)
            .field("fields", &self.0.fields)
            .field("retry_delay", &self.0.retry_delay)
            .finish_non_exhaustive()
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        let source: &(dyn error::Error + 'static) = self.0.source.as_deref()?;
        match source.downcast_ref::<Status>() {
            // The status says what this error says already; what is behind it is news.
            Some(status) => status.source(),
            None => Some(source),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn error_of(kind: ErrorKind) -> Error {
        Error::new(kind, "as the test says")
    }

    pub(crate) fn with_retry_delay(kind: ErrorKind, delay: Duration) -> Error {
        let mut error = error_of(kind);
        error.0.retry_delay = Some(delay);
        error
    }

    #[test]
    fn an_error_is_of_its_kind_and_of_its_group() {
        let error = error_of(ErrorKind::AgentNotFound);
        assert!(error.is(ErrorKind::AgentNotFound));
        assert!(error.is(ErrorKind::NotFound));
        assert!(!error.is(ErrorKind::ScopeNotFound));
        assert!(!error_of(ErrorKind::NotFound).is(ErrorKind::AgentNotFound));
    }

    #[test]
    fn only_a_daemon_that_was_not_there_is_named() {
        assert!(error_of(ErrorKind::Unavailable).at("here:1").message().contains("here:1"));
        assert!(!error_of(ErrorKind::Draining).at("here:1").message().contains("here:1"));
        assert!(!error_of(ErrorKind::NotFound).at("here:1").message().contains("here:1"));
    }

    #[test]
    fn an_error_takes_a_word_on_the_stack_and_may_cross_threads() {
        fn crosses_threads<T: Send + Sync + 'static>() {}
        crosses_threads::<Error>();
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }
}
