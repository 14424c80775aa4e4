package memoryd

import (
	"errors"
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

var allOptions = []SetOption{
	WithTypeName("city"),
	WithEntryType(memorydv1.EntryType_ENTRY_TYPE_INSIGHT),
	WithImportance(0),
	WithTags("a", "b"),
	WithMetadata(map[string]any{"turn": 12, "by": []string{"me"}}),
	WithUserID("ann"),
	WithTTL(time.Minute),
	IfRevision(0),
}

func TestARequestContainsAllOptions(t *testing.T) {
	request, err := contentOf("where", "Turin", allOptions)
	if err != nil {
		t.Fatal(err)
	}
	if request.GetTypeName() != "city" || request.GetType() != memorydv1.EntryType_ENTRY_TYPE_INSIGHT ||
		request.Importance == nil || request.GetUserId() != "ann" || len(request.GetTags()) != 2 || request.GetTtl().AsDuration() != time.Minute {
		t.Errorf("it is %v", request)
	}
	if request.GetMetadata().GetFields()["turn"].GetNumberValue() != 12 ||
		request.GetMetadata().GetFields()["by"].GetListValue().GetValues()[0].GetStringValue() != "me" {
		t.Errorf("its metadata is %v", request.GetMetadata())
	}
	if _, conditional := request.GetPrecondition().GetCondition().(*memorydv1.Precondition_ExpectedRevision); !conditional {
		t.Errorf("its condition is %v", request.GetPrecondition())
	}
}

func TestTheLastOfManyExpiriesAndConditionsApplies(t *testing.T) {
	request, err := contentOf("k", 1, []SetOption{
		IfAbsent(), IfPresent(), IfRevision(7), WithTTL(time.Minute), WithExpireTime(noon), WithExpiryDays(3),
	})
	if err != nil {
		t.Fatal(err)
	}
	if request.GetTtl().AsDuration() != 72*time.Hour || request.GetPrecondition().GetExpectedRevision() != 7 {
		t.Errorf("it is %v", request)
	}
}

func TestTooManyDaysAreNotAShorterTime(t *testing.T) {
	request, err := contentOf("k", 1, []SetOption{WithExpiryDays(math.MaxInt32)})
	if seconds := request.GetTtl().GetSeconds(); err != nil || seconds != math.MaxInt32*86_400 {
		t.Errorf("they are %d s, %v", seconds, err)
	}
}

func TestMetadataThatJSONCannotRepresentIsUnsupported(t *testing.T) {
	_, err := contentOf("k", 1, []SetOption{WithMetadata(map[string]any{"never": make(chan int)})})
	if !errors.Is(err, ErrUnsupportedValue) {
		t.Errorf("it is %v", err)
	}
}

func TestAnOperationOfABatchHasTheFieldsOfASet(t *testing.T) {
	request, err := contentOf("where", "Turin", allOptions)
	if err != nil {
		t.Fatal(err)
	}
	var batch Batch
	batch.Set("where", "Turin", allOptions...)
	operation := batch.operations[0].GetSet()
	if operation.GetKey() != "where" || operation.GetValueJson() != `"Turin"` || operation.GetTypeName() != "city" ||
		operation.Importance == nil || operation.GetUserId() != "ann" || operation.GetType() != request.GetType() || operation.GetTtl().AsDuration() != time.Minute ||
		!proto.Equal(operation.GetMetadata(), request.GetMetadata()) ||
		!proto.Equal(operation.GetPrecondition(), request.GetPrecondition()) {
		t.Errorf("it is %v", operation)
	}
}

func TestABatchWithAnUnsupportedValueIsNotWritten(t *testing.T) {
	var batch Batch
	batch.Set("k", make(chan int))
	batch.Remove("k")
	_, err := startFakeDaemon(t).connect(t).Agent("a").Write(t.Context(), &batch)
	if !errors.Is(err, ErrUnsupportedValue) {
		t.Errorf("it is %v", err)
	}
}
