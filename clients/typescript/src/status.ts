import { isFieldError, type FieldError } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "#protos/google/rpc/error_details_pb";
import * as errors from "./errors.js";

type ErrorClass = new (message: string, details: errors.ErrorDetails) => errors.MemorydError;

// By the names of the exports: bundlers shorten those of the classes.
for (const [value, { prototype }] of Object.entries(errors)) {
  Object.defineProperty(prototype, "name", { value, configurable: true, writable: true });
}

const DOMAIN = "memoryd";

const ERROR_BY_REASON: Readonly<Record<string, ErrorClass>> = {
  ERROR_REASON_INVALID_FIELD: errors.InvalidArgument,
  ERROR_REASON_REQUEST_ID_REUSED: errors.RequestIdReused,
  ERROR_REASON_INVALID_PAGE_TOKEN: errors.InvalidPageToken,
  ERROR_REASON_INVALID_RESUME_TOKEN: errors.InvalidResumeToken,
  ERROR_REASON_MALFORMED_MESSAGE: errors.InvalidArgument,
  ERROR_REASON_DOCUMENT_UNREADABLE: errors.DocumentUnreadable,
  ERROR_REASON_TOO_LARGE: errors.TooLarge,
  ERROR_REASON_AGENT_NOT_FOUND: errors.AgentNotFound,
  ERROR_REASON_SNAPSHOT_NOT_FOUND: errors.SnapshotNotFound,
  ERROR_REASON_OPERATION_NOT_FOUND: errors.OperationNotFound,
  ERROR_REASON_RECORD_NOT_FOUND: errors.RecordNotFound,
  ERROR_REASON_SNAPSHOT_EXISTS: errors.SnapshotExists,
  ERROR_REASON_OPERATION_EXISTS: errors.OperationExists,
  ERROR_REASON_RECORD_EXISTS: errors.RecordExists,
  ERROR_REASON_SCOPE_DISPOSED: errors.ScopeDisposed,
  ERROR_REASON_FOREIGN_RESUME_TOKEN: errors.ForeignResumeToken,
  ERROR_REASON_SNAPSHOT_AGENT_MISMATCH: errors.SnapshotAgentMismatch,
  ERROR_REASON_SNAPSHOT_LOCKED: errors.SnapshotLocked,
  ERROR_REASON_SCHEMA_TOO_NEW: errors.SchemaTooNew,
  ERROR_REASON_SCHEMA_TOO_OLD: errors.SchemaTooOld,
  ERROR_REASON_PLAN_ENDED: errors.PlanEnded,
  ERROR_REASON_URL_NOT_ALLOWED: errors.UrlNotAllowed,
  ERROR_REASON_REQUEST_STALLED: errors.DeadlineExceeded,
  ERROR_REASON_SUMMARIZER_MISSING: errors.SummarizerMissing,
  ERROR_REASON_AUDIT_OFF: errors.AuditOff,
  ERROR_REASON_VERSION_UNSUPPORTED: errors.VersionUnsupported,
  ERROR_REASON_FEATURE_NOT_IN_TIER: errors.FeatureNotInTier,
  ERROR_REASON_REVISION_MISMATCH: errors.RevisionMismatch,
  ERROR_REASON_RESERVATION_LOST: errors.ReservationLost,
  ERROR_REASON_LEASE_LOST: errors.LeaseLost,
  ERROR_REASON_REVISION_COMPACTED: errors.RevisionCompacted,
  ERROR_REASON_REVISION_IN_FUTURE: errors.RevisionInFuture,
  ERROR_REASON_PAGE_TOKEN_EXPIRED: errors.PageTokenExpired,
  ERROR_REASON_HISTORY_COMPACTED: errors.HistoryCompacted,
  ERROR_REASON_QUOTA_EXCEEDED: errors.QuotaExceeded,
  ERROR_REASON_OVERLOADED: errors.Overloaded,
  ERROR_REASON_STORAGE_FULL: errors.StorageFull,
  ERROR_REASON_UNAUTHENTICATED: errors.Unauthenticated,
  ERROR_REASON_AGENT_FORBIDDEN: errors.PermissionDenied,
  ERROR_REASON_VERB_FORBIDDEN: errors.PermissionDenied,
  ERROR_REASON_STORE_UNAVAILABLE: errors.StoreUnavailable,
  ERROR_REASON_DRAINING: errors.Draining,
  ERROR_REASON_SUMMARIZER_UNAVAILABLE: errors.SummarizerUnavailable,
  ERROR_REASON_URL_UNREACHABLE: errors.UrlUnreachable,
  ERROR_REASON_PROPOSER_UNAVAILABLE: errors.ProposerUnavailable,
  ERROR_REASON_DATA_DAMAGED: errors.DataDamaged,
  ERROR_REASON_SNAPSHOT_DAMAGED: errors.SnapshotDamaged,
  ERROR_REASON_HISTORY_LOST: errors.HistoryLost,
  ERROR_REASON_INTERNAL: errors.InternalError,
  ERROR_REASON_METHOD_UNKNOWN: errors.Unimplemented,
};

