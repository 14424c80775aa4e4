package memoryd

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const errorDomain = "memoryd"

// Error is a call that the daemon refused, or that never reached it. Use errors.Is with ErrRevisionMismatch and the
// like to tell errors apart, and errors.As with *Error for the particulars.
type Error struct {
	// Code is the status of the call.
	Code codes.Code
	// Message is for people.
	Message string
	// Reason is the name of a memorydv1.ErrorReason, such as ERROR_REASON_SCOPE_DISPOSED. Empty when the daemon gave
	// none.
	Reason string
	// Metadata has the particulars that the comment of the reason lists.
	Metadata map[string]string
	// Fields tells for each bad field of the request what is wrong with it.
	Fields map[string]string
	// RetryDelay is after which time the daemon wants to be asked again. 0 when it said nothing.
	RetryDelay time.Duration

	status *status.Status
}

// Error says what went wrong.
func (e *Error) Error() string {
	return "memoryd: " + kindOf(e.Code, e.Reason).Error() + ": " + e.Message
}

// Unwrap returns what sort of error it is: ErrRevisionMismatch or the like.
func (e *Error) Unwrap() error {
	return kindOf(e.Code, e.Reason)
}

// Is makes the errors of a context that ended a call known by their own names, too.
func (e *Error) Is(target error) bool {
	return e.Code == codes.Canceled && target == context.Canceled ||
		e.Code == codes.DeadlineExceeded && target == context.DeadlineExceeded
}

// Int returns a number of the metadata, such as "actual_revision", and whether it is there.
func (e *Error) Int(name string) (int64, bool) {
	number, err := strconv.ParseInt(e.Metadata[name], 10, 64)
	return number, err == nil
}

// GRPCStatus returns the status of the call, for package google.golang.org/grpc/status.
func (e *Error) GRPCStatus() *status.Status {
	return e.status
}

// errorFrom returns the error for the status of a call to the target.
func errorFrom(answered *status.Status, target string) *Error {
	failed := &Error{Code: answered.Code(), Message: answered.Message(), status: answered}
	// A detail that cannot be read is an error in this list, and is passed over: the status code still tells enough.
	for _, detail := range answered.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == errorDomain {
				failed.Reason = detail.GetReason()
				failed.Metadata = detail.GetMetadata()
			}
		case *errdetails.BadRequest:
			failed.Fields = map[string]string{}
			for _, violation := range detail.GetFieldViolations() {
				failed.Fields[violation.GetField()] = violation.GetDescription()
			}
		case *errdetails.RetryInfo:
			failed.RetryDelay = detail.GetRetryDelay().AsDuration()
		}
	}
	if failed.Code == codes.Unavailable && failed.Reason == "" {
		failed.Message = "no answer from " + target + ": " + failed.Message
	}
	return failed
}
