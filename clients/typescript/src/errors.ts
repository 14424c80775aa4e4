import { fromJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";

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

/** The details of an error besides its message. */
export interface ErrorDetails extends ErrorOptions {
  readonly code?: StatusCode | undefined;
  readonly reason?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly retryDelayMs?: number | undefined;
}

/** The base class of the errors that this package throws. */
export class MemorydError extends Error {
  /** The status of the call that failed, or undefined if there was no call. */
  readonly code: StatusCode | undefined;
  /** The name of an `ErrorReason`, such as `"ERROR_REASON_SCOPE_DISPOSED"`. Empty if the daemon sent none. */
  readonly reason: string;
  /** The details that the reason's comment in error_reason.proto lists. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Maps each invalid field of the request to what is wrong with it. */
  readonly fields: Readonly<Record<string, string>>;
  /** The milliseconds to wait before a retry, as the daemon requests it. Undefined if it sent none. */
  readonly retryDelayMs: number | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details);
    if (!Object.hasOwn(new.target.prototype, "name")) {
      this.name = new.target.name;
    }
    this.code = details.code;
    this.reason = details.reason ?? "";
    this.metadata = details.metadata ?? {};
    this.fields = details.fields ?? {};
    this.retryDelayMs = details.retryDelayMs;
  }

  /** The position of the change that was refused in its transaction, or undefined outside of transactions. */
  get writeIndex(): number | undefined {
    const index = this.number("write_index");
    return index === undefined ? undefined : Number(index);
  }

  /** Returns an integer in the metadata, or undefined if there is none of this name. */
  protected number(name: string): bigint | undefined {
    const text = this.metadata[name] ?? "";
    return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  }
}

/** The address is neither HOST:PORT nor unix:/path, or the TLS files cannot be used. */
export class InvalidTarget extends MemorydError {}

/** The records of a near cache take more memory than its `maxBytes`. */
export class CacheFull extends MemorydError {}

/**
 * A near cache may be older than its `maxStalenessMs` and is to refuse such reads, or a `peek` would have to ask the
 * daemon.
 */
export class StaleRead extends MemorydError {}

/** The value cannot be encoded as JSON. */
export class UnsupportedValue extends MemorydError {}

/** The value that was read does not pass the caller's check. */
export class WrongType extends MemorydError {
  constructor(
    readonly key: string,
    readonly value: unknown,
  ) {
    super(`the value of ${JSON.stringify(key)} does not have the requested type`);
  }
}

/** The request is invalid. `fields` maps each invalid field to what is wrong with it. */
export class InvalidArgument extends MemorydError {}

/** No text can be extracted from the file, as it is or within the daemon's limits. `metadata.problem` is the cause. */
export class DocumentUnreadable extends InvalidArgument {}

/** The page token is damaged or of another listing. */
export class InvalidPageToken extends InvalidArgument {}

/** The resume token is damaged. */
export class InvalidResumeToken extends InvalidArgument {}

/** The request id belongs to another change. */
export class RequestIdReused extends InvalidArgument {}

/** Something that the request names does not exist. */
export class NotFound extends MemorydError {}

/** There is no such agent: nothing of it was ever stored, or it has ended. */
export class AgentNotFound extends NotFound {}

/** The agent has no such record, such as a note or an entry that a condition needs, or has forgotten the memory. */
export class RecordNotFound extends NotFound {
  /** The kind of record, such as `plan_step`. */
  get kind(): string {
    return this.metadata.kind ?? "";
  }

  /** The requested id, the key of an entry. Empty if the record was requested by another name. */
  get recordId(): string {
    return this.metadata.record_id ?? "";
  }
}

/** The server has no such operation, or no longer. */
export class OperationNotFound extends NotFound {}

/** There is no such snapshot. */
export class SnapshotNotFound extends NotFound {}

/** Something that must not exist does. */
export class AlreadyExists extends MemorydError {}

/** The agent has such a record. */
export class RecordExists extends AlreadyExists {
  /** The kind of record, such as `entry`. */
  get kind(): string {
    return this.metadata.kind ?? "";
  }

  /** The record's id, the key of an entry. */
  get recordId(): string {
    return this.metadata.record_id ?? "";
  }

  /** The record's revision, or undefined if the daemon sent none. */
  get revision(): bigint | undefined {
    return this.number("revision");
  }
}

/** An operation with this id exists, for another request. */
export class OperationExists extends AlreadyExists {}

/** Another snapshot has this id. */
export class SnapshotExists extends AlreadyExists {}

/** The state does not allow the call. */
export class FailedPrecondition extends MemorydError {}

/** The daemon keeps no audit log. */
export class AuditOff extends FailedPrecondition {}

/** The agent's tier does not have a feature that the call uses. `metadata` contains the `feature` and the `tier`. */
export class FeatureNotInTier extends FailedPrecondition {}

/** The resume token is from another store: start a new watch. */
export class ForeignResumeToken extends FailedPrecondition {}

/** The plan was completed or replaced, and cannot change until it is reopened. `metadata` contains its `plan_id`. */
export class PlanEnded extends FailedPrecondition {}

/** A record or a snapshot was written by a newer version of the daemon. */
export class SchemaTooNew extends FailedPrecondition {}

/** A record or a snapshot was written by an old version whose data the daemon cannot read. */
export class SchemaTooOld extends FailedPrecondition {}

/** The scope has ended. `metadata` contains its `scope_id` and `scope_name`. */
export class ScopeDisposed extends FailedPrecondition {}

