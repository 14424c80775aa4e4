"""The errors of memoryd, all in one tree.

::

    MemorydError
    ├── InvalidTarget (also ValueError)
    ├── NoConversation (also LookupError)
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
        │   ├── MemoryNotFound
        │   ├── RecordNotFound
        │   ├── ScopeNotFound
        │   └── SnapshotNotFound
        ├── AlreadyExists
        │   ├── EntryExists
        │   ├── MemoryExists
        │   ├── RecordExists
        │   ├── ScopeExists
        │   └── SnapshotExists
        ├── FailedPrecondition
        │   ├── ForeignResumeToken
        │   ├── PlanEnded
        │   ├── SchemaTooNew
        │   ├── SchemaTooOld
        │   ├── ScopeDisposed
        │   ├── SnapshotAgentMismatch
        │   ├── SnapshotLocked
        │   ├── SummarizerMissing
        │   └── UrlNotAllowed
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
        │   ├── LimitExceeded
        │   └── StorageFull
        ├── Unavailable
        │   ├── Draining
        │   ├── StoreUnavailable
        │   └── SummarizerUnavailable
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

A missing entry is not an error: reading it answers ``None`` or the default.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import grpc

_EPOCH = datetime.fromtimestamp(0, UTC)


class MemorydError(Exception):
    """Whatever this package raises on purpose.

    ``message`` is for people. ``code`` is the status of a call that failed, else None. ``reason`` is the name of the
    call's ``memoryd.v1.ErrorReason`` such as ``"ERROR_REASON_SCOPE_DISPOSED"``, empty when the server gave none.
    ``metadata`` has the particulars that the reason's comment lists.
    """

    code: grpc.StatusCode | None = None
    reason: str = ""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.metadata: Mapping[str, str] = {}


class InvalidTarget(MemorydError, ValueError):  # noqa: N818 - named for what it is, as its siblings
    """The address is neither HOST:PORT nor unix:/path, or the TLS files cannot be used."""


class NoConversation(MemorydError, LookupError):  # noqa: N818 - named for what it is, as its siblings
    """No conversation goes on here: what needs one runs inside of ``memoryd.conversation``."""


class UnsupportedValue(MemorydError, TypeError):  # noqa: N818 - named for what it is, as its siblings
    """The value cannot be written as JSON."""


class WrongType(MemorydError, TypeError):  # noqa: N818 - named for what it is, as its siblings
    """The value that was read is not of the type that was asked for: ``expected`` and ``actual`` name them."""

    def __init__(self, key: str, expected: str, actual: str) -> None:
        super().__init__(f"the value of {key!r} is {actual}, not {expected}")
        self.key = key
        self.expected = expected
        self.actual = actual


class CallFailed(MemorydError):  # noqa: N818 - named for what happened
    """A call that the server refused, or that never reached it.

    ``retry_delay`` is the number of seconds after which the server wants to be asked again; None when it said nothing.
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
        self.metadata = dict(metadata or {})
        self.fields = dict(fields or {})
        self.retry_delay = retry_delay

    def _number(self, name: str) -> int | None:
        text = self.metadata.get(name, "")
        return int(text) if text.lstrip("-").isdigit() else None


class InvalidArgument(CallFailed):
    """The request is not allowed. ``fields`` tells for each bad field what is wrong with it."""


class DocumentUnreadable(InvalidArgument):
    """No text can be extracted from the file, as it is or within the server's limits."""

    @property
    def problem(self) -> str:
        """Why not, such as "is encrypted"; empty when the server did not tell."""
        return self.metadata.get("problem", "")


class InvalidPageToken(InvalidArgument):
    """The page token is damaged or of another listing."""


class InvalidResumeToken(InvalidArgument):
    """The resume token is damaged."""


class RequestIdReused(InvalidArgument):
    """The request id belongs to another change."""


class NotFound(CallFailed):
    """A named thing is not there."""


class AgentNotFound(NotFound):
    """There is no such agent: nothing of it was ever stored, or it has ended."""


class MemoryNotFound(NotFound):
    """The agent has no such memory, or has forgotten it."""


class RecordNotFound(NotFound):
    """The agent has no such record of a kind: no such note, for example. ``kind`` and ``record_id`` name it."""

    @property
    def kind(self) -> str:
        """The kind, such as "note"; empty when the server did not tell."""
        return self.metadata.get("kind", "")

    @property
    def record_id(self) -> str:
        """What was asked for; empty when the server did not tell."""
        return self.metadata.get("record_id", "")


class ScopeNotFound(NotFound):
    """The agent has no such scope."""


class SnapshotNotFound(NotFound):
    """There is no such snapshot."""


class AlreadyExists(CallFailed):
    """The thing that must not be there is there."""


class EntryExists(AlreadyExists):
    """The key has an entry. ``revision`` last wrote it, when the server told."""

    @property
    def revision(self) -> int | None:
        """The entry's revision."""
        return self._number("revision")


class MemoryExists(AlreadyExists):
    """The memory's id is taken."""


