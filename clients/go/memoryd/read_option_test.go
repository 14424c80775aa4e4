package memoryd

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestAllReadsCarryTheirConsistency(t *testing.T) {
	expected := &memorydv1.Consistency{
		Requirement: &memorydv1.Consistency_MaxStaleness{MaxStaleness: durationpb.New(time.Minute)},
	}
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	stale := WithMaxStaleness(time.Minute)
	_, _, _ = agent.GetEntry(t.Context(), "k", WithMinRevision(7), stale)
	_, _ = agent.Contains(t.Context(), "k", WithMinRevision(7), stale)
	_, _ = GetMany[int](t.Context(), agent, []string{"k"}, WithMinRevision(7), stale)
	for range agent.Entries(t.Context(), WithMinRevision(7), stale) {
	}
	for _, found := range []*memorydv1.Consistency{
		requestOf[*memorydv1.GetEntryRequest](t, daemon).GetConsistency(),
		requestOf[*memorydv1.ContainsEntryRequest](t, daemon).GetConsistency(),
		requestOf[*memorydv1.BatchGetEntriesRequest](t, daemon).GetConsistency(),
		requestOf[*memorydv1.ListEntriesRequest](t, daemon).GetConsistency(),
	} {
		if !proto.Equal(found, expected) {
			t.Errorf("it is %v", found)
		}
	}
}

func TestAListingCarriesItsFiltersOrderAndView(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	for range agent.Attach("s").Entries(
		t.Context(), Inherited(), WithKeyPrefix("k"), WithAllTags("x"), WithAnyTags("y", "z"), AboutUsers(""),
		OfTypes(memorydv1.EntryType_ENTRY_TYPE_EVENT), OrderedBy(memorydv1.ListOrder_LIST_ORDER_CREATE_TIME), WithoutContent(),
	) {
	}
	expected := &memorydv1.ListEntriesRequest{
		AgentId:          "a",
		PageSize:         pageSize,
		Order:            memorydv1.ListOrder_LIST_ORDER_CREATE_TIME,
		View:             memorydv1.RecordView_RECORD_VIEW_WITHOUT_CONTENT,
		ScopeId:          "s",
		IncludeInherited: true,
		Filter: &memorydv1.RecordFilter{
			UserIds: []string{""},
			AllTags: []string{"x"},
			AnyTags: []string{"y", "z"},
			Kind: &memorydv1.RecordFilter_Entry{Entry: &memorydv1.EntryCondition{
				KeyPrefixes: []string{"k"},
				Types:       []memorydv1.EntryType{memorydv1.EntryType_ENTRY_TYPE_EVENT},
			}},
		},
	}
	if found := requestOf[*memorydv1.ListEntriesRequest](t, daemon); !proto.Equal(found, expected) {
		t.Errorf("it is %v", found)
	}
}

func TestSelectionsCombine(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	byName := &memorydv1.RecordFilter{Ids: []string{"k"}, AllTags: []string{"y"}, Kind: &memorydv1.RecordFilter_Entry{
		Entry: &memorydv1.EntryCondition{MinImportance: 0.5},
	}}
	expected := &memorydv1.RecordFilter{
		Ids: []string{"k"}, UserIds: []string{"ann"}, AllTags: []string{"x", "y"},
		Kind: &memorydv1.RecordFilter_Entry{Entry: &memorydv1.EntryCondition{
			MinImportance: 0.5, Types: []memorydv1.EntryType{memorydv1.EntryType_ENTRY_TYPE_EVENT},
		}},
	}
	ofType := OfTypes(memorydv1.EntryType_ENTRY_TYPE_EVENT)
	for _, options := range [][]ListOption{
		{WithAllTags("x"), Where(byName), AboutUsers("ann"), ofType},
		{ofType, AboutUsers("ann"), WithAllTags("x"), Where(byName)},
	} {
		for range agent.Entries(t.Context(), options...) {
		}
		if found := requestOf[*memorydv1.ListEntriesRequest](t, daemon).GetFilter(); !proto.Equal(found, expected) {
			t.Errorf("it is %v", found)
		}
	}
	if len(byName.GetAllTags()) != 1 {
		t.Errorf("the given filter became %v", byName)
	}
}

func TestSelectionsThatWouldSelectMoreAreRefused(t *testing.T) {
	agent := startRecordingDaemon(t, nil).connect(t).Agent("a")
	for _, options := range [][]ListOption{
		{WithAnyTags("x"), WithAnyTags("y")},
		{AboutUsers("ann"), AboutUsers("bob")},
		{AboutUsers("ann"), AboutAllUsers()},
		{AboutAllUsers(), Where(&memorydv1.RecordFilter{UserIds: []string{"ann"}})},
		{WithKeyPrefix("a"), WithKeyPrefix("b")},
		{WithKeyPrefix("a"), Where(&memorydv1.RecordFilter{Kind: &memorydv1.RecordFilter_Note{}})},
		{WithAnyTags()},
		{AboutUsers()},
		{OfTypes()},
	} {
		var failed error
		for _, err := range agent.Entries(t.Context(), options...) {
			failed = err
		}
		if !errors.Is(failed, ErrInvalidArgument) {
			t.Errorf("%v fails with %v", options, failed)
		}
	}
	for _, options := range [][]WatchOption{
		{OfEvents()}, {OfKinds()}, {OfCauses()}, {InConversations()}, {AboutUsers()},
		{AboutUsers("ann"), OfRecords(&memorydv1.RecordFilter{UserIds: []string{"bob"}})},
		{AboutUsers("ann"), OfRecords(&memorydv1.RecordFilter{AllUsers: true})},
		{WithKeyPrefix("a"), WithKeyPrefix("b")},
	} {
		if _, err := agent.Watch(t.Context(), options...); !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("%v fails with %v", options, err)
		}
	}
}
