//! Errors and their kinds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use std::{error, fmt};

use tonic::{Code, Status};

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an [`Error`].
///
/// The kind of a daemon's error depends on its reason, else on its status code. The kinds of status codes are also
/// groups of more specific kinds: see [`group`](Self::group).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is invalid. [`Error::fields`] maps each invalid field to what is wrong with it.
    InvalidArgument,
    /// No text can be extracted from the file, as it is or within the daemon's limits. The metadata contains the
    /// `problem`.
    DocumentUnreadable,
    /// The page token is damaged or of another listing.
    InvalidPageToken,
    /// The resume token is damaged.
    InvalidResumeToken,
    /// The request id belongs to another change.
    RequestIdReused,
    /// The request is larger than a limit of the daemon allows: see [`Error::limit`] and [`Error::limit_value`].
    TooLarge,

    /// Something that the request names does not exist. A missing entry is not an error.
    NotFound,
    /// There is no such agent: nothing of it was ever stored, or it has ended.
    AgentNotFound,
    /// The agent has no such record, such as a note or a scope, or has forgotten the memory: see [`Error::record_kind`]
    /// and [`Error::record_id`].
    RecordNotFound,
    /// The server has no such operation, or no longer.
    OperationNotFound,
    /// There is no such snapshot.
    SnapshotNotFound,

    /// Something that must not exist does.
    AlreadyExists,
    /// The agent has such a record: see [`Error::record_kind`] and [`Error::record_id`]. [`Error::revision`] is the
    /// revision that last changed it.
    RecordExists,
    /// An operation with this id exists, for another request.
    OperationExists,
    /// Another snapshot has this id.
    SnapshotExists,

    /// The state does not allow the call.
    FailedPrecondition,
    /// The daemon keeps no audit log.
    AuditOff,
    /// The agent's tier does not have a feature that the call uses.
    FeatureNotInTier,
    /// The resume token is from another store: start a new watch.
    ForeignResumeToken,
    /// The plan was completed or replaced, and cannot change until it is reopened.
    PlanEnded,
    /// A record or a snapshot was written by a newer version of the daemon.
    SchemaTooNew,
    /// A record or a snapshot was written by an old version whose data the daemon cannot read.
    SchemaTooOld,
    /// The scope has ended.
    ScopeDisposed,
    /// The snapshot is of another agent.
    SnapshotAgentMismatch,
    /// The snapshot is encrypted, and none of the daemon's keys decrypts it.
    SnapshotLocked,
    /// The daemon has no model that summarizes conversations.
    SummarizerMissing,
    /// The daemon does not fetch this URL, or no URL at all.
    UrlNotAllowed,
    /// This client and the daemon do not work together: upgrade the older one. The metadata contains the
    /// `client_version` and the `server_version`.
    VersionUnsupported,

    /// A concurrent change came first.
    Aborted,
    /// The lease of fragments has expired, or was never granted.
    LeaseLost,
    /// The reservation has expired, or was never granted.
    ReservationLost,
    /// The expected revision is not the actual one: see [`Error::expected_revision`] and [`Error::actual_revision`].
    RevisionMismatch,

    /// The request is for something outside the range that the daemon retains.
    OutOfRange,
    /// The memories of the requested time are no longer retained: see [`Error::oldest_time`].
    HistoryCompacted,
    /// The listing's revision is no longer retained: start the listing again.
    PageTokenExpired,
    /// The journal no longer retains the requested events: see [`Error::oldest_revision`].
    RevisionCompacted,
    /// The agent has not reached the revision yet.
    RevisionInFuture,

    /// A limit or the storage of the daemon is exhausted.
    ResourceExhausted,
    /// The daemon has too many calls in progress, and did not begin this one: see [`Error::retry_delay`].
    Overloaded,
    /// A limit of what the daemon stores would be exceeded: see [`Error::limit`] and [`Error::limit_value`].
    QuotaExceeded,
    /// The daemon's disk or store is full. Reads and watches continue to work.
    StorageFull,

    /// The daemon cannot be reached, or does not accept calls now.
    Unavailable,
    /// The daemon is shutting down.
    Draining,
    /// The model that proposes memories does not respond.
    ProposerUnavailable,
    /// The daemon's store does not respond.
    StoreUnavailable,
    /// The model that summarizes conversations does not respond.
    SummarizerUnavailable,
    /// The daemon cannot fetch the document at present.
    UrlUnreachable,

    /// Data is damaged or lost.
    DataLoss,
    /// The store's data is damaged. None of it is served.
    DataDamaged,
    /// The daemon's store has lost acknowledged commits, as after a failover or a restore.
    HistoryLost,
    /// The snapshot's file is damaged. Nothing was changed.
    SnapshotDamaged,

    /// The call was cancelled.
    Cancelled,
    /// The call took longer than its timeout. A change may or may not have been applied.
    DeadlineExceeded,
    /// The daemon has a defect, which its log describes, or sent a status that this client does not know.
    InternalError,
    /// The caller may not access this agent.
    PermissionDenied,
    /// The caller sent no token or certificate, or one that the daemon does not know.
    Unauthenticated,
    /// The daemon has no such method: it is older than this client.
    Unimplemented,

    /// The address is neither `HOST:PORT` nor `unix:/path`, or the TLS files or the headers cannot be used.
    InvalidTarget,
    /// The value cannot be encoded as JSON.
    UnsupportedValue,
    /// The value that was read does not have the requested type.
    WrongType,
    /// The records of a near cache take more memory than it may.
    CacheFull,
    /// A near cache may be older than it may be, and refuses to be read.
    StaleRead,
}

