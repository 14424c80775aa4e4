package memoryd

import "google.golang.org/grpc/codes"

// The kinds of errors, for errors.Is. A specific kind also matches its general one: ErrRevisionMismatch is ErrAborted,
// too. The details are in [Error], for errors.As.
//
// A missing entry is not an error, unless a condition needs it.
var (
	// ErrInvalidArgument: the request is invalid. Error.Fields maps each invalid field to what is wrong with it.
	ErrInvalidArgument error = &kind{"invalid argument", nil}
	// ErrDocumentUnreadable: no text can be extracted from the file, as it is or within the server's limits.
	// Error.Metadata["problem"] is the cause, such as "is encrypted".
	ErrDocumentUnreadable error = &kind{"document unreadable", ErrInvalidArgument}
	// ErrInvalidPageToken: the page token is damaged or of another listing.
	ErrInvalidPageToken error = &kind{"invalid page token", ErrInvalidArgument}
	// ErrInvalidResumeToken: the resume token is damaged.
	ErrInvalidResumeToken error = &kind{"invalid resume token", ErrInvalidArgument}
	// ErrRequestIDReused: the request id belongs to another change.
	ErrRequestIDReused error = &kind{"request id reused", ErrInvalidArgument}
	// ErrTooLarge: the request is larger than a limit of the server allows. Error.Metadata contains the limit's name as
	// "limit", such as entry_bytes, and its maximum as "value".
	ErrTooLarge error = &kind{"too large", ErrResourceExhausted}

	// ErrNotFound: something that the request names does not exist.
	ErrNotFound error = &kind{"not found", nil}
	// ErrAgentNotFound: there is no such agent: nothing of it was ever stored, or it has ended.
	ErrAgentNotFound error = &kind{"agent not found", ErrNotFound}
	// ErrRecordNotFound: the agent has no such record, such as a note, a scope, or an entry that a condition needs, or
	// has forgotten the memory. Error.Metadata contains its "kind", such as "plan_step", and its "record_id", the key of
	// an entry.
	ErrRecordNotFound error = &kind{"record not found", ErrNotFound}
	// ErrOperationNotFound: the server has no such operation, or no longer.
	ErrOperationNotFound error = &kind{"operation not found", ErrNotFound}
	// ErrSnapshotNotFound: there is no such snapshot.
	ErrSnapshotNotFound error = &kind{"snapshot not found", ErrNotFound}

	// ErrAlreadyExists: something that must not exist does.
	ErrAlreadyExists error = &kind{"already exists", nil}
	// ErrRecordExists: the agent has such a record. Error.Metadata contains its "kind", such as "entry", its "record_id",
	// the key of an entry, and the "revision" that last changed it.
	ErrRecordExists error = &kind{"record exists", ErrAlreadyExists}
	// ErrOperationExists: an operation with this id exists, for another request.
	ErrOperationExists error = &kind{"operation exists", ErrAlreadyExists}
	// ErrSnapshotExists: another snapshot has this id.
	ErrSnapshotExists error = &kind{"snapshot exists", ErrAlreadyExists}

	// ErrFailedPrecondition: the state does not allow the call.
	ErrFailedPrecondition error = &kind{"failed precondition", nil}
	// ErrAuditOff: the server keeps no audit log.
	ErrAuditOff error = &kind{"audit off", ErrFailedPrecondition}
	// ErrFeatureNotInTier: the agent's tier, in Error.Metadata["tier"], does not have the feature that is in
	// Error.Metadata["feature"].
	ErrFeatureNotInTier error = &kind{"feature not in tier", ErrFailedPrecondition}
	// ErrForeignResumeToken: the resume token is from another store. Start a new watch.
	ErrForeignResumeToken error = &kind{"foreign resume token", ErrFailedPrecondition}
	// ErrPlanEnded: the plan in Error.Metadata["plan_id"] was completed or replaced, and cannot change until it is
	// reopened.
	ErrPlanEnded error = &kind{"plan ended", ErrFailedPrecondition}
	// ErrSchemaTooNew: a record or a snapshot was written by a newer version of the server.
	ErrSchemaTooNew error = &kind{"schema too new", ErrFailedPrecondition}
	// ErrSchemaTooOld: a record or a snapshot was written by an old version whose data the server cannot read.
	ErrSchemaTooOld error = &kind{"schema too old", ErrFailedPrecondition}
	// ErrScopeDisposed: the scope has ended. Error.Metadata contains its "scope_id" and "scope_name".
	ErrScopeDisposed error = &kind{"scope disposed", ErrFailedPrecondition}
	// ErrSnapshotAgentMismatch: the snapshot is of another agent.
	ErrSnapshotAgentMismatch error = &kind{"snapshot agent mismatch", ErrFailedPrecondition}
	// ErrSnapshotLocked: the snapshot is encrypted, and none of the server's keys decrypts it.
	ErrSnapshotLocked error = &kind{"snapshot locked", ErrFailedPrecondition}
	// ErrSummarizerMissing: the server has no model that summarizes conversations.
	ErrSummarizerMissing error = &kind{"summarizer missing", ErrFailedPrecondition}
	// ErrURLNotAllowed: the server does not fetch this URL, or no URL at all. Error.Metadata contains its "host", if
	// there is one.
	ErrURLNotAllowed error = &kind{"URL not allowed", ErrFailedPrecondition}
	// ErrVersionUnsupported: this client, whose version is in Error.Metadata["client_version"], and the server, whose
	// version is in Error.Metadata["server_version"], do not work together. Upgrade the older one.
	ErrVersionUnsupported error = &kind{"version unsupported", ErrFailedPrecondition}

	// ErrAborted: a concurrent change came first.
	ErrAborted error = &kind{"aborted", nil}
	// ErrLeaseLost: the lease of fragments has expired, or was never granted.
	ErrLeaseLost error = &kind{"lease lost", ErrAborted}
	// ErrReservationLost: the reservation has expired, or was never granted.
	ErrReservationLost error = &kind{"reservation lost", ErrAborted}
	// ErrRevisionMismatch: the expected revision is not the actual one. Error.Metadata contains "expected_revision" and
	// "actual_revision", which is 0 if there is none.
	ErrRevisionMismatch error = &kind{"revision mismatch", ErrAborted}

	// ErrOutOfRange: the request is for something outside the range that the server retains.
	ErrOutOfRange error = &kind{"out of range", nil}
	// ErrHistoryCompacted: the memories of the requested time are no longer retained. Error.Metadata contains
	// "oldest_time", the oldest time that is; see [Error.Time].
	ErrHistoryCompacted error = &kind{"history compacted", ErrOutOfRange}
	// ErrPageTokenExpired: the listing's revision is no longer retained. Start the listing again.
	ErrPageTokenExpired error = &kind{"page token expired", ErrOutOfRange}
	// ErrRevisionCompacted: the journal no longer retains the requested events. Start a new watch. Error.Metadata
	// contains "oldest_revision" if the request was for one agent.
	ErrRevisionCompacted error = &kind{"revision compacted", ErrOutOfRange}
	// ErrRevisionInFuture: the agent has not reached the revision yet.
	ErrRevisionInFuture error = &kind{"revision in future", ErrOutOfRange}

	// ErrResourceExhausted: a limit or the storage of the server is exhausted.
	ErrResourceExhausted error = &kind{"resource exhausted", nil}
	// ErrOverloaded: the server has too many calls in progress, and did not begin this one. A retry may succeed.
	// Error.Metadata contains the "limit" and its "value".
	ErrOverloaded error = &kind{"overloaded", ErrResourceExhausted}
	// ErrQuotaExceeded: a limit of what the server stores would be exceeded. Error.Metadata contains its name as "limit",
	// such as entries_per_agent, and its maximum as "value".
	ErrQuotaExceeded error = &kind{"quota exceeded", ErrResourceExhausted}
	// ErrStorageFull: the server's disk or store is full. Reads and watches continue to work.
	ErrStorageFull error = &kind{"storage full", ErrResourceExhausted}

	// ErrUnavailable: the server cannot be reached, or does not accept calls now.
	ErrUnavailable error = &kind{"unavailable", nil}
	// ErrDraining: the server is shutting down.
	ErrDraining error = &kind{"draining", ErrUnavailable}
	// ErrProposerUnavailable: the model that proposes memories does not respond.
	ErrProposerUnavailable error = &kind{"proposer unavailable", ErrUnavailable}
	// ErrStoreUnavailable: the server's store does not respond.
	ErrStoreUnavailable error = &kind{"store unavailable", ErrUnavailable}
	// ErrSummarizerUnavailable: the model that summarizes conversations does not respond.
	ErrSummarizerUnavailable error = &kind{"summarizer unavailable", ErrUnavailable}
	// ErrURLUnreachable: the server cannot fetch the document at present.
	ErrURLUnreachable error = &kind{"URL unreachable", ErrUnavailable}

	// ErrDataLoss: data is damaged or lost.
	ErrDataLoss error = &kind{"data loss", nil}
	// ErrDataDamaged: the store's data is damaged. None of it is served.
	ErrDataDamaged error = &kind{"data damaged", ErrDataLoss}
	// ErrHistoryLost: the store has lost acknowledged commits, as after a failover or a restore. Error.Metadata
	// contains "known_revision" and "actual_revision" if they are known.
	ErrHistoryLost error = &kind{"history lost", ErrDataLoss}
	// ErrSnapshotDamaged: the snapshot's file is damaged. Nothing was changed.
	ErrSnapshotDamaged error = &kind{"snapshot damaged", ErrDataLoss}

	// ErrCancelled: the call was cancelled, by its context or by closing the client. It also matches context.Canceled.
	ErrCancelled error = &kind{"cancelled", nil}
	// ErrDeadlineExceeded: the call took longer than its timeout. A change may or may not have been applied. It also
	// matches context.DeadlineExceeded.
	ErrDeadlineExceeded error = &kind{"deadline exceeded", nil}
	// ErrInternal: the server has a defect, which its log describes, or sent a status that this client does not know.
	ErrInternal error = &kind{"internal error", nil}
	// ErrPermissionDenied: the caller may not access this agent.
	ErrPermissionDenied error = &kind{"permission denied", nil}
	// ErrUnauthenticated: the caller sent no token or certificate, or one that the server does not know.
	ErrUnauthenticated error = &kind{"unauthenticated", nil}
	// ErrUnimplemented: the server has no such method. It is older than this client.
	ErrUnimplemented error = &kind{"unimplemented", nil}

	// ErrCacheFull: the records of a near cache take more memory than its [MaxBytes].
	ErrCacheFull error = &kind{"memoryd: the near cache is full", nil}
	// ErrStaleRead: a near cache that is to [Refuse] stale reads may be older than its [MaxStaleness]. It wraps the error
	// that ended the cache, if there is one.
	ErrStaleRead error = &kind{"memoryd: stale read", nil}
	// ErrInvalidTarget: the address is neither HOST:PORT nor unix:/path, or the TLS files cannot be used.
	ErrInvalidTarget error = &kind{"memoryd: invalid target", nil}
	// ErrUnsupportedValue: the value cannot be encoded as JSON. It wraps the error of encoding/json.
	ErrUnsupportedValue error = &kind{"memoryd: unsupported value", nil}
	// ErrWrongType: the value that was read does not have the requested type. It wraps the error of encoding/json.
	ErrWrongType error = &kind{"memoryd: wrong type", nil}
)

