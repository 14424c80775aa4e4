"""The errors of memoryd, all in one tree.

::

    MemorydError
    ├── CacheFull
    ├── InvalidTarget (also ValueError)
    ├── NoConversation (also LookupError)
    ├── StaleRead
    ├── UnknownWord (also ValueError)
    ├── UnsupportedValue (also TypeError)
    ├── WrongType (also TypeError)
    └── CallFailed
        ├── InvalidArgument
        │   ├── DocumentUnreadable
        │   ├── InvalidPageToken
        │   ├── InvalidResumeToken
        │   └── RequestIdReused
        ├── NotFound
        │   ├── AgentNotFound
        │   ├── OperationNotFound
        │   ├── RecordNotFound
        │   └── SnapshotNotFound
        ├── AlreadyExists
        │   ├── OperationExists
        │   ├── RecordExists
        │   └── SnapshotExists
        ├── FailedPrecondition
        │   ├── AuditOff
        │   ├── FeatureNotInTier
        │   ├── ForeignResumeToken
        │   ├── PlanEnded
        │   ├── SchemaTooNew
        │   ├── SchemaTooOld
        │   ├── ScopeDisposed
        │   ├── SnapshotAgentMismatch
        │   ├── SnapshotLocked
        │   ├── SummarizerMissing
        │   ├── UrlNotAllowed
        │   └── VersionUnsupported
        ├── Aborted
        │   ├── LeaseLost
        │   ├── ReservationLost
        │   └── RevisionMismatch
        ├── OutOfRange
        │   ├── HistoryCompacted
        │   ├── PageTokenExpired
        │   ├── RevisionCompacted
        │   └── RevisionInFuture
        ├── ResourceExhausted
        │   ├── Overloaded
        │   ├── QuotaExceeded
        │   ├── StorageFull
        │   └── TooLarge
        ├── Unavailable
        │   ├── Draining
        │   ├── ProposerUnavailable
        │   ├── StoreUnavailable
        │   ├── SummarizerUnavailable
        │   └── UrlUnreachable
        ├── DataLoss
        │   ├── DataDamaged
        │   ├── HistoryLost
        │   └── SnapshotDamaged
        ├── Cancelled
        ├── DeadlineExceeded
        ├── InternalError
        ├── PermissionDenied
        ├── Unauthenticated
        └── Unimplemented

A missing entry is not an error: reading it returns ``None`` or the default.
"""

from collections.abc import Mapping
from datetime import datetime

import grpc


class MemorydError(Exception):
    """The base of all errors that this package raises on purpose.

    ``message`` is for people. ``code`` is the status of a call that failed, else None. ``reason`` is the name of the
    call's ``memoryd.v1.ErrorReason`` such as ``"ERROR_REASON_SCOPE_DISPOSED"``, empty when the server sent none.
    ``metadata`` has the values that the reason's comment in ``error_reason.proto`` lists.
    """

    code: grpc.StatusCode | None = None
    reason: str = ""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.metadata: Mapping[str, str] = {}


class CacheFull(MemorydError):  # noqa: N818 - named for what it is, as its siblings
    """The records of a near cache take more memory than its ``max_bytes``."""


class InvalidTarget(MemorydError, ValueError):  # noqa: N818 - named for what it is, as its siblings
    """The address or the TLS files cannot be used, or a token would be sent to another machine without TLS."""


class NoConversation(MemorydError, LookupError):  # noqa: N818 - named for what it is, as its siblings
    """There is no current conversation: run code that needs one inside of ``memoryd.conversation``."""


class StaleRead(MemorydError):  # noqa: N818 - named for what it is, as its siblings
    """A near cache that is to refuse stale reads may be older than its ``max_staleness``."""


class UnknownWord(MemorydError, ValueError):  # noqa: N818 - named for what it is, as its siblings
    """A word such as a type, a status or an order is none of those that there are, which the message lists."""


class UnsupportedValue(MemorydError, TypeError):  # noqa: N818 - named for what it is, as its siblings
    """The value cannot be written as JSON."""


class WrongType(MemorydError, TypeError):  # noqa: N818 - named for what it is, as its siblings
    """The value of ``key`` is of type ``actual``, not of the requested type ``expected``.

    The message says where in the value it does not fit.
    """

    def __init__(self, key: str, expected: str, actual: str, problem: str = "") -> None:
        super().__init__(f"the value of {key!r} is {actual}, not {expected}" + (f": {problem}" if problem else ""))
        self.key = key
        self.expected = expected
        self.actual = actual


