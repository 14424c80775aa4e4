"""The tree of all errors with which a call can be refused.

Each class is one reason of ``error_reason.proto``. Its message contains nothing that the client may not read; its
``metadata`` has the keys that the comment of the reason lists. ``transport/error.py`` maps reasons to gRPC statuses::

    Refusal
    ├── InvalidField, RequestIdReused, InvalidPageToken, InvalidResumeToken, MalformedMessage, DocumentUnreadable
    ├── RequestStalled
    ├── AgentNotFound, RecordNotFound, SnapshotNotFound, OperationNotFound
    ├── RecordExists, SnapshotExists, OperationExists
    ├── ScopeDisposed, ForeignResumeToken, SnapshotAgentMismatch, SnapshotLocked, SchemaTooNew, SchemaTooOld, PlanEnded,
    │   UrlNotAllowed, SummarizerMissing, FeatureNotInTier, AuditOff, VersionUnsupported
    ├── RevisionMismatch, ReservationLost, LeaseLost
    ├── RevisionCompacted, RevisionInFuture, HistoryCompacted, PageTokenExpired
    ├── QuotaExceeded, TooLarge, Overloaded, StorageFull
    ├── Unauthenticated, AgentForbidden, VerbForbidden
    ├── StoreUnavailable, Draining, SummarizerUnavailable, UrlUnreachable, ProposerUnavailable
    ├── DataDamaged, SnapshotDamaged, HistoryLost
    └── MethodUnknown
"""

from typing import ClassVar, Self

from memoryd_server.domain.error_text import ADVICE_FOR_OLD_DATA, amount, given, larger_than, named, named_agents
from memoryd_server.domain.limit import METHOD_CHARS_MAX
from memoryd_server.domain.utc_text import utc_text


class Refusal(Exception):  # noqa: N818 - most refusals are the client's errors, not the daemon's
    """A call that was refused. ``reason`` is the contract's reason; ``metadata`` has the details that belong to it.

    ``text`` is the message where that is always the same.
    """

    reason: ClassVar[str]
    text: ClassVar[str] = ""

    def __init__(self, message: str = "", **metadata: object) -> None:
        self.message = message or self.text
        super().__init__(self.message)
        self.metadata = {name: str(value) for name, value in metadata.items()}

    def at_write(self, index: int) -> Self:
        """Name the write of a commit that was refused, and return the refusal."""
        self.message = f"writes[{index}]: {self.message}"
        self.metadata["write_index"] = str(index)
        return self


class InvalidField(Refusal):
    """The value of a field is not allowed."""

    reason = "INVALID_FIELD"

    def __init__(self, field: str, description: str) -> None:
        super().__init__(f"{field}: {description}", field=field)
        self.field = field
        self.description = description


class RequestIdReused(Refusal):
    """The request id was used before with another request body."""

    reason = "REQUEST_ID_REUSED"

    def __init__(self, request_id: str) -> None:
        super().__init__(f"request_id {request_id!r} was used for another request", request_id=request_id)


class InvalidPageToken(Refusal):
    """The page token is damaged, or belongs to another listing."""

    reason = "INVALID_PAGE_TOKEN"

    def __init__(self) -> None:
        super().__init__("page_token is damaged or belongs to another listing", field="page_token")


class InvalidResumeToken(Refusal):
    """The resume token is damaged."""

    reason = "INVALID_RESUME_TOKEN"

    def __init__(self) -> None:
        super().__init__("resume_token is damaged", field="resume_token")


class MalformedMessage(Refusal):
    """The message cannot be decoded as the contract defines it."""

    reason = "MALFORMED_MESSAGE"
    text = "the message cannot be decoded: is a string not UTF-8?"


class DocumentUnreadable(Refusal):
    """No text can be extracted from a file. ``problem`` is the cause, which continues the phrase "the document"."""

    reason = "DOCUMENT_UNREADABLE"

    def __init__(self, problem: str) -> None:
        super().__init__(f"the document {problem}", problem=problem)


class TooLarge(Refusal):
    """The request, or what it asks for, is larger than a limit allows. A smaller one is accepted."""

    reason = "TOO_LARGE"

    def __init__(self, limit: str, value: int) -> None:
        super().__init__(larger_than(limit, value), limit=limit, value=value)


class AgentNotFound(Refusal):
    """The agent does not exist."""

    reason = "AGENT_NOT_FOUND"

    def __init__(self, agent_id: str) -> None:
        super().__init__(f"agent {agent_id!r} does not exist", agent_id=agent_id)


