/** The name of a gRPC status code. */
export type StatusCode =
  | "CANCELLED"
  | "UNKNOWN"
  | "INVALID_ARGUMENT"
  | "DEADLINE_EXCEEDED"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "FAILED_PRECONDITION"
  | "ABORTED"
  | "OUT_OF_RANGE"
  | "UNIMPLEMENTED"
  | "INTERNAL"
  | "UNAVAILABLE"
  | "DATA_LOSS"
  | "UNAUTHENTICATED";

/** What is known about an error beside its message. */
export interface ErrorDetails extends ErrorOptions {
  readonly code?: StatusCode | undefined;
  readonly reason?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly retryDelayMs?: number | undefined;
}

/** Whatever this package throws on purpose: a call that failed, or something that it could not even begin. */
export class MemorydError extends Error {
  /** The status of the call that failed; undefined when there was no call. */
  readonly code: StatusCode | undefined;
  /** The name of the call's `ErrorReason`, such as `"ERROR_REASON_SCOPE_DISPOSED"`; empty when the daemon gave none. */
  readonly reason: string;
  /** The particulars that the reason's comment in error_reason.proto lists. */
  readonly metadata: Readonly<Record<string, string>>;
  /** For each bad field of the request, what is wrong with it. */
  readonly fields: Readonly<Record<string, string>>;
  /** After how many milliseconds the daemon wants to be asked again; undefined when it said nothing. */
  readonly retryDelayMs: number | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.name = new.target.name;
    this.code = details.code;
    this.reason = details.reason ?? "";
    this.metadata = details.metadata ?? {};
    this.fields = details.fields ?? {};
    this.retryDelayMs = details.retryDelayMs;
  }

  /** A whole number among the metadata. */
  protected number(name: string): bigint | undefined {
    const text = this.metadata[name] ?? "";
    return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  }
}

/** The address is neither HOST:PORT nor unix:/path, or the TLS files cannot be used. */
export class InvalidTarget extends MemorydError {}

/** The value cannot be written as JSON. */
export class UnsupportedValue extends MemorydError {}

/** The value that was read did not pass the caller's check. */
export class WrongType extends MemorydError {
  constructor(
    readonly key: string,
    readonly value: unknown,
  ) {
    super(`the value of ${JSON.stringify(key)} is not of the type that was asked for`);
  }
}

/** The request is not allowed. `fields` tells for each bad field what is wrong with it. */
export class InvalidArgument extends MemorydError {}

/** No text can be extracted from the file, as it is or within the daemon's limits: `metadata.problem` says why. */
export class DocumentUnreadable extends InvalidArgument {}

/** The page token is damaged or of another listing. */
export class InvalidPageToken extends InvalidArgument {}

/** The resume token is damaged. */
export class InvalidResumeToken extends InvalidArgument {}

/** The request id belongs to another change. */
export class RequestIdReused extends InvalidArgument {}

/** A named thing is not there. */
export class NotFound extends MemorydError {}

/** There is no such agent: none of its memory was ever set, or it has ended. */
export class AgentNotFound extends NotFound {}

/** The agent has no such memory, or has forgotten it. */
export class MemoryNotFound extends NotFound {}

/** The agent has no such record of a kind: no such note, for example. */
export class RecordNotFound extends NotFound {}

/** The agent has no such scope. */
export class ScopeNotFound extends NotFound {}

/** There is no such snapshot. */
export class SnapshotNotFound extends NotFound {}

/** The thing that must not be there is there. */
export class AlreadyExists extends MemorydError {}

/** The key has an entry. */
export class EntryExists extends AlreadyExists {
  /** The entry's revision, when the daemon told it. */
  get revision(): bigint | undefined {
    return this.number("revision");
  }
}

/** The memory's id is taken. */
export class MemoryExists extends AlreadyExists {}

/** The id is taken by another record of the kind. */
export class RecordExists extends AlreadyExists {}

/** A scope of this name is there. */
export class ScopeExists extends AlreadyExists {}

/** The snapshot's id is taken. */
export class SnapshotExists extends AlreadyExists {}

/** The state does not allow the call. */
export class FailedPrecondition extends MemorydError {}

/** The resume token is of another store: begin the watch anew. */
export class ForeignResumeToken extends FailedPrecondition {}

/** The plan was completed or replaced, and does not change any more: `metadata` names it by `plan_id`. */
export class PlanEnded extends FailedPrecondition {}