// kind is a kind of error, and the more general kind that it belongs to, if any.
type kind struct {
	text    string
	general error
}

func (k *kind) Error() string { return k.text }

func (k *kind) Unwrap() error { return k.general }

var kindByReason = map[string]error{
	"ERROR_REASON_INVALID_FIELD":           ErrInvalidArgument,
	"ERROR_REASON_REQUEST_ID_REUSED":       ErrRequestIDReused,
	"ERROR_REASON_INVALID_PAGE_TOKEN":      ErrInvalidPageToken,
	"ERROR_REASON_INVALID_RESUME_TOKEN":    ErrInvalidResumeToken,
	"ERROR_REASON_MALFORMED_MESSAGE":       ErrInvalidArgument,
	"ERROR_REASON_DOCUMENT_UNREADABLE":     ErrDocumentUnreadable,
	"ERROR_REASON_TOO_LARGE":               ErrTooLarge,
	"ERROR_REASON_AGENT_NOT_FOUND":         ErrAgentNotFound,
	"ERROR_REASON_SNAPSHOT_NOT_FOUND":      ErrSnapshotNotFound,
	"ERROR_REASON_OPERATION_NOT_FOUND":     ErrOperationNotFound,
	"ERROR_REASON_RECORD_NOT_FOUND":        ErrRecordNotFound,
	"ERROR_REASON_SNAPSHOT_EXISTS":         ErrSnapshotExists,
	"ERROR_REASON_OPERATION_EXISTS":        ErrOperationExists,
	"ERROR_REASON_RECORD_EXISTS":           ErrRecordExists,
	"ERROR_REASON_SCOPE_DISPOSED":          ErrScopeDisposed,
	"ERROR_REASON_FOREIGN_RESUME_TOKEN":    ErrForeignResumeToken,
	"ERROR_REASON_SNAPSHOT_AGENT_MISMATCH": ErrSnapshotAgentMismatch,
	"ERROR_REASON_SNAPSHOT_LOCKED":         ErrSnapshotLocked,
	"ERROR_REASON_SCHEMA_TOO_NEW":          ErrSchemaTooNew,
	"ERROR_REASON_SCHEMA_TOO_OLD":          ErrSchemaTooOld,
	"ERROR_REASON_PLAN_ENDED":              ErrPlanEnded,
	"ERROR_REASON_URL_NOT_ALLOWED":         ErrURLNotAllowed,
	"ERROR_REASON_REQUEST_STALLED":         ErrDeadlineExceeded,
	"ERROR_REASON_SUMMARIZER_MISSING":      ErrSummarizerMissing,
	"ERROR_REASON_AUDIT_OFF":               ErrAuditOff,
	"ERROR_REASON_VERSION_UNSUPPORTED":     ErrVersionUnsupported,
	"ERROR_REASON_FEATURE_NOT_IN_TIER":     ErrFeatureNotInTier,
	"ERROR_REASON_REVISION_MISMATCH":       ErrRevisionMismatch,
	"ERROR_REASON_RESERVATION_LOST":        ErrReservationLost,
	"ERROR_REASON_LEASE_LOST":              ErrLeaseLost,
	"ERROR_REASON_REVISION_COMPACTED":      ErrRevisionCompacted,
	"ERROR_REASON_REVISION_IN_FUTURE":      ErrRevisionInFuture,
	"ERROR_REASON_PAGE_TOKEN_EXPIRED":      ErrPageTokenExpired,
	"ERROR_REASON_HISTORY_COMPACTED":       ErrHistoryCompacted,
	"ERROR_REASON_QUOTA_EXCEEDED":          ErrQuotaExceeded,
	"ERROR_REASON_OVERLOADED":              ErrOverloaded,
	"ERROR_REASON_STORAGE_FULL":            ErrStorageFull,
	"ERROR_REASON_UNAUTHENTICATED":         ErrUnauthenticated,
	"ERROR_REASON_AGENT_FORBIDDEN":         ErrPermissionDenied,
	"ERROR_REASON_VERB_FORBIDDEN":          ErrPermissionDenied,
	"ERROR_REASON_STORE_UNAVAILABLE":       ErrStoreUnavailable,
	"ERROR_REASON_DRAINING":                ErrDraining,
	"ERROR_REASON_SUMMARIZER_UNAVAILABLE":  ErrSummarizerUnavailable,
	"ERROR_REASON_URL_UNREACHABLE":         ErrURLUnreachable,
	"ERROR_REASON_PROPOSER_UNAVAILABLE":    ErrProposerUnavailable,
	"ERROR_REASON_DATA_DAMAGED":            ErrDataDamaged,
	"ERROR_REASON_SNAPSHOT_DAMAGED":        ErrSnapshotDamaged,
	"ERROR_REASON_HISTORY_LOST":            ErrHistoryLost,
	"ERROR_REASON_INTERNAL":                ErrInternal,
	"ERROR_REASON_METHOD_UNKNOWN":          ErrUnimplemented,
}

var kindByCode = map[codes.Code]error{
	codes.InvalidArgument:    ErrInvalidArgument,
	codes.NotFound:           ErrNotFound,
	codes.AlreadyExists:      ErrAlreadyExists,
	codes.FailedPrecondition: ErrFailedPrecondition,
	codes.Aborted:            ErrAborted,
	codes.OutOfRange:         ErrOutOfRange,
	codes.ResourceExhausted:  ErrResourceExhausted,
	codes.Unavailable:        ErrUnavailable,
	codes.DataLoss:           ErrDataLoss,
	codes.Canceled:           ErrCancelled,
	codes.DeadlineExceeded:   ErrDeadlineExceeded,
	codes.Internal:           ErrInternal,
	codes.Unknown:            ErrInternal,
	codes.PermissionDenied:   ErrPermissionDenied,
	codes.Unauthenticated:    ErrUnauthenticated,
	codes.Unimplemented:      ErrUnimplemented,
}

func kindOf(code codes.Code, reason string) error {
	if kind, known := kindByReason[reason]; known {
		return kind
	}
	if kind, known := kindByCode[code]; known {
		return kind
	}
	return ErrInternal
}