class RecordNotFound(Refusal):
    """The agent has no such record of a kind, for example no such note.

    ``kind`` is the word of a ``RecordKind``, such as "plan_step". ``place`` has what else identifies the record, by the
    names of the contract's ``RecordRef``. ``record_id`` is empty for a record that was not looked up by its id; then
    ``place`` begins with its other name. Empty values are omitted.
    """

    reason = "RECORD_NOT_FOUND"

    def __init__(self, agent_id: str, kind: str, record_id: str, **place: str) -> None:
        message = f"agent {agent_id!r} has no {named(kind, record_id, place)}"
        super().__init__(message, agent_id=agent_id, kind=kind, **given(record_id, place))


class SnapshotNotFound(Refusal):
    """The snapshot does not exist."""

    reason = "SNAPSHOT_NOT_FOUND"

    def __init__(self, snapshot_id: str) -> None:
        super().__init__(f"snapshot {snapshot_id!r} does not exist", snapshot_id=snapshot_id)


class OperationNotFound(Refusal):
    """This daemon has no such operation, or no longer."""

    reason = "OPERATION_NOT_FOUND"

    def __init__(self, operation_id: str) -> None:
        super().__init__(f"there is no operation {operation_id!r} in this daemon", operation_id=operation_id)


class RecordExists(Refusal):
    """The agent has another record of the kind with this id, last changed at ``revision``.

    Takes the other parameters as ``RecordNotFound``.
    """

    reason = "RECORD_EXISTS"

    def __init__(self, kind: str, record_id: str, revision: int, **place: str) -> None:
        message = f"{named(kind, record_id, place)} exists, at revision {revision}"
        super().__init__(message, kind=kind, revision=revision, **given(record_id, place))


class SnapshotExists(Refusal):
    """Another snapshot has this id."""

    reason = "SNAPSHOT_EXISTS"

    def __init__(self, snapshot_id: str) -> None:
        super().__init__(f"snapshot {snapshot_id!r} exists", snapshot_id=snapshot_id)


class OperationExists(Refusal):
    """The operation id is taken by another request."""

    reason = "OPERATION_EXISTS"

    def __init__(self, operation_id: str) -> None:
        super().__init__(f"operation {operation_id!r} exists, for another request", operation_id=operation_id)


class ScopeDisposed(Refusal):
    """The scope was disposed."""

    reason = "SCOPE_DISPOSED"

    def __init__(self, scope_id: str, name: str) -> None:
        super().__init__(f"scope {name!r} ({scope_id}) is disposed", scope_id=scope_id, scope_name=name)


class ForeignResumeToken(Refusal):
    """The resume token was issued for another store."""

    reason = "FOREIGN_RESUME_TOKEN"
    text = "resume_token belongs to another store"


class SnapshotAgentMismatch(Refusal):
    """The snapshot holds another agent."""

    reason = "SNAPSHOT_AGENT_MISMATCH"

    def __init__(self, snapshot_id: str, agent_id: str) -> None:
        message = f"snapshot {snapshot_id!r} does not contain agent {agent_id!r}: to clone an agent, set as_agent_id"
        super().__init__(message, snapshot_id=snapshot_id, agent_id=agent_id)


class SnapshotLocked(Refusal):
    """The snapshot is encrypted with a key that the server does not have."""

    reason = "SNAPSHOT_LOCKED"

    def __init__(self, snapshot_id: str) -> None:
        message = f"snapshot {snapshot_id!r} is encrypted for a key that the server does not have"
        super().__init__(message, snapshot_id=snapshot_id)


class SchemaTooNew(Refusal):
    """A record or a snapshot was written by a newer version of memoryd."""

    reason = "SCHEMA_TOO_NEW"

    def __init__(self, what: str, found: int, supported: int) -> None:
        message = f"{what} has schema version {found}, this version reads up to {supported}: use a newer memoryd"
        super().__init__(message, found_version=found, supported_version=supported)


class SchemaTooOld(Refusal):
    """A record or a snapshot was written by an older version of memoryd, whose data this one cannot read."""

    reason = "SCHEMA_TOO_OLD"

    def __init__(self, what: str, found: int, supported: int, advice: str = ADVICE_FOR_OLD_DATA) -> None:
        message = f"{what} has schema version {found}, this version reads {supported} only: {advice}"
        super().__init__(message, found_version=found, supported_version=supported)


