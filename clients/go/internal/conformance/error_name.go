package main

import (
	"errors"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

// names are the errors' names in clients/README.md, specific kinds before general ones.
var names = []struct {
	kind error
	name string
}{
	{memoryd.ErrDocumentUnreadable, "DocumentUnreadable"},
	{memoryd.ErrInvalidPageToken, "InvalidPageToken"},
	{memoryd.ErrInvalidResumeToken, "InvalidResumeToken"},
	{memoryd.ErrRequestIDReused, "RequestIdReused"},
	{memoryd.ErrTooLarge, "TooLarge"},
	{memoryd.ErrInvalidArgument, "InvalidArgument"},
	{memoryd.ErrAgentNotFound, "AgentNotFound"},
	{memoryd.ErrOperationNotFound, "OperationNotFound"},
	{memoryd.ErrRecordNotFound, "RecordNotFound"},
	{memoryd.ErrSnapshotNotFound, "SnapshotNotFound"},
	{memoryd.ErrNotFound, "NotFound"},
	{memoryd.ErrOperationExists, "OperationExists"},
	{memoryd.ErrRecordExists, "RecordExists"},
	{memoryd.ErrSnapshotExists, "SnapshotExists"},
	{memoryd.ErrAlreadyExists, "AlreadyExists"},
	{memoryd.ErrAuditOff, "AuditOff"},
	{memoryd.ErrForeignResumeToken, "ForeignResumeToken"},
	{memoryd.ErrPlanEnded, "PlanEnded"},
	{memoryd.ErrSchemaTooNew, "SchemaTooNew"},
	{memoryd.ErrSchemaTooOld, "SchemaTooOld"},
	{memoryd.ErrScopeDisposed, "ScopeDisposed"},
	{memoryd.ErrSnapshotAgentMismatch, "SnapshotAgentMismatch"},
	{memoryd.ErrSnapshotLocked, "SnapshotLocked"},
	{memoryd.ErrSummarizerMissing, "SummarizerMissing"},
	{memoryd.ErrFeatureNotInTier, "FeatureNotInTier"},
	{memoryd.ErrURLNotAllowed, "UrlNotAllowed"},
	{memoryd.ErrVersionUnsupported, "VersionUnsupported"},
	{memoryd.ErrFailedPrecondition, "FailedPrecondition"},
	{memoryd.ErrLeaseLost, "LeaseLost"},
	{memoryd.ErrReservationLost, "ReservationLost"},
	{memoryd.ErrRevisionMismatch, "RevisionMismatch"},
	{memoryd.ErrAborted, "Aborted"},
	{memoryd.ErrHistoryCompacted, "HistoryCompacted"},
	{memoryd.ErrPageTokenExpired, "PageTokenExpired"},
	{memoryd.ErrRevisionCompacted, "RevisionCompacted"},
	{memoryd.ErrRevisionInFuture, "RevisionInFuture"},
	{memoryd.ErrOutOfRange, "OutOfRange"},
	{memoryd.ErrOverloaded, "Overloaded"},
	{memoryd.ErrQuotaExceeded, "QuotaExceeded"},
	{memoryd.ErrStorageFull, "StorageFull"},
	{memoryd.ErrResourceExhausted, "ResourceExhausted"},
	{memoryd.ErrDraining, "Draining"},
	{memoryd.ErrProposerUnavailable, "ProposerUnavailable"},
	{memoryd.ErrStoreUnavailable, "StoreUnavailable"},
	{memoryd.ErrSummarizerUnavailable, "SummarizerUnavailable"},
	{memoryd.ErrURLUnreachable, "UrlUnreachable"},
	{memoryd.ErrUnavailable, "Unavailable"},
	{memoryd.ErrDataDamaged, "DataDamaged"},
	{memoryd.ErrHistoryLost, "HistoryLost"},
	{memoryd.ErrSnapshotDamaged, "SnapshotDamaged"},
	{memoryd.ErrDataLoss, "DataLoss"},
	{memoryd.ErrCancelled, "Cancelled"},
	{memoryd.ErrDeadlineExceeded, "DeadlineExceeded"},
	{memoryd.ErrInternal, "InternalError"},
	{memoryd.ErrPermissionDenied, "PermissionDenied"},
	{memoryd.ErrUnauthenticated, "Unauthenticated"},
	{memoryd.ErrUnimplemented, "Unimplemented"},
	{memoryd.ErrInvalidTarget, "InvalidTarget"},
	{memoryd.ErrUnsupportedValue, "UnsupportedValue"},
	{memoryd.ErrWrongType, "WrongType"},
}

// describe returns the reply for an error.
func describe(err error) answers {
	reply := answers{"type": "Other", "code": "", "reason": "", "message": err.Error()}
	for _, known := range names {
		if errors.Is(err, known.kind) {
			reply["type"] = known.name
			break
		}
	}
	var failed *memoryd.Error
	if errors.As(err, &failed) {
		reply["code"] = code.Code(failed.Code).String()
		reply["reason"] = failed.Reason
		reply["message"] = failed.Message
	}
	return reply
}