class CallFailed(MemorydError):  # noqa: N818 - named for what happened
    """A call that the server refused, or that never reached it.

    ``retry_delay`` is the number of seconds to wait before a retry; None when the server sent none.
    """

    def __init__(
        self,
        message: str,
        *,
        code: grpc.StatusCode | None = None,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        fields: Mapping[str, str] | None = None,
        retry_delay: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata: Mapping[str, str] = dict(metadata or {})
        self.fields: dict[str, str] = dict(fields or {})
        self.retry_delay = retry_delay

    def _number(self, name: str) -> int | None:
        text = self.metadata.get(name, "")
        return int(text) if text.lstrip("-").isdigit() else None


class _OverLimit(CallFailed):
    @property
    def limit(self) -> str:
        """The limit's name, such as ``entries_per_agent``."""
        return self.metadata.get("limit", "")

    @property
    def value(self) -> int | None:
        """The maximum that the limit allows; None when the server sent none."""
        return self._number("value")


class InvalidArgument(CallFailed):
    """The request is not allowed. ``fields`` maps the name of each invalid field to what is wrong with it."""


class DocumentUnreadable(InvalidArgument):
    """No text can be extracted from the file, as it is or within the server's limits."""

    @property
    def problem(self) -> str:
        """The reason why not, such as "is encrypted"; empty when the server sent none."""
        return self.metadata.get("problem", "")


class InvalidPageToken(InvalidArgument):
    """The page token is damaged, or belongs to another listing."""


class InvalidResumeToken(InvalidArgument):
    """The resume token is damaged."""


class RequestIdReused(InvalidArgument):
    """The request id belongs to another change."""


class NotFound(CallFailed):
    """Something that the request names does not exist."""


class AgentNotFound(NotFound):
    """There is no such agent: nothing was ever stored for it, or it has ended."""


class RecordNotFound(NotFound):
    """The agent has no such record, or has forgotten the memory.

    ``metadata`` has what else identifies the record, such as the ``scope_id`` of an entry.
    """

    @property
    def kind(self) -> str:
        """The kind, such as "note"; empty when the server sent none."""
        return self.metadata.get("kind", "")

    @property
    def record_id(self) -> str:
        """The requested id, the key of an entry; empty when the record was requested by another name."""
        return self.metadata.get("record_id", "")


class OperationNotFound(NotFound):
    """The server has no such operation, or no longer."""


class SnapshotNotFound(NotFound):
    """There is no such snapshot."""


class AlreadyExists(CallFailed):
    """Something that must not exist does exist."""


class RecordExists(AlreadyExists):
    """The agent has such a record already.

    ``metadata`` has what else identifies the record, such as the ``scope_id`` of an entry.
    """

    @property
    def kind(self) -> str:
        """The kind, such as "entry"; empty when the server sent none."""
        return self.metadata.get("kind", "")

    @property
    def record_id(self) -> str:
        """The record's id, the key of an entry; empty when the server sent none."""
        return self.metadata.get("record_id", "")

    @property
    def revision(self) -> int | None:
        """The agent's revision that last changed the record; None when the server sent none."""
        return self._number("revision")


class OperationExists(AlreadyExists):
    """An operation with this id exists, for another request."""


class SnapshotExists(AlreadyExists):
    """The snapshot's id is taken."""


class FailedPrecondition(CallFailed):
    """The call is not allowed in the current state."""


class AuditOff(FailedPrecondition):
    """The server keeps no audit log."""


class FeatureNotInTier(FailedPrecondition):
    """The agent's tier does not have a feature that the call uses. ``metadata`` has its ``feature`` and ``tier``."""


class ForeignResumeToken(FailedPrecondition):
    """The resume token belongs to another store: start a new watch without it."""


class PlanEnded(FailedPrecondition):
    """The plan was completed or replaced, and cannot change until it is reopened. ``metadata`` has its ``plan_id``."""


class SchemaTooNew(FailedPrecondition):
    """A record or a snapshot was written by a newer version of the server."""


class SchemaTooOld(FailedPrecondition):
    """A record or a snapshot was written by a version so old that the server no longer reads its data."""


class ScopeDisposed(FailedPrecondition):
    """The scope has ended. ``metadata`` has its ``scope_id`` and ``scope_name``."""


class SnapshotAgentMismatch(FailedPrecondition):
    """The snapshot belongs to another agent."""


class SnapshotLocked(FailedPrecondition):
    """The snapshot is encrypted, and no key of the server decrypts it."""


class SummarizerMissing(FailedPrecondition):
    """The server has no model that summarizes conversations."""


class UrlNotAllowed(FailedPrecondition):
    """The server does not fetch this URL, or fetches none at all."""

    @property
    def host(self) -> str:
        """The URL's host, when it is the host that is not allowed; else empty."""
        return self.metadata.get("host", "")


class VersionUnsupported(FailedPrecondition):
    """This client and the server do not work together: upgrade the older one.

    ``metadata`` has the ``client_version`` and the ``server_version``.
    """


class Aborted(CallFailed):
    """Another caller's change came first."""


class LeaseLost(Aborted):
    """The lease of fragments has ended, or was never granted."""


class ReservationLost(Aborted):
    """The reservation has ended, or was never granted."""


class RevisionMismatch(Aborted):
    """The revision is not the expected one: read again, decide again, write again."""

    @property
    def expected_revision(self) -> int | None:
        """The revision that the caller expected; None when the server sent none."""
        return self._number("expected_revision")

    @property
    def actual_revision(self) -> int | None:
        """The actual revision; 0 when there is no record, None when the server sent none."""
        return self._number("actual_revision")


class OutOfRange(CallFailed):
    """The requested revision or time is outside of the range that the server keeps."""


class HistoryCompacted(OutOfRange):
    """The server no longer keeps the versions of memories of that time."""

    @property
    def oldest_time(self) -> datetime | None:
        """The oldest time that can be read, in UTC; None when the server sent none."""
        try:
            return datetime.fromisoformat(self.metadata.get("oldest_time", ""))
        except ValueError:
            return None


class PageTokenExpired(OutOfRange):
    """The listing's revision is no longer kept: list again."""


class RevisionCompacted(OutOfRange):
    """The journal no longer retains the requested events: start a new watch without the resume token."""

    @property
    def oldest_revision(self) -> int | None:
        """The oldest revision that is retained; None when the request was not for one agent."""
        return self._number("oldest_revision")


class RevisionInFuture(OutOfRange):
    """The revision is not reached yet."""


class ResourceExhausted(CallFailed):
    """A limit or the storage leaves no room for the change."""


class Overloaded(_OverLimit, ResourceExhausted):
    """The server has too many calls in progress, and did not begin this one: try again after ``retry_delay``."""


class QuotaExceeded(_OverLimit, ResourceExhausted):
    """The change would exceed a limit of what the server stores; ``ServerInfo.limits`` has all limits."""


class TooLarge(_OverLimit, ResourceExhausted):
    """The request is larger than a limit of the server allows; ``ServerInfo.limits`` has all limits."""


class StorageFull(ResourceExhausted):
    """The server's disk or store is full. Reads and watches continue."""


class Unavailable(CallFailed):
    """The server cannot be reached, or does not accept calls now."""


class Draining(Unavailable):
    """The server is about to stop."""


class ProposerUnavailable(Unavailable):
    """The model that proposes memories does not answer."""


class StoreUnavailable(Unavailable):
    """The server's store does not answer."""


class SummarizerUnavailable(Unavailable):
    """The model that summarizes conversations does not answer."""


class UrlUnreachable(Unavailable):
    """The server cannot fetch a document at present: the host of its URL cannot be resolved, or fails."""


class DataLoss(CallFailed):
    """Data is damaged or lost."""


class DataDamaged(DataLoss):
    """The store's data is damaged; nothing is served from it."""


class HistoryLost(DataLoss):
    """The server's store went back in time: commits that were acknowledged are gone."""

    @property
    def known_revision(self) -> int | None:
        """The last acknowledged revision; None when the server sent none."""
        return self._number("known_revision")

    @property
    def actual_revision(self) -> int | None:
        """The revision that the store has; None when the server sent none."""
        return self._number("actual_revision")


class SnapshotDamaged(DataLoss):
    """The snapshot's file is damaged; nothing was changed."""


class Cancelled(CallFailed):
    """The call was cancelled, for example by closing the client."""


class DeadlineExceeded(CallFailed):
    """The call took longer than its timeout. A change may have happened or not."""


class InternalError(CallFailed):
    """The server has a defect, which its log describes; or this client does not know the status of the response."""


class PermissionDenied(CallFailed):
    """The caller may not touch this agent."""


class Unauthenticated(CallFailed):
    """The caller sent no token or certificate, or one that the server does not know."""


class Unimplemented(CallFailed):
    """The server has no such method: it is older than this client."""
