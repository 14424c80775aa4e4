package memoryd

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestEveryReasonHasAKind(t *testing.T) {
	for number, reason := range memorydv1.ErrorReason_name {
		if _, known := kindByReason[reason]; known != (number != 0) {
			t.Errorf("%s has a kind: %v", reason, known)
		}
	}
	if len(kindByReason) != len(memorydv1.ErrorReason_name)-1 {
		t.Error("there is a kind for an unknown reason")
	}
}

func TestEveryStatusCodeHasAKind(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		if _, known := kindByCode[code]; !known {
			t.Errorf("%v has no kind", code)
		}
	}
	if kindOf(codes.Code(99), "") != ErrInternal {
		t.Error("an unknown status code is not internal")
	}
}

func TestASpecificErrorAlsoMatchesItsGeneralKind(t *testing.T) {
	err := errorFrom(status.Convert(refusal(codes.Aborted, "ERROR_REASON_REVISION_MISMATCH")), "")
	if !errors.Is(err, ErrRevisionMismatch) || !errors.Is(err, ErrAborted) {
		t.Errorf("%v does not match", err)
	}
	if errors.Is(err, ErrReservationLost) || errors.Is(err, ErrUnavailable) {
		t.Errorf("%v matches another kind", err)
	}
}

func TestTheErrorOfAnUnknownReasonIsThatOfItsStatusCode(t *testing.T) {
	err := errorFrom(status.Convert(refusal(codes.NotFound, "ERROR_REASON_OF_TOMORROW")), "")
	if !errors.Is(err, ErrNotFound) || err.Reason != "ERROR_REASON_OF_TOMORROW" {
		t.Errorf("it is %v with reason %s", err, err.Reason)
	}
}

func TestAnErrorContainsItsDetails(t *testing.T) {
	refused, err := status.New(codes.InvalidArgument, "key: blank").WithDetails(
		&errdetails.ErrorInfo{
			Domain:   "memoryd",
			Reason:   "ERROR_REASON_INVALID_FIELD",
			Metadata: map[string]string{"field": "key", "actual_revision": "12"},
		},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "key", Description: "must not be blank"},
		}},
		retryAfter(1500*time.Millisecond).(*errdetails.RetryInfo),
	)
	if err != nil {
		t.Fatal(err)
	}
	var failed *Error
	if !errors.As(error(errorFrom(refused, "")), &failed) {
		t.Fatal("it is not an Error")
	}
	if failed.Fields["key"] != "must not be blank" || failed.Metadata["field"] != "key" {
		t.Errorf("fields %v, metadata %v", failed.Fields, failed.Metadata)
	}
	if failed.RetryDelay != 1500*time.Millisecond || failed.Code != codes.InvalidArgument {
		t.Errorf("retry delay %v, code %v", failed.RetryDelay, failed.Code)
	}
	if revision, known := failed.Int("actual_revision"); !known || revision != 12 {
		t.Errorf("actual revision %d, %v", revision, known)
	}
	if _, known := failed.Int("field"); known {
		t.Error("a word is a number")
	}
	if status.Code(failed) != codes.InvalidArgument {
		t.Errorf("gRPC reads %v", status.Code(failed))
	}
}

func TestATimeInTheMetadataIsRead(t *testing.T) {
	failed := &Error{Metadata: map[string]string{"oldest_time": "2023-11-14T22:13:20.000001Z", "host": "h"}}
	oldest, known := failed.Time("oldest_time")
	if !known || !oldest.Equal(time.Unix(1_700_000_000, 1_000)) {
		t.Errorf("it is %v, %v", oldest, known)
	}
	for _, name := range []string{"host", "lost"} {
		if _, known := failed.Time(name); known {
			t.Errorf("%s is a time", name)
		}
	}
}

func TestAReasonOfAnotherDomainIsIgnored(t *testing.T) {
	refused, err := status.New(codes.NotFound, "?").WithDetails(
		&errdetails.ErrorInfo{Domain: "elsewhere", Reason: "ERROR_REASON_RECORD_NOT_FOUND"})
	if err != nil {
		t.Fatal(err)
	}
	if failed := errorFrom(refused, ""); failed.Reason != "" || errors.Is(failed, ErrRecordNotFound) {
		t.Errorf("it is %v with reason %s", failed, failed.Reason)
	}
}

func TestADetailThatCannotBeDecodedNeverHidesTheStatusCode(t *testing.T) {
	refused := status.FromProto(&spb.Status{
		Code:    int32(codes.Aborted),
		Message: "lost",
		Details: []*anypb.Any{
			{TypeUrl: "type.googleapis.com/google.rpc.ErrorInfo", Value: []byte{0xff, 0xff}},
			{TypeUrl: "type.googleapis.com/memoryd.v1.Unheard"},
		},
	})
	failed := errorFrom(refused, "")
	if failed.Code != codes.Aborted || !errors.Is(failed, ErrAborted) || failed.Message != "lost" {
		t.Errorf("it is %v", failed)
	}
}

func TestTheErrorsOfAContextMatchThoseOfPackageContext(t *testing.T) {
	cancelled := errorFrom(status.New(codes.Canceled, ""), "")
	if !errors.Is(cancelled, context.Canceled) || !errors.Is(cancelled, ErrCancelled) {
		t.Errorf("%v is not cancelled", cancelled)
	}
	late := errorFrom(status.New(codes.DeadlineExceeded, ""), "")
	if !errors.Is(late, context.DeadlineExceeded) || errors.Is(late, context.Canceled) {
		t.Errorf("%v is not late", late)
	}
}

func TestTheErrorOfAnUnavailableDaemonContainsItsAddress(t *testing.T) {
	failed := errorFrom(status.New(codes.Unavailable, "refused"), "127.0.0.1:1")
	if expected := "memoryd: unavailable: no answer from memoryd at 127.0.0.1:1: refused"; failed.Error() != expected {
		t.Errorf("it is %q", failed.Error())
	}
}
