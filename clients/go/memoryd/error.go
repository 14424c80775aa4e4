package memoryd

import (
	"context"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const errorDomain = "memoryd"

// Error is the error of a call that the daemon refused, or that never reached it. Use errors.Is with
// ErrRevisionMismatch and its siblings to distinguish errors, and errors.As with *Error to get the details.
type Error struct {
	// Code is the status of the call.
	Code codes.Code
	// Message is a description for people.
	Message string
	// Reason is the name of a memorydv1.ErrorReason, such as ERROR_REASON_SCOPE_DISPOSED. It is empty if the daemon
	// sent none.
	Reason string
	// Metadata contains the details that the comment of the reason lists.
	Metadata map[string]string
	// Fields maps each invalid field of the request to what is wrong with it.
	Fields map[string]string
	// RetryDelay is the time to wait before a retry, as the daemon requests it. It is 0 if the daemon sent none.
	RetryDelay time.Duration

	status *status.Status
}

// Error returns the kind of the error and its message.
func (e *Error) Error() string {
	return "memoryd: " + kindOf(e.Code, e.Reason).Error() + ": " + e.Message
}

// Unwrap returns the kind of the error, such as ErrRevisionMismatch.
func (e *Error) Unwrap() error {
	return kindOf(e.Code, e.Reason)
}

// Is makes the error match context.Canceled or context.DeadlineExceeded if its code is the equivalent one.
func (e *Error) Is(target error) bool {
	return e.Code == codes.Canceled && target == context.Canceled ||
		e.Code == codes.DeadlineExceeded && target == context.DeadlineExceeded
}

// Int returns a number in the metadata, such as "actual_revision", and whether it exists.
func (e *Error) Int(name string) (int64, bool) {
	number, err := strconv.ParseInt(e.Metadata[name], 10, 64)
	return number, err == nil
}

// Time returns a time in the metadata, such as "oldest_time", and whether it exists.
func (e *Error) Time(name string) (time.Time, bool) {
	found, err := time.Parse(time.RFC3339Nano, e.Metadata[name])
	return found, err == nil
}

// GRPCStatus returns the status of the call, for package google.golang.org/grpc/status.
func (e *Error) GRPCStatus() *status.Status {
	return e.status
}

// errorFrom converts the status of a call to the target into an error.
func errorFrom(answered *status.Status, target string) *Error {
	failed := &Error{Code: answered.Code(), Message: answered.Message(), status: answered}
	// A detail that cannot be decoded is an error in this list, and is ignored: it must not hide the status code.
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
		failed.Message = "no answer from memoryd at " + target + ": " + causeOf(failed.Message)
	}
	return failed
}

// causes are words for the usual causes of broken connections, by a part of gRPC's text in lower case.
var causes = []struct{ part, words string }{
	{"connection refused", "nothing listens there"},
	{"no such file", "there is no such socket"},
	{"permission denied", "this user may not open the socket"},
	{"no such host", "there is no host of this name"},
	{"produced zero addresses", "there is no host of this name"},
	{"certificate", "the certificate was not accepted"},
	{"handshake", "the TLS handshake failed"},
	{"timeout", "there was no connection in time"},
	{"reset by peer", "the connection was cut"},
	{"eof", "the connection was cut"},
}

func causeOf(text string) string {
	lower := strings.ToLower(text)
	for _, each := range causes {
		if strings.Contains(lower, each.part) {
			return each.words
		}
	}
	return text
}
