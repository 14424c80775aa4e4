package memoryd

import (
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

func TestTheLastSelectionOfUsersApplies(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	for _, each := range []struct {
		options  []ListOption
		expected *memorydv1.RecordFilter
	}{
		{[]ListOption{AboutUsers("ann", "bob")}, &memorydv1.RecordFilter{UserIds: []string{"ann", "bob"}}},
		{[]ListOption{AboutUsers("ann"), AboutAllUsers()}, &memorydv1.RecordFilter{AllUsers: true}},
		{[]ListOption{AboutAllUsers(), AboutUsers("ann")}, &memorydv1.RecordFilter{UserIds: []string{"ann"}}},
		{[]ListOption{AboutUsers("ann"), Where(&memorydv1.RecordFilter{Ids: []string{"k"}})}, &memorydv1.RecordFilter{Ids: []string{"k"}}},
	} {
		for range agent.Entries(t.Context(), each.options...) {
		}
		if found := requestOf[*memorydv1.ListEntriesRequest](t, daemon).GetFilter(); !proto.Equal(found, each.expected) {
			t.Errorf("it is %v", found)
		}
	}
}

func TestAFilterOfTheCallerIsNotChanged(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	given := &memorydv1.RecordFilter{Ids: []string{"k"}}
	for range daemon.connect(t).Agent("a").Entries(t.Context(), Where(given), AboutUsers("ann"), WithKeyPrefix("k")) {
	}
	if !proto.Equal(given, &memorydv1.RecordFilter{Ids: []string{"k"}}) {
		t.Errorf("it is %v", given)
	}
}