/** The snapshot is of another agent. */
export class SnapshotAgentMismatch extends FailedPrecondition {}

/** The snapshot is encrypted, and none of the daemon's keys decrypts it. */
export class SnapshotLocked extends FailedPrecondition {}

/** The daemon has no model that summarizes conversations. */
export class SummarizerMissing extends FailedPrecondition {}

/** The daemon does not fetch this URL, or no URL at all. `metadata` contains its `host`, if there is one. */
export class UrlNotAllowed extends FailedPrecondition {}

/**
 * This client and the daemon do not work together: upgrade the older one. `metadata` contains the `client_version` and
 * the `server_version`.
 */
export class VersionUnsupported extends FailedPrecondition {}

/** A concurrent change came first. */
export class Aborted extends MemorydError {}

/** The lease of fragments has expired, or was never granted. */
export class LeaseLost extends Aborted {}

/** The reservation has expired, or was never granted. */
export class ReservationLost extends Aborted {}

/** The expected revision is not the actual one: read, decide and write again. */
export class RevisionMismatch extends Aborted {
  /** The revision that the caller expected. */
  get expectedRevision(): bigint | undefined {
    return this.number("expected_revision");
  }

  /** The actual revision; 0 if there is no entry. */
  get actualRevision(): bigint | undefined {
    return this.number("actual_revision");
  }
}

/** The request is for something outside the range that the daemon retains. */
export class OutOfRange extends MemorydError {}

/** The memories of the requested time are no longer retained. */
export class HistoryCompacted extends OutOfRange {
  /** The oldest time that is retained, rounded up to a millisecond so that a request for it succeeds. */
  get oldestTime(): Date | undefined {
    const { oldest_time: text } = this.metadata;
    if (text === undefined) {
      return undefined;
    }
    const { seconds, nanos } = fromJson(TimestampSchema, text);
    return new Date(Number(seconds) * 1_000 + Math.ceil(nanos / 1e6));
  }
}

/** The listing's revision is no longer retained: start the listing again. */
export class PageTokenExpired extends OutOfRange {}

/** The journal no longer retains the requested events: start a new watch. */
export class RevisionCompacted extends OutOfRange {
  /** The oldest revision that is retained, if the request was for one agent. */
  get oldestRevision(): bigint | undefined {
    return this.number("oldest_revision");
  }
}

/** The agent has not reached the revision yet. */
export class RevisionInFuture extends OutOfRange {}

/** A limit or the storage of the daemon is exhausted. */
export class ResourceExhausted extends MemorydError {}

/** The daemon has too many calls in progress, and did not begin this one: try again after `retryDelayMs`. */
export class Overloaded extends ResourceExhausted {
  /** The limit's name, such as `concurrent_calls`. */
  get limit(): string {
    return this.metadata.limit ?? "";
  }

  /** The maximum that the limit allows. */
  get value(): bigint | undefined {
    return this.number("value");
  }
}

/** A limit of what the daemon stores would be exceeded. `ServerService.getServerInfo` returns all limits. */
export class QuotaExceeded extends ResourceExhausted {
  /** The limit's name, such as `entries_per_agent`. */
  get limit(): string {
    return this.metadata.limit ?? "";
  }

  /** The maximum that the limit allows. */
  get value(): bigint | undefined {
    return this.number("value");
  }
}

/** The request is larger than a limit of the daemon allows. `ServerService.getServerInfo` returns all limits. */
export class TooLarge extends ResourceExhausted {
  /** The limit's name, such as `entry_bytes`. */
  get limit(): string {
    return this.metadata.limit ?? "";
  }

  /** The maximum that the limit allows. */
  get value(): bigint | undefined {
    return this.number("value");
  }
}

/** The daemon's disk or store is full. Reads and watches continue to work. */
export class StorageFull extends ResourceExhausted {}

/** The daemon cannot be reached, or does not accept calls now. */
export class Unavailable extends MemorydError {}

/** The daemon is shutting down. */
export class Draining extends Unavailable {}

/** The model that proposes memories does not respond. */
export class ProposerUnavailable extends Unavailable {}

/** The daemon's store does not respond. */
export class StoreUnavailable extends Unavailable {}

/** The model that summarizes conversations does not respond. */
export class SummarizerUnavailable extends Unavailable {}

/** The daemon cannot fetch the document at present. */
export class UrlUnreachable extends Unavailable {}

/** Data is damaged or lost. */
export class DataLoss extends MemorydError {}

/** The store's data is damaged. None of it is served. */
export class DataDamaged extends DataLoss {}

/** The daemon's store has lost acknowledged commits, as after a failover or a restore. */
export class HistoryLost extends DataLoss {}

/** The snapshot's file is damaged. Nothing was changed. */
export class SnapshotDamaged extends DataLoss {}

/** The call was cancelled: its signal was aborted (`cause` is the signal's reason), or the client was closed. */
export class Cancelled extends MemorydError {}

/** The call took longer than its timeout. A change may or may not have been applied. */
export class DeadlineExceeded extends MemorydError {}

/** The daemon has a defect, which its log describes, or sent a status that this client does not know. */
export class InternalError extends MemorydError {}

/** The caller may not access this agent. */
export class PermissionDenied extends MemorydError {}

/** The caller sent no token or certificate, or one that the daemon does not know. */
export class Unauthenticated extends MemorydError {}

/** The daemon has no such method: it is older than this client. */
export class Unimplemented extends MemorydError {}