impl ErrorKind {
    /// Returns the kind of the status code, such as `NotFound` for `AgentNotFound`. A kind without a more general one
    /// is its own group.
    #[must_use]
    pub fn group(self) -> Self {
        match self {
            Self::DocumentUnreadable | Self::InvalidPageToken | Self::InvalidResumeToken | Self::RequestIdReused => {
                Self::InvalidArgument
            }
            Self::AgentNotFound | Self::OperationNotFound | Self::RecordNotFound | Self::SnapshotNotFound => {
                Self::NotFound
            }
            Self::OperationExists | Self::RecordExists | Self::SnapshotExists => Self::AlreadyExists,
            Self::AuditOff
            | Self::FeatureNotInTier
            | Self::ForeignResumeToken
            | Self::PlanEnded
            | Self::SchemaTooNew
            | Self::SchemaTooOld
            | Self::ScopeDisposed
            | Self::SnapshotAgentMismatch
            | Self::SnapshotLocked
            | Self::SummarizerMissing
            | Self::UrlNotAllowed
            | Self::VersionUnsupported => Self::FailedPrecondition,
            Self::LeaseLost | Self::ReservationLost | Self::RevisionMismatch => Self::Aborted,
            Self::HistoryCompacted | Self::PageTokenExpired | Self::RevisionCompacted | Self::RevisionInFuture => {
                Self::OutOfRange
            }
            Self::Overloaded | Self::QuotaExceeded | Self::StorageFull | Self::TooLarge => Self::ResourceExhausted,
            Self::Draining
            | Self::ProposerUnavailable
            | Self::StoreUnavailable
            | Self::SummarizerUnavailable
            | Self::UrlUnreachable => Self::Unavailable,
            Self::DataDamaged | Self::HistoryLost | Self::SnapshotDamaged => Self::DataLoss,
            alone => alone,
        }
    }
}

/// An error. [`kind`](Self::kind) is for programs, the `Display` output for people.
#[derive(Clone)]
pub struct Error(Box<Failure>);

#[derive(Clone)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) code: Option<Code>,
    pub(crate) reason: String,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) retry_delay: Option<Duration>,
    pub(crate) source: Option<Arc<dyn error::Error + Send + Sync>>,
}

impl Error {
    /// Returns an error that did not come from the daemon.
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
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Adds the daemon's address to the message if the daemon could not be reached.
    pub(crate) fn at(mut self, target: &str) -> Self {
        if self.0.reason.is_empty() && self.kind() == ErrorKind::Unavailable {
            self.0.message = format!("no answer from memoryd at {target}: {}", self.0.message);
        }
        self
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns whether the error is of this kind or group: an `AgentNotFound` is also a `NotFound`.
    #[must_use]
    pub fn is(&self, kind: ErrorKind) -> bool {
        self.0.kind == kind || self.0.kind.group() == kind
    }

    /// Returns the message, for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the status code of the call, or `None` if no call failed.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        self.0.code
    }

