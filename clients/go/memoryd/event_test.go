package memoryd

import (
	"encoding/json"
	"errors"
	"testing"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestAnEntryEventHasTheValuesBeforeAndAfter(t *testing.T) {
	event := &memorydv1.EntryEvent{
		Key:      "visits",
		Entry:    &memorydv1.Entry{Key: "visits", ValueJson: "2"},
		Previous: &memorydv1.Entry{Key: "visits", ValueJson: "1"},
	}
	if after, found, err := ValueAfter[int](event); after != 2 || !found || err != nil {
		t.Errorf("after it is %d, %v, %v", after, found, err)
	}
	if before, found, err := ValueBefore[json.RawMessage](event); string(before) != "1" || !found || err != nil {
		t.Errorf("before it was %s, %v, %v", before, found, err)
	}
}

func TestAnEntryWithoutContentHasNoValue(t *testing.T) {
	for _, event := range []*memorydv1.EntryEvent{nil, {Key: "removed"}, {Entry: &memorydv1.Entry{Key: "without content"}}} {
		if after, found, err := ValueAfter[string](event); after != "" || found || err != nil {
			t.Errorf("after %v it is %q, %v, %v", event, after, found, err)
		}
		if before, found, err := ValueBefore[string](event); before != "" || found || err != nil {
			t.Errorf("before %v it was %q, %v, %v", event, before, found, err)
		}
	}
}

func TestAnEntryOfAnotherTypeIsAnErrWrongType(t *testing.T) {
	event := &memorydv1.EntryEvent{Entry: &memorydv1.Entry{Key: "mood", ValueJson: `"curious"`}}
	if _, found, err := ValueAfter[int](event); found || !errors.Is(err, ErrWrongType) {
		t.Errorf("it is %v, %v", found, err)
	}
}

func TestNumbersOfRecordsAreByKind(t *testing.T) {
	counts := CountsByKind([]*memorydv1.RecordCount{
		{Kind: memorydv1.RecordKind_RECORD_KIND_ENTRY, Count: 3},
		{Kind: memorydv1.RecordKind_RECORD_KIND_NOTE, Count: 1},
	})
	if len(counts) != 2 || counts[memorydv1.RecordKind_RECORD_KIND_ENTRY] != 3 ||
		counts[memorydv1.RecordKind_RECORD_KIND_NOTE] != 1 || counts[memorydv1.RecordKind_RECORD_KIND_PLAN] != 0 {
		t.Errorf("they are %v", counts)
	}
}