/** A record or a snapshot was written by a newer version of the daemon. */
export class SchemaTooNew extends FailedPrecondition {}

/** A record or a snapshot was written by a version whose data the daemon does not read. */
export class SchemaTooOld extends FailedPrecondition {}

/** The scope has ended: `metadata` names it by `scope_id` and `scope_name`. */
export class ScopeDisposed extends FailedPrecondition {}

/** The snapshot is of another agent. */
export class SnapshotAgentMismatch extends FailedPrecondition {}

/** The snapshot is encrypted, and no key of the daemon opens it. */
export class SnapshotLocked extends FailedPrecondition {}

/** The daemon has no model to sum conversations up. */
export class SummarizerMissing extends FailedPrecondition {}

/** The daemon does not fetch this URL, or none at all: `metadata` has its `host`, when there is one. */
export class UrlNotAllowed extends FailedPrecondition {}

/** Somebody else was faster. */
export class Aborted extends MemorydError {}

/** The lease of fragments is over, or was never given. */
export class LeaseLost extends Aborted {}

/** The reservation is over, or was never given. */
export class ReservationLost extends Aborted {}

/** The expected revision does not hold: read again, decide again, write again. */
export class RevisionMismatch extends Aborted {
  /** The revision that the caller expected. */
  get expectedRevision(): bigint | undefined {
    return this.number("expected_revision");
  }

  /** The revision that is there; 0 when nothing is. */
  get actualRevision(): bigint | undefined {
    return this.number("actual_revision");
  }
}

/** What was asked for lies outside of what the daemon keeps. */
export class OutOfRange extends MemorydError {}

/** What memories were at that time is not known any more. */
export class HistoryCompacted extends OutOfRange {
  /** Since when it is known, up to the next millisecond, so that asking for this very time is answered. */
  get oldestTime(): Date | undefined {
    const oldestNs = this.number("oldest_time");
    return oldestNs === undefined ? undefined : new Date(Number((oldestNs + 999_999n) / 1_000_000n));
  }
}

/** The listing's revision is no longer kept: list again. */
export class PageTokenExpired extends OutOfRange {}

/** The journal no longer retains the events that were asked for: begin the watch anew. */
export class RevisionCompacted extends OutOfRange {
  /** The oldest revision that is retained, when one agent was asked for. */
  get oldestRevision(): bigint | undefined {
    return this.number("oldest_revision");
  }
}

/** The revision is not reached yet. */
export class RevisionInFuture extends OutOfRange {}

/** There is no room for it. */
export class ResourceExhausted extends MemorydError {}

/** A limit of the daemon would be exceeded; `ServerService.getServerInfo` has them all. */
export class LimitExceeded extends ResourceExhausted {
  /** The limit's name, such as `entries_per_agent`. */
  get limit(): string {
    return this.metadata.limit ?? "";
  }

  /** The most that the limit allows. */
  get value(): bigint | undefined {
    return this.number("value");
  }
}

/** The daemon's disk or store has no room. Reads and watches go on. */
export class StorageFull extends ResourceExhausted {}

/** The daemon cannot be reached, or takes no calls now. */
export class Unavailable extends MemorydError {}

/** The daemon is about to stop. */
export class Draining extends Unavailable {}

/** The daemon's store does not answer. */
export class StoreUnavailable extends Unavailable {}

/** The model that sums conversations up does not answer. */
export class SummarizerUnavailable extends Unavailable {}

/** Data is damaged. */
export class DataLoss extends MemorydError {}

/** The store's data is damaged; nothing is served from it. */
export class DataDamaged extends DataLoss {}

/** The daemon's store went back in time: commits that were acknowledged are gone. */
export class HistoryLost extends DataLoss {}

/** The snapshot's file is damaged; nothing was changed. */
export class SnapshotDamaged extends DataLoss {}

/** The call was given up: its signal was aborted (then `cause` is the signal's reason), or the client was closed. */
export class Cancelled extends MemorydError {}

/** The call took longer than its timeout. A change may have happened or not. */
export class DeadlineExceeded extends MemorydError {}

/** The daemon has a defect, told in its log; or the answer was none that this client knows. */
export class InternalError extends MemorydError {}

/** The caller may not touch this agent. */
export class PermissionDenied extends MemorydError {}

/** The caller gave no token or certificate, or one that the daemon does not know. */
export class Unauthenticated extends MemorydError {}

/** The daemon has no such method: it is older than this client. */
export class Unimplemented extends MemorydError {}