class RecordExists(AlreadyExists):
    """The id is taken by another record of the kind."""


class ScopeExists(AlreadyExists):
    """A scope of this name is there."""


class SnapshotExists(AlreadyExists):
    """The snapshot's id is taken."""


class FailedPrecondition(CallFailed):
    """The state does not allow the call."""


class ForeignResumeToken(FailedPrecondition):
    """The resume token is of another store: begin the watch anew."""


class PlanEnded(FailedPrecondition):
    """The plan was completed or replaced, and does not change any more: ``metadata`` names it by ``plan_id``."""


class SchemaTooNew(FailedPrecondition):
    """A record or a snapshot was written by a newer version of the server."""


class SchemaTooOld(FailedPrecondition):
    """A record or a snapshot was written by a version whose data the server does not read."""


class ScopeDisposed(FailedPrecondition):
    """The scope has ended: ``metadata`` names it by ``scope_id`` and ``scope_name``."""


class SnapshotAgentMismatch(FailedPrecondition):
    """The snapshot is of another agent."""


class SnapshotLocked(FailedPrecondition):
    """The snapshot is encrypted, and no key of the server opens it."""


class SummarizerMissing(FailedPrecondition):
    """The server has no model to sum conversations up."""


class UrlNotAllowed(FailedPrecondition):
    """The server does not fetch this URL, or none at all. ``host`` is the URL's, where that is the matter."""

    @property
    def host(self) -> str:
        """The host that may not be asked."""
        return self.metadata.get("host", "")


class Aborted(CallFailed):
    """Somebody else was faster."""


class LeaseLost(Aborted):
    """The lease of fragments is over, or was never given."""


class ReservationLost(Aborted):
    """The reservation is over, or was never given."""


class RevisionMismatch(Aborted):
    """The expected revision does not hold: read again, decide again, write again."""

    @property
    def expected_revision(self) -> int | None:
        """The revision that the caller expected."""
        return self._number("expected_revision")

    @property
    def actual_revision(self) -> int | None:
        """The revision that is there; 0 when nothing is."""
        return self._number("actual_revision")


class OutOfRange(CallFailed):
    """What was asked for lies outside of what the server keeps."""


class HistoryCompacted(OutOfRange):
    """What memories were at that time is not known any more."""

    @property
    def oldest_time(self) -> datetime | None:
        """Since when it is known, in UTC, up to the next microsecond, so that asking for this very time is answered."""
        oldest_ns = self._number("oldest_time")
        return None if oldest_ns is None else _EPOCH + timedelta(microseconds=-(-oldest_ns // 1_000))


class PageTokenExpired(OutOfRange):
    """The listing's revision is no longer kept: list again."""


class RevisionCompacted(OutOfRange):
    """The journal no longer retains the events that were asked for: begin the watch anew."""

    @property
    def oldest_revision(self) -> int | None:
        """The oldest revision that is retained, when one agent was asked for."""
        return self._number("oldest_revision")


class RevisionInFuture(OutOfRange):
    """The revision is not reached yet."""


class ResourceExhausted(CallFailed):
    """There is no room for it."""


class LimitExceeded(ResourceExhausted):
    """A limit of the server would be exceeded; ``ServerInfo.limits`` has them all."""

    @property
    def limit(self) -> str:
        """The limit's name, such as ``entries_per_agent``."""
        return self.metadata.get("limit", "")

    @property
    def value(self) -> int | None:
        """The most that the limit allows."""
        return self._number("value")


class StorageFull(ResourceExhausted):
    """The server's disk or store has no room. Reads and watches go on."""


class Unavailable(CallFailed):
    """The server cannot be reached, or does not take calls now."""


class Draining(Unavailable):
    """The server is about to stop."""


class StoreUnavailable(Unavailable):
    """The server's store does not answer."""


class SummarizerUnavailable(Unavailable):
    """The model that sums conversations up does not answer."""


class DataLoss(CallFailed):
    """Data is damaged."""


class DataDamaged(DataLoss):
    """The store's data is damaged; nothing is served from it."""


class HistoryLost(DataLoss):
    """The server's store went back in time: commits that were acknowledged are gone."""

    @property
    def known_revision(self) -> int | None:
        """The revision that was acknowledged."""
        return self._number("known_revision")

    @property
    def actual_revision(self) -> int | None:
        """The revision that is there."""
        return self._number("actual_revision")


class SnapshotDamaged(DataLoss):
    """The snapshot's file is damaged; nothing was changed."""


class Cancelled(CallFailed):
    """The call was cancelled, such as by closing the client."""


class DeadlineExceeded(CallFailed):
    """The call took longer than its timeout. A change may have happened or not."""


class InternalError(CallFailed):
    """The server has a defect, told in its log; or the answer was none that this client knows."""


class PermissionDenied(CallFailed):
    """The caller may not touch this agent."""


class Unauthenticated(CallFailed):
    """The caller gave no token or certificate, or one that the server does not know."""


class Unimplemented(CallFailed):
    """The server has no such method: it is older than this client."""