    /// Returns the name of the daemon's [`ErrorReason`](crate::v1::ErrorReason), such as `ERROR_REASON_SCOPE_DISPOSED`.
    /// It is empty if the daemon sent none.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// Returns the details that the reason's comment lists.
    #[must_use]
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.0.metadata
    }

    /// Returns what is wrong with each invalid field of the request.
    #[must_use]
    pub fn fields(&self) -> &BTreeMap<String, String> {
        &self.0.fields
    }

    /// Returns the time to wait before a retry, as the daemon requests it, or `None` if it sent none.
    #[must_use]
    pub fn retry_delay(&self) -> Option<Duration> {
        self.0.retry_delay
    }

    /// Returns the kind of the record, such as `plan_step`, for `RecordNotFound` and `RecordExists`.
    #[must_use]
    pub fn record_kind(&self) -> Option<&str> {
        self.0.metadata.get("kind").map(String::as_str)
    }

    /// Returns the id of the record, the key of an entry, for `RecordNotFound` and `RecordExists`.
    #[must_use]
    pub fn record_id(&self) -> Option<&str> {
        self.0.metadata.get("record_id").map(String::as_str)
    }

    /// Returns the revision that last changed the record, for `RecordExists`.
    #[must_use]
    pub fn revision(&self) -> Option<i64> {
        self.number("revision")
    }

    /// Returns the revision that the caller expected, for `RevisionMismatch`.
    #[must_use]
    pub fn expected_revision(&self) -> Option<i64> {
        self.number("expected_revision")
    }

    /// Returns the actual revision, 0 if there is no entry, for `RevisionMismatch`.
    #[must_use]
    pub fn actual_revision(&self) -> Option<i64> {
        self.number("actual_revision")
    }

    /// Returns the position of the change that was refused, for an error of a [`Transaction`](crate::Transaction).
    #[must_use]
    pub fn write_index(&self) -> Option<usize> {
        self.0.metadata.get("write_index")?.parse().ok()
    }

    /// Returns the oldest retained revision, for `RevisionCompacted` of a request for one agent.
    #[must_use]
    pub fn oldest_revision(&self) -> Option<i64> {
        self.number("oldest_revision")
    }

    /// Returns the oldest time that is retained, for `HistoryCompacted`.
    #[must_use]
    pub fn oldest_time(&self) -> Option<SystemTime> {
        let time: prost_types::Timestamp = self.0.metadata.get("oldest_time")?.parse().ok()?;
        time.try_into().ok()
    }

    /// Returns the limit's name, such as `entries_per_agent`, for `QuotaExceeded`, `TooLarge` and `Overloaded`.
    #[must_use]
    pub fn limit(&self) -> Option<&str> {
        self.0.metadata.get("limit").map(String::as_str)
    }

    /// Returns the maximum that the limit allows, for the same kinds as [`limit`](Self::limit).
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
            // The status contains nothing beyond this error: skip to its own source.
            Some(status) => status.source(),
            None => Some(source),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn error_of(kind: ErrorKind) -> Error {
        Error::new(kind, "an error of a test")
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
        assert!(!error.is(ErrorKind::RecordNotFound));
        assert!(!error_of(ErrorKind::NotFound).is(ErrorKind::AgentNotFound));
    }

    #[test]
    fn only_the_error_of_an_unreachable_daemon_contains_its_address() {
        assert!(error_of(ErrorKind::Unavailable).at("here:1").message().contains("here:1"));
        assert!(!error_of(ErrorKind::Draining).at("here:1").message().contains("here:1"));
        assert!(!error_of(ErrorKind::NotFound).at("here:1").message().contains("here:1"));
    }

    #[test]
    fn an_error_is_one_word_and_can_cross_threads() {
        fn crosses_threads<T: Send + Sync + 'static>() {}
        crosses_threads::<Error>();
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }
}
