package memoryd

import "google.golang.org/grpc/codes"

// What can go wrong, for errors.Is. A particular error is its general one, too: ErrRevisionMismatch is ErrAborted. The
// particulars are in [Error], for errors.As.
//
// A missing entry is an answer, never an error.
var (
	// ErrInvalidArgument: the request is not allowed; Error.Fields tells for each bad field what is wrong with it.
	ErrInvalidArgument error = &kind{"invalid argument", nil}
	// ErrDocumentUnreadable: no text can be extracted from the file, as it is or within the server's limits.
	// Error.Metadata["problem"] says why, such as "is encrypted".
	ErrDocumentUnreadable error = &kind{"document unreadable", ErrInvalidArgument}
	// ErrInvalidPageToken: the page token is damaged or of another listing.
	ErrInvalidPageToken error = &kind{"invalid page token", ErrInvalidArgument}
	// ErrInvalidResumeToken: the resume token is damaged.
	ErrInvalidResumeToken error = &kind{"invalid resume token", ErrInvalidArgument}
	// ErrRequestIDReused: the request id belongs to another change.
	ErrRequestIDReused error = &kind{"request id reused", ErrInvalidArgument}

	// ErrNotFound: a named thing is not there.
	ErrNotFound error = &kind{"not found", nil}
	// ErrAgentNotFound: none of the agent's memory was ever set, or the agent has ended.
	ErrAgentNotFound error = &kind{"agent not found", ErrNotFound}
	// ErrMemoryNotFound: the agent has no such memory, or has forgotten it.
	ErrMemoryNotFound error = &kind{"memory not found", ErrNotFound}
	// ErrRecordNotFound: the agent has no such record of the kind in Error.Metadata["kind"], no such note for example.
	ErrRecordNotFound error = &kind{"record not found", ErrNotFound}
	// ErrScopeNotFound: the agent has no such scope.
	ErrScopeNotFound error = &kind{"scope not found", ErrNotFound}
	// ErrSnapshotNotFound: there is no such snapshot.
	ErrSnapshotNotFound error = &kind{"snapshot not found", ErrNotFound}

	// ErrAlreadyExists: the thing that must not be there is there.
	ErrAlreadyExists error = &kind{"already exists", nil}
	// ErrEntryExists: the key has an entry, which was last written by the revision in Error.Metadata["revision"].
	ErrEntryExists error = &kind{"entry exists", ErrAlreadyExists}
	// ErrMemoryExists: the memory's id is taken.
	ErrMemoryExists error = &kind{"memory exists", ErrAlreadyExists}
	// ErrRecordExists: the id is taken by another record of the kind in Error.Metadata["kind"].
	ErrRecordExists error = &kind{"record exists", ErrAlreadyExists}
	// ErrScopeExists: a scope of this name is there.
	ErrScopeExists error = &kind{"scope exists", ErrAlreadyExists}
	// ErrSnapshotExists: the snapshot's id is taken.
	ErrSnapshotExists error = &kind{"snapshot exists", ErrAlreadyExists}

	// ErrFailedPrecondition: the state does not allow the call.
	ErrFailedPrecondition error = &kind{"failed precondition", nil}
	// ErrForeignResumeToken: the resume token is of another store. Begin the watch anew.
	ErrForeignResumeToken error = &kind{"foreign resume token", ErrFailedPrecondition}
	// ErrPlanEnded: the plan in Error.Metadata["plan_id"] was completed or replaced, and does not change any more.
	ErrPlanEnded error = &kind{"plan ended", ErrFailedPrecondition}
	// ErrSchemaTooNew: a record or a snapshot was written by a newer version of the server.
	ErrSchemaTooNew error = &kind{"schema too new", ErrFailedPrecondition}
	// ErrSchemaTooOld: a record or a snapshot was written by a version whose data the server does not read.
	ErrSchemaTooOld error = &kind{"schema too old", ErrFailedPrecondition}
	// ErrScopeDisposed: the scope has ended; Error.Metadata names it by "scope_id" and "scope_name".
	ErrScopeDisposed error = &kind{"scope disposed", ErrFailedPrecondition}
	// ErrSnapshotAgentMismatch: the snapshot is of another agent.
	ErrSnapshotAgentMismatch error = &kind{"snapshot agent mismatch", ErrFailedPrecondition}
	// ErrSnapshotLocked: the snapshot is encrypted, and no key of the server opens it.
	ErrSnapshotLocked error = &kind{"snapshot locked", ErrFailedPrecondition}
	// ErrSummarizerMissing: the server has no model to sum conversations up.
	ErrSummarizerMissing error = &kind{"summarizer missing", ErrFailedPrecondition}
	// ErrURLNotAllowed: the server does not fetch this URL, or none at all. Error.Metadata has its "host", when there is
	// one.
	ErrURLNotAllowed error = &kind{"URL not allowed", ErrFailedPrecondition}

	// ErrAborted: somebody else was faster.
	ErrAborted error = &kind{"aborted", nil}
	// ErrLeaseLost: the lease of fragments is over, or was never given.
	ErrLeaseLost error = &kind{"lease lost", ErrAborted}
	// ErrReservationLost: the reservation is over, or was never given.
	ErrReservationLost error = &kind{"reservation lost", ErrAborted}
	// ErrRevisionMismatch: the expected revision does not hold. Error.Metadata has "expected_revision" and
	// "actual_revision", which is 0 when nothing is there.
	ErrRevisionMismatch error = &kind{"revision mismatch", ErrAborted}

	// ErrOutOfRange: what was asked for lies outside of what the server keeps.
	ErrOutOfRange error = &kind{"out of range", nil}
	// ErrHistoryCompacted: what memories were at that time is not known any more. Error.Metadata has "oldest_time", since
	// when it is known, in nanoseconds since the Unix epoch.
	ErrHistoryCompacted error = &kind{"history compacted", ErrOutOfRange}
	// ErrPageTokenExpired: the listing's revision is no longer kept. List again.
	ErrPageTokenExpired error = &kind{"page token expired", ErrOutOfRange}
	// ErrRevisionCompacted: the journal no longer retains the events that were asked for. Error.Metadata has
	// "oldest_revision" when one agent was asked for.
	ErrRevisionCompacted error = &kind{"revision compacted", ErrOutOfRange}
	// ErrRevisionInFuture: the revision is not reached yet.
	ErrRevisionInFuture error = &kind{"revision in future", ErrOutOfRange}

	// ErrResourceExhausted: there is no room for it.
	ErrResourceExhausted error = &kind{"resource exhausted", nil}
	// ErrLimitExceeded: a limit of the server would be exceeded. Error.Metadata has its name as "limit", such as
	// entries_per_agent, and the most that it allows as "value".
	ErrLimitExceeded error = &kind{"limit exceeded", ErrResourceExhausted}
	// ErrStorageFull: the server's disk or store has no room. Reads and watches go on.
	ErrStorageFull error = &kind{"storage full", ErrResourceExhausted}

	// ErrUnavailable: the server cannot be reached, or does not take calls now.
	ErrUnavailable error = &kind{"unavailable", nil}
	// ErrDraining: the server is about to stop.
	ErrDraining error = &kind{"draining", ErrUnavailable}
	// ErrStoreUnavailable: the server's store does not answer.
	ErrStoreUnavailable error = &kind{"store unavailable", ErrUnavailable}
	// ErrSummarizerUnavailable: the model that sums conversations up does not answer.
	ErrSummarizerUnavailable error = &kind{"summarizer unavailable", ErrUnavailable}

	// ErrDataLoss: data is damaged.
	ErrDataLoss error = &kind{"data loss", nil}
	// ErrDataDamaged: the store's data is damaged; nothing is served from it.
	ErrDataDamaged error = &kind{"data damaged", ErrDataLoss}
	// ErrHistoryLost: the store went back in time: commits that were acknowledged are gone. Error.Metadata has
	// "known_revision" and "actual_revision" where they are known.
	ErrHistoryLost error = &kind{"history lost", ErrDataLoss}
	// ErrSnapshotDamaged: the snapshot's file is damaged; nothing was changed.
	ErrSnapshotDamaged error = &kind{"snapshot damaged", ErrDataLoss}

	// ErrCancelled: the call was cancelled, by its context (then it is context.Canceled, too) or by closing the client.
	ErrCancelled error = &kind{"cancelled", nil}
	// ErrDeadlineExceeded: the call took longer than it was allowed to. A change may have happened or not. It is
	// context.DeadlineExceeded, too.
	ErrDeadlineExceeded error = &kind{"deadline exceeded", nil}
	// ErrInternal: the server has a defect, told in its log; or the answer was none that this client knows.
	ErrInternal error = &kind{"internal error", nil}
	// ErrPermissionDenied: the caller may not touch this agent.
	ErrPermissionDenied error = &kind{"permission denied", nil}
	// ErrUnauthenticated: the caller gave no token or certificate, or one that the server does not know.
	ErrUnauthenticated error = &kind{"unauthenticated", nil}
	// ErrUnimplemented: the server has no such method. It is older than this client.
	ErrUnimplemented error = &kind{"unimplemented", nil}

	// ErrInvalidTarget: the address is neither HOST:PORT nor unix:/path, or the TLS files cannot be used.
	ErrInvalidTarget error = &kind{"memoryd: invalid target", nil}
	// ErrUnsupportedValue: the value cannot be written as JSON. It wraps the error of encoding/json.
	ErrUnsupportedValue error = &kind{"memoryd: unsupported value", nil}
	// ErrWrongType: the value that was read does not fit the type that was asked for. It wraps the error of
	// encoding/json.
	ErrWrongType error = &kind{"memoryd: wrong type", nil}
)