const ERROR_BY_CODE: Readonly<Record<Code, readonly [errors.StatusCode, ErrorClass]>> = {
  [Code.Canceled]: ["CANCELLED", errors.Cancelled],
  [Code.Unknown]: ["UNKNOWN", errors.InternalError],
  [Code.InvalidArgument]: ["INVALID_ARGUMENT", errors.InvalidArgument],
  [Code.DeadlineExceeded]: ["DEADLINE_EXCEEDED", errors.DeadlineExceeded],
  [Code.NotFound]: ["NOT_FOUND", errors.NotFound],
  [Code.AlreadyExists]: ["ALREADY_EXISTS", errors.AlreadyExists],
  [Code.PermissionDenied]: ["PERMISSION_DENIED", errors.PermissionDenied],
  [Code.ResourceExhausted]: ["RESOURCE_EXHAUSTED", errors.ResourceExhausted],
  [Code.FailedPrecondition]: ["FAILED_PRECONDITION", errors.FailedPrecondition],
  [Code.Aborted]: ["ABORTED", errors.Aborted],
  [Code.OutOfRange]: ["OUT_OF_RANGE", errors.OutOfRange],
  [Code.Unimplemented]: ["UNIMPLEMENTED", errors.Unimplemented],
  [Code.Internal]: ["INTERNAL", errors.InternalError],
  [Code.Unavailable]: ["UNAVAILABLE", errors.Unavailable],
  [Code.DataLoss]: ["DATA_LOSS", errors.DataLoss],
  [Code.Unauthenticated]: ["UNAUTHENTICATED", errors.Unauthenticated],
};

/**
 * Converts what a call of the transport threw into an error of this package.
 *
 * Check the caller's signal first: an aborted call throws something that says nothing about the daemon.
 */
export function errorFrom(thrown: unknown, target: string): errors.MemorydError {
  if (thrown instanceof errors.MemorydError) {
    return thrown;
  }
  const failure = ConnectError.from(thrown);
  if (isFieldError(failure.cause)) {
    return new errors.InvalidArgument(wordsOf(failure.cause), { code: "INVALID_ARGUMENT", cause: failure });
  }
  const info = failure.findDetails(ErrorInfoSchema).find((found) => found.domain === DOMAIN);
  const retry = failure.findDetails(RetryInfoSchema)[0]?.retryDelay;
  const violations = failure.findDetails(BadRequestSchema).flatMap((found) => found.fieldViolations);
  const [code, errorOfCode] = ERROR_BY_CODE[statusOf(failure)];
  const errorClass = ERROR_BY_REASON[info?.reason ?? ""] ?? errorOfCode;
  const message = failure.rawMessage || code;
  return new errorClass(
    code === "UNAVAILABLE" && !info ? `no answer from memoryd at ${target}: ${unreachable(message)}` : message,
    {
      code,
      cause: failure,
      reason: info?.reason,
      metadata: info?.metadata,
      fields: Object.fromEntries(violations.map(({ field, description }) => [field, description])),
      retryDelayMs: retry && Number(retry.seconds) * 1000 + retry.nanos / 1e6,
    },
  );
}

/** Words for the causes of broken connections, by a part of Node's text in lower case. */
const CAUSES: readonly (readonly [string, string])[] = [
  ["econnrefused", "nothing listens there"],
  ["enoent", "there is no such socket"],
  ["eacces", "this user may not open the socket"],
  ["enotfound", "there is no host of this name"],
  ["eai_again", "there is no host of this name"],
  ["certificate", "the certificate was not accepted"],
  ["eproto", "the TLS handshake failed"],
  ["etimedout", "there was no connection in time"],
  ["econnreset", "the connection was cut"],
];

function unreachable(text: string): string {
  return CAUSES.find(([part]) => text.toLowerCase().includes(part))?.[1] ?? text;
}

/** Returns what is wrong with a field of a request that cannot be written. */
function wordsOf(refused: FieldError): string {
  const field = refused.field();
  if (field.kind !== "oneof" && field.enum) {
    const words = field.enum.values.filter(({ number }) => number !== 0).map(({ localName }) => localName);
    return `${field.localName} must be a ${field.enum.name} (${words.join(", ")}): ${refused.message}`;
  }
  return `${field.localName}: ${refused.message}`;
}

/**
 * Returns whether the cause may pass, so that a retry is useful. `Cancelled` is among them because a daemon that stops
 * cancels the calls that arrive at that moment.
 */
export function mayPass(error: errors.MemorydError): boolean {
  return [errors.Unavailable, errors.Cancelled, errors.Overloaded].some((passing) => error instanceof passing);
}

/** Returns the status code. The transport has many for a broken connection, which are all Unavailable here. */
function statusOf(failure: ConnectError): Code {
  // An error of Connect's protocol has the headers of its response.
  const fromDaemon = failure.metadata.has("grpc-status") || failure.metadata.has("content-type");
  const broken = failure.code === Code.Canceled || failure.code === Code.DataLoss || isOfTransport(failure.cause);
  return !fromDaemon && broken ? Code.Unavailable : failure.code;
}

/** Returns whether the cause is an error of Node.js, or the words of Connect for a response that is no whole one. */
function isOfTransport(cause: unknown): boolean {
  return typeof cause === "string" || (cause instanceof Error && "code" in cause && typeof cause.code === "string");
}