class PlanEnded(Refusal):
    """The plan was completed or replaced, and cannot be changed until it is reopened."""

    reason = "PLAN_ENDED"

    def __init__(self, plan_id: str) -> None:
        super().__init__(f"plan {plan_id!r} has ended: reopen it to change it", plan_id=plan_id)


class UrlNotAllowed(Refusal):
    """The server does not fetch this URL, or does not fetch any."""

    reason = "URL_NOT_ALLOWED"

    def __init__(self, description: str, host: str = "") -> None:
        super().__init__(f"url: {description}", **({"host": host} if host else {}))


class SummarizerMissing(Refusal):
    """The server has no model that summarizes conversations."""

    reason = "SUMMARIZER_MISSING"
    text = "the server has no model that summarizes: set summary_url"


class AuditOff(Refusal):
    """The server keeps no audit log."""

    reason = "AUDIT_OFF"
    text = "the server keeps no audit log: set audit_log"


class FeatureNotInTier(Refusal):
    """The tier of the agent does not have a feature that the call uses."""

    reason = "FEATURE_NOT_IN_TIER"

    def __init__(self, feature: str, tier: str) -> None:
        super().__init__(f"the agent's tier {tier!r} does not have feature {feature!r}", feature=feature, tier=tier)


class VersionUnsupported(Refusal):
    """The versions of client and server do not work together. ``older`` is the one to upgrade: client or server."""

    reason = "VERSION_UNSUPPORTED"

    def __init__(self, client: str, server: str, older: str) -> None:
        message = f"client version {client} does not work with server version {server}: upgrade the {older}"
        super().__init__(message, client_version=client, server_version=server)


class RevisionMismatch(Refusal):
    """The precondition ``expected_revision`` failed."""

    reason = "REVISION_MISMATCH"

    def __init__(self, expected: int, actual: int) -> None:
        message = f"expected revision {expected}, found {actual}"
        super().__init__(message, expected_revision=expected, actual_revision=actual)


class ReservationLost(Refusal):
    """The reservation has ended, or it never existed."""

    reason = "RESERVATION_LOST"

    def __init__(self, key: str) -> None:
        super().__init__(f"the reservation of key {key!r} has ended or was never given", key=key)


class LeaseLost(Refusal):
    """The lease has expired or was settled, its fragments were deleted, or it never existed."""

    reason = "LEASE_LOST"
    text = "the lease has expired or was settled, its fragments were deleted, or it was never given"


class RevisionCompacted(Refusal):
    """The journal no longer retains the requested changes."""

    reason = "REVISION_COMPACTED"

    def __init__(self, oldest_revision: int | None = None) -> None:
        if oldest_revision is None:
            super().__init__("the journal no longer retains the requested changes")
        else:
            message = f"the journal retains only revision {oldest_revision} and later ones"
            super().__init__(message, oldest_revision=oldest_revision)


class RevisionInFuture(Refusal):
    """The agent has not reached the revision yet."""

    reason = "REVISION_IN_FUTURE"

    def __init__(self, revision: int) -> None:
        super().__init__(f"the agent is at revision {revision}", revision=revision)


class HistoryCompacted(Refusal):
    """Earlier versions of memories are kept only since ``oldest_time`` (ns since the Unix epoch)."""

    reason = "HISTORY_COMPACTED"

    def __init__(self, oldest_time: int) -> None:
        # Rounded up: rounded down, it would lie before the history, and a caller that asks for it be refused again.
        oldest = utc_text(oldest_time)
        super().__init__(f"earlier versions of memories are kept only since {oldest}", oldest_time=oldest)


class PageTokenExpired(Refusal):
    """The listing's revision is no longer kept: the listing must begin again."""

    reason = "PAGE_TOKEN_EXPIRED"
    text = "the listing's revision is no longer kept: start again without page_token"


class RequestStalled(Refusal):
    """The caller has stopped in the middle of its request, or of reading the response."""

    reason = "REQUEST_STALLED"

    def __init__(self, idle_s: int) -> None:
        super().__init__(f"the caller sent or read nothing for {idle_s} s", idle_seconds=idle_s)


class QuotaExceeded(Refusal):
    """The change would exceed a limit of what the server stores, for an agent or for a record."""

    reason = "QUOTA_EXCEEDED"

    def __init__(
        self, limit: str, value: int, hint: str = "delete data first, or raise the limit", **metadata: str
    ) -> None:
        message = f"limit {limit} of {amount(limit, value)} would be exceeded: {hint}"
        super().__init__(message, limit=limit, value=value, **metadata)