// kind is a sort of error, and the more general sort that it belongs to, if any.
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
	"ERROR_REASON_AGENT_NOT_FOUND":         ErrAgentNotFound,
	"ERROR_REASON_SCOPE_NOT_FOUND":         ErrScopeNotFound,
	"ERROR_REASON_SNAPSHOT_NOT_FOUND":      ErrSnapshotNotFound,
	"ERROR_REASON_MEMORY_NOT_FOUND":        ErrMemoryNotFound,
	"ERROR_REASON_RECORD_NOT_FOUND":        ErrRecordNotFound,
	"ERROR_REASON_ENTRY_EXISTS":            ErrEntryExists,
	"ERROR_REASON_SCOPE_EXISTS":            ErrScopeExists,
	"ERROR_REASON_SNAPSHOT_EXISTS":         ErrSnapshotExists,
	"ERROR_REASON_MEMORY_EXISTS":           ErrMemoryExists,
	"ERROR_REASON_RECORD_EXISTS":           ErrRecordExists,
	"ERROR_REASON_SCOPE_DISPOSED":          ErrScopeDisposed,
	"ERROR_REASON_FOREIGN_RESUME_TOKEN":    ErrForeignResumeToken,
	"ERROR_REASON_SNAPSHOT_AGENT_MISMATCH": ErrSnapshotAgentMismatch,
	"ERROR_REASON_SNAPSHOT_LOCKED":         ErrSnapshotLocked,
	"ERROR_REASON_SCHEMA_TOO_NEW":          ErrSchemaTooNew,
	"ERROR_REASON_SCHEMA_TOO_OLD":          ErrSchemaTooOld,
	"ERROR_REASON_PLAN_ENDED":              ErrPlanEnded,
	"ERROR_REASON_URL_NOT_ALLOWED":         ErrURLNotAllowed,
	"ERROR_REASON_SUMMARIZER_MISSING":      ErrSummarizerMissing,
	"ERROR_REASON_REVISION_MISMATCH":       ErrRevisionMismatch,
	"ERROR_REASON_RESERVATION_LOST":        ErrReservationLost,
	"ERROR_REASON_LEASE_LOST":              ErrLeaseLost,
	"ERROR_REASON_REVISION_COMPACTED":      ErrRevisionCompacted,
	"ERROR_REASON_REVISION_IN_FUTURE":      ErrRevisionInFuture,
	"ERROR_REASON_PAGE_TOKEN_EXPIRED":      ErrPageTokenExpired,
	"ERROR_REASON_HISTORY_COMPACTED":       ErrHistoryCompacted,
	"ERROR_REASON_LIMIT_EXCEEDED":          ErrLimitExceeded,
	"ERROR_REASON_STORAGE_FULL":            ErrStorageFull,
	"ERROR_REASON_UNAUTHENTICATED":         ErrUnauthenticated,
	"ERROR_REASON_AGENT_FORBIDDEN":         ErrPermissionDenied,
	"ERROR_REASON_STORE_UNAVAILABLE":       ErrStoreUnavailable,
	"ERROR_REASON_DRAINING":                ErrDraining,
	"ERROR_REASON_SUMMARIZER_UNAVAILABLE":  ErrSummarizerUnavailable,
	"ERROR_REASON_DATA_DAMAGED":            ErrDataDamaged,
	"ERROR_REASON_SNAPSHOT_DAMAGED":        ErrSnapshotDamaged,
	"ERROR_REASON_HISTORY_LOST":            ErrHistoryLost,
	"ERROR_REASON_INTERNAL":                ErrInternal,
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