class Overloaded(Refusal):
    """The server has as many calls in progress as a limit allows, and did not begin this one; or no memory for it."""

    reason = "OVERLOADED"

    def __init__(self, limit: str, value: float, delay_ms: int | None = None) -> None:
        self.delay_ms = delay_ms
        message = f"limit {limit} of {amount(limit, value)} is reached: try again later"
        super().__init__(message, limit=limit, value=value)


class StorageFull(Refusal):
    """The disk or the store is full. Reads and watches still work."""

    reason = "STORAGE_FULL"
    text = "the store is full: delete data, or give it more space"


class Unauthenticated(Refusal):
    """The call has no token or certificate, or one that the server does not accept."""

    reason = "UNAUTHENTICATED"
    text = "a valid token or client certificate is required"


class AgentForbidden(Refusal):
    """The caller's credentials do not grant access to this agent."""

    reason = "AGENT_FORBIDDEN"

    def __init__(self, agent_id: str) -> None:
        """``agent_id`` is the agent, or the pattern that a request names; empty for all agents without a pattern."""
        named = {} if agent_id in ("", "*") else {"agent_id": agent_id}
        super().__init__(f"the caller may not use {named_agents(agent_id)}", **named)


class VerbForbidden(Refusal):
    """The caller's credentials grant other rights than the one that the call needs."""

    reason = "VERB_FORBIDDEN"

    def __init__(self, verb: str, agent_id: str = "") -> None:
        whose, about = (f" for agent {agent_id!r}", {"agent_id": agent_id}) if agent_id else ("", {})
        super().__init__(f"the caller does not have the verb {verb!r}{whose}", verb=verb, **about)


class StoreUnavailable(Refusal):
    """The store does not respond."""

    reason = "STORE_UNAVAILABLE"
    text = "the store is not available"


class Draining(Refusal):
    """The server is shutting down."""

    reason = "DRAINING"
    text = "the server is shutting down"


class SummarizerUnavailable(Refusal):
    """The model that summarizes conversations does not respond."""

    reason = "SUMMARIZER_UNAVAILABLE"
    text = "the model that summarizes does not respond: try again later"


class ProposerUnavailable(Refusal):
    """The model that proposes memories does not respond."""

    reason = "PROPOSER_UNAVAILABLE"
    text = "the model that proposes memories does not respond: try again later"


class UrlUnreachable(Refusal):
    """A document cannot be fetched at present. ``problem`` is the cause, ``host`` that of its URL."""

    reason = "URL_UNREACHABLE"

    def __init__(self, problem: str, host: str) -> None:
        super().__init__(f"the document cannot be fetched from {host!r}: {problem}", problem=problem, host=host)


class DataDamaged(Refusal):
    """Data in the store is damaged; none of it is served."""

    reason = "DATA_DAMAGED"

    def __init__(self, what: str) -> None:
        super().__init__(f"damaged data: {what}")


class SnapshotDamaged(Refusal):
    """The snapshot's file is damaged. ``snapshot_id`` is empty for a file that is imported without an id."""

    reason = "SNAPSHOT_DAMAGED"

    def __init__(self, snapshot_id: str, what: str) -> None:
        name = f"snapshot {snapshot_id!r}" if snapshot_id else "the snapshot"
        super().__init__(f"{name} is damaged: {what}", snapshot_id=snapshot_id)


class HistoryLost(Refusal):
    """Acknowledged commits are missing from the store, as after a restore of an old backup."""

    reason = "HISTORY_LOST"

    def __init__(self, agent_id: str = "") -> None:
        whose, metadata = (f"of agent {agent_id!r} ", {"agent_id": agent_id}) if agent_id else ("", {})
        super().__init__(f"acknowledged commits {whose}are missing from the store", **metadata)


class MethodUnknown(Refusal):
    """The server has no such method. ``method`` is its path, such as ``/memoryd.v1.NoteService/GetNote``."""

    reason = "METHOD_UNKNOWN"

    def __init__(self, method: str) -> None:
        # The path comes from the caller, and its length is bounded only by that of all metadata.
        shown = method[:METHOD_CHARS_MAX]
        super().__init__(f"this server has no method {shown!r}: check its name, or upgrade the server", method=shown)
