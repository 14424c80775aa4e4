package memoryd_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

type person struct {
	Name   string   `json:"name"`
	Visits int64    `json:"visits"`
	Likes  []string `json:"likes"`
}

func TestAValueComesBackAsItWasSet(t *testing.T) {
	agent := liveAgent(t)
	ada := person{"Ada", 9223372036854775807, []string{"chess", "<tea> 🫖"}}
	set(t, agent, "user", ada)
	if found := get[person](t, agent, "user"); !reflect.DeepEqual(found, ada) {
		t.Errorf("it is %v", found)
	}
	if found := get[map[string]any](t, agent, "user"); found["visits"] != json.Number("9223372036854775807") {
		t.Errorf("it is %v", found)
	}
}

func TestAMissingKeyIsNotFoundAndNoError(t *testing.T) {
	agent := liveAgent(t)
	value, found, err := memoryd.Get[int](t.Context(), agent, "nothing")
	if value != 0 || found || err != nil {
		t.Errorf("it is %d, %v, %v", value, found, err)
	}
	entry, found, err := agent.GetEntry(t.Context(), "nothing")
	if entry != nil || found || err != nil {
		t.Errorf("its entry is %v, %v, %v", entry, found, err)
	}
	if contained, err := agent.Contains(t.Context(), "nothing"); contained || err != nil {
		t.Errorf("it is contained: %v, %v", contained, err)
	}
}

func TestJSONTextStaysByteForByte(t *testing.T) {
	agent := liveAgent(t)
	const text = ` { "b" : 1.50,  "a": "\u0041\/" } `
	set(t, agent, "k", json.RawMessage(text))
	if found := get[json.RawMessage](t, agent, "k"); string(found) != text {
		t.Errorf("it is %q", found)
	}
	entry, _, err := agent.GetEntry(t.Context(), "k")
	if err != nil || entry.GetValueJson() != text {
		t.Errorf("it is %q, %v", entry.GetValueJson(), err)
	}
}

func TestAValueOfAnotherTypeIsAnError(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "mood", "curious")
	if _, found, err := memoryd.Get[int](t.Context(), agent, "mood"); found || !errors.Is(err, memoryd.ErrWrongType) {
		t.Errorf("it is found: %v, %v", found, err)
	}
}

func TestAnEntryHasAllAttributesThatWereSet(t *testing.T) {
	agent := liveAgent(t)
	revision := set(t, agent, "mood", "curious",
		memoryd.WithEntryType(memorydv1.EntryType_ENTRY_TYPE_INSIGHT),
		memoryd.WithImportance(0.8),
		memoryd.WithUserID("ann"),
		memoryd.WithTags("user", "today"),
		memoryd.WithMetadata(map[string]any{"turn": 12}),
		memoryd.WithTypeName("mood"),
		memoryd.WithTTL(8*time.Hour))
	entry, found, err := agent.GetEntry(t.Context(), "mood")
	if err != nil || !found {
		t.Fatal(found, err)
	}
	if entry.GetType() != memorydv1.EntryType_ENTRY_TYPE_INSIGHT || entry.GetImportance() != 0.8 ||
		entry.GetUserId() != "ann" ||
		!slices.Equal(entry.GetTags(), []string{"user", "today"}) || entry.GetTypeName() != "mood" ||
		entry.GetMetadata().AsMap()["turn"] != 12.0 || entry.GetRevision() != revision {
		t.Errorf("it is %v", entry)
	}
	if left := time.Until(entry.GetExpireTime().AsTime()); left < 7*time.Hour || left > 9*time.Hour {
		t.Errorf("it has %v left", left)
	}
}

func TestAConditionalSetRefusesTheLaterWriter(t *testing.T) {
	agent := liveAgent(t)
	revision := set(t, agent, "plan", "first", memoryd.IfAbsent())
	_, err := agent.Set(t.Context(), "plan", "late", memoryd.IfAbsent())
	if !errors.Is(err, memoryd.ErrRecordExists) || !errors.Is(err, memoryd.ErrAlreadyExists) {
		t.Errorf("it is %v", err)
	}
	_, err = agent.Set(t.Context(), "plan", "late", memoryd.IfRevision(revision+7))
	var failed *memoryd.Error
	if !errors.Is(err, memoryd.ErrRevisionMismatch) || !errors.As(err, &failed) {
		t.Fatalf("it is %v", err)
	}
	if actual, known := failed.Int("actual_revision"); !known || actual != revision {
		t.Errorf("the actual revision is %d, %v", actual, known)
	}
	set(t, agent, "plan", "next", memoryd.IfRevision(revision))
}

func TestSetReturnsTheEntryWithoutItsContent(t *testing.T) {
	agent := liveAgent(t)
	first, err := agent.Set(t.Context(), "k", 1, memoryd.WithTags("x"), memoryd.WithUserID("ann"))
	if err != nil || !first.GetCreated() {
		t.Fatal(first, err)
	}
	second := must[*memorydv1.SetEntryResponse](t)(agent.Set(t.Context(), "k", 2, memoryd.WithTags("x")))
	entry := second.GetEntry()
	if second.GetCreated() || entry.GetEntryId() != first.GetEntry().GetEntryId() || entry.GetRevision() != 2 ||
		entry.GetValueJson() != "" || entry.GetTypeName() != "" || entry.GetTags() != nil || entry.GetMetadata() != nil {
		t.Errorf("it is %v", second)
	}
	if first.GetEntry().GetUserId() != "ann" || entry.GetUserId() != "" {
		t.Errorf("they are about %q and %q", first.GetEntry().GetUserId(), entry.GetUserId())
	}
}

func TestAChangeThatNeedsAnEntryIsRefusedWithoutOne(t *testing.T) {
	agent := liveAgent(t)
	_, err := agent.Set(t.Context(), "k", 1, memoryd.IfPresent())
	if !errors.Is(err, memoryd.ErrRecordNotFound) || !errors.Is(err, memoryd.ErrNotFound) {
		t.Errorf("it is %v", err)
	}
	if _, err := agent.Remove(t.Context(), "k", memoryd.IfPresent()); !errors.Is(err, memoryd.ErrRecordNotFound) {
		t.Errorf("it is %v", err)
	}
	set(t, agent, "k", 1)
	if _, err := agent.Remove(t.Context(), "k", memoryd.IfAbsent()); !errors.Is(err, memoryd.ErrRecordExists) {
		t.Errorf("it is %v", err)
	}
	set(t, agent, "k", 2, memoryd.IfPresent())
	if !must[bool](t)(agent.Remove(t.Context(), "k", memoryd.IfPresent())) {
		t.Error("it was not removed")
	}
}

func TestAConditionOnClearIsAboutTheAgent(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "a", 1)
	revision := set(t, agent, "b", 2)
	if _, err := agent.Clear(t.Context(), memoryd.IfRevision(revision-1)); !errors.Is(err, memoryd.ErrRevisionMismatch) {
		t.Errorf("it is %v", err)
	}
	if cleared := must[int64](t)(agent.Clear(t.Context(), memoryd.IfRevision(revision))); cleared != 2 {
		t.Errorf("%d entries were cleared", cleared)
	}
}

func TestAnInvalidKeyIsNamedInTheError(t *testing.T) {
	_, err := liveAgent(t).Set(t.Context(), " ", 1)
	var failed *memoryd.Error
	if !errors.Is(err, memoryd.ErrInvalidArgument) || !errors.As(err, &failed) || failed.Fields["key"] == "" {
		t.Errorf("it is %v", err)
	}
}

func TestAnExceededLimitIsNamedInTheError(t *testing.T) {
	_, err := liveAgent(t).Set(t.Context(), "k", strings.Repeat("x", 1_100_000))
	var failed *memoryd.Error
	if !errors.Is(err, memoryd.ErrTooLarge) || !errors.As(err, &failed) || failed.Metadata["limit"] == "" {
		t.Fatalf("it is %v", err)
	}
	if maximum, known := failed.Int("value"); !known || maximum != 1<<20 {
		t.Errorf("the maximum is %d, %v", maximum, known)
	}
}

func TestRemoveAndClearReturnWhatTheyRemoved(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "a", 1)
	set(t, agent, "b", 2)
	if !must[bool](t)(agent.Remove(t.Context(), "a")) || must[bool](t)(agent.Remove(t.Context(), "a")) {
		t.Error("it was removed twice, or never")
	}
	if cleared := must[int64](t)(agent.Clear(t.Context())); cleared != 1 {
		t.Errorf("%d entries were cleared", cleared)
	}
}

func TestManyKeysAreReadAtOnce(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "a", 1)
	set(t, agent, "b", 2)
	values, err := memoryd.GetMany[int](t.Context(), agent, []string{"a", "missing", "b"})
	if expected := map[string]int{"a": 1, "b": 2}; err != nil || !reflect.DeepEqual(values, expected) {
		t.Errorf("they are %v, %v", values, err)
	}
}

func TestABatchIsWrittenAtOneRevisionOrNotAtAll(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "old", 0)
	var batch memoryd.Batch
	batch.Set("a", 1, memoryd.WithTags("new"))
	batch.Set("b", 2, memoryd.IfAbsent())
	batch.Remove("old")
	written := must[*memorydv1.BatchWriteEntriesResponse](t)(agent.Write(t.Context(), &batch))
	results := written.GetResults()
	if written.GetRevision() != 2 || !results[0].GetCreated() || results[0].GetEntryId() == "" ||
		results[0].GetDeleted() || !results[2].GetDeleted() || results[2].GetCreated() {
		t.Errorf("it has written %v", written)
	}
	_, err := agent.Write(t.Context(), &batch)
	if !errors.Is(err, memoryd.ErrRecordExists) {
		t.Errorf("it is %v", err)
	}
	if found := get[int](t, agent, "a"); found != 1 {
		t.Errorf("it is %d", found)
	}
}

func TestAnEmptyBatchIsNotSent(t *testing.T) {
	client, err := memoryd.NewClient("unix:/nonexistent/memoryd.sock")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if written, err := client.Agent("a").Write(t.Context(), &memoryd.Batch{}); err != nil || written.GetRevision() != 0 {
		t.Errorf("it has written %v, %v", written, err)
	}
}

func TestEntriesAreListedInOrderPageByPage(t *testing.T) {
	agent := liveAgent(t)
	const count = 2_500 // more than two pages
	for from := 0; from < count; from += 500 {
		var batch memoryd.Batch
		for n := from; n < from+500; n++ {
			batch.Set(fmt.Sprintf("k%05d", n), n, memoryd.WithTags("x"), memoryd.WithTypeName("n"))
		}
		must[*memorydv1.BatchWriteEntriesResponse](t)(agent.Write(t.Context(), &batch))
	}
	n := 0
	for entry, err := range agent.Entries(t.Context(), memoryd.WithoutContent()) {
		if err != nil {
			t.Fatal(err)
		}
		if entry.GetKey() != fmt.Sprintf("k%05d", n) || entry.GetValueJson() != "" || entry.GetTags() != nil ||
			entry.GetTypeName() != "" || entry.GetRevision() == 0 {
			t.Fatalf("entry %d is %v", n, entry)
		}
		n++
	}
	if n != count {
		t.Errorf("there are %d", n)
	}
}

func TestAListingContainsEntriesThatMatchAllOptions(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "user/a", 1, memoryd.WithTags("x", "y"))
	set(t, agent, "user/b", 2, memoryd.WithTags("x"))
	set(t, agent, "other", 3, memoryd.WithTags("x", "y"))
	insight := memorydv1.EntryType_ENTRY_TYPE_INSIGHT
	set(t, agent, "user/c", 4, memoryd.WithTags("x", "y"), memoryd.WithEntryType(insight))
	fact := memorydv1.EntryType_ENTRY_TYPE_FACT
	keys := keysOf(t, agent, memoryd.WithKeyPrefix("user/"), memoryd.WithAllTags("x", "y"), memoryd.OfTypes(fact))
	if !slices.Equal(keys, []string{"user/a"}) {
		t.Errorf("they are %v", keys)
	}
	if keys := keysOf(t, agent, memoryd.WithAnyTags("x", "y"), memoryd.OfTypes(fact)); len(keys) != 3 {
		t.Errorf("they are %v", keys)
	}
}

func TestAListingSelectsTheUserAndAnyOfTheTags(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "a", 1, memoryd.WithUserID("ann"), memoryd.WithTags("x"))
	set(t, agent, "b", 2, memoryd.WithUserID("bob"), memoryd.WithTags("y"))
	set(t, agent, "c", 3, memoryd.WithTags("z"))
	all := memoryd.AboutAllUsers()
	ofAnn := &memorydv1.RecordFilter{UserIds: []string{"ann", ""}}
	for expected, options := range map[string][]memoryd.ListOption{
		"a":     {memoryd.AboutUsers("ann")},
		"c":     {},
		"a c":   {memoryd.Where(ofAnn)},
		"a b":   {all, memoryd.WithAnyTags("x", "y")},
		"a b c": {all},
		"":      {all, memoryd.WithAllTags("x", "y")},
	} {
		if keys := strings.Join(keysOf(t, agent, options...), " "); keys != expected {
			t.Errorf("they are %q instead of %q", keys, expected)
		}
	}
}

func TestAListingHasTheRequestedOrder(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "b", 1)
	set(t, agent, "c", 2)
	set(t, agent, "a", 3)
	set(t, agent, "b", 4)
	for order, expected := range map[memorydv1.ListOrder]string{
		memorydv1.ListOrder_LIST_ORDER_UNSPECIFIED:            "a b c",
		memorydv1.ListOrder_LIST_ORDER_ID_DESCENDING:          "c b a",
		memorydv1.ListOrder_LIST_ORDER_CREATE_TIME:            "b c a",
		memorydv1.ListOrder_LIST_ORDER_UPDATE_TIME_DESCENDING: "b a c",
	} {
		if keys := strings.Join(keysOf(t, agent, memoryd.OrderedBy(order)), " "); keys != expected {
			t.Errorf("in %s they are %q", order, keys)
		}
	}
}

func TestAReadMayNameTheRevisionThatItNeeds(t *testing.T) {
	agent := liveAgent(t)
	revision := set(t, agent, "k", 1)
	for _, option := range []memoryd.ReadOption{memoryd.WithMinRevision(revision), memoryd.WithMaxStaleness(time.Second)} {
		if value := get[int](t, agent, "k", option, memoryd.LocalOnly()); value != 1 {
			t.Errorf("it is %d", value)
		}
	}
	ahead := memoryd.WithMinRevision(revision + 1)
	_, _, err := agent.GetEntry(t.Context(), "k", ahead)
	if !errors.Is(err, memoryd.ErrRevisionInFuture) {
		t.Errorf("it is %v", err)
	}
	if _, err := agent.Contains(t.Context(), "k", ahead); !errors.Is(err, memoryd.ErrRevisionInFuture) {
		t.Errorf("it is %v", err)
	}
	if _, err := memoryd.GetMany[int](t.Context(), agent, []string{"k"}, ahead); !errors.Is(err, memoryd.ErrRevisionInFuture) {
		t.Errorf("they are %v", err)
	}
	for _, err := range agent.Entries(t.Context(), ahead) {
		if !errors.Is(err, memoryd.ErrRevisionInFuture) {
			t.Errorf("it is %v", err)
		}
	}
}

func TestAFailedListingYieldsItsErrorAndEnds(t *testing.T) {
	count := 0
	for _, err := range liveAgent(t).Attach("no-such-scope").Entries(t.Context()) {
		if count++; !errors.Is(err, memoryd.ErrRecordNotFound) {
			t.Errorf("it is %v", err)
		}
	}
	if count != 1 {
		t.Errorf("it yields %d times", count)
	}
}

func TestAnAgentEndsWithAllItsMemory(t *testing.T) {
	agent := liveAgent(t)
	if absent := must[*memorydv1.EndAgentResponse](t)(agent.End(t.Context())); absent.GetDeleted() {
		t.Errorf("it ended with %v before it existed", absent)
	}
	if _, err := agent.End(t.Context(), memoryd.IfPresent()); !errors.Is(err, memoryd.ErrAgentNotFound) {
		t.Errorf("it is %v", err)
	}
	revision := set(t, agent, "k", 1)
	if _, err := agent.End(t.Context(), memoryd.IfRevision(revision+1)); !errors.Is(err, memoryd.ErrRevisionMismatch) {
		t.Errorf("it is %v", err)
	}
	ended := must[*memorydv1.EndAgentResponse](t)(agent.End(t.Context()))
	removed := memoryd.CountsByKind(ended.GetCleared())
	if !ended.GetDeleted() || len(removed) != 1 || removed[memorydv1.RecordKind_RECORD_KIND_ENTRY] != 1 {
		t.Errorf("it ended with %v", ended)
	}
}

func keysOf(t *testing.T, m memoryd.WorkingMemory, options ...memoryd.ListOption) []string {
	t.Helper()
	var keys []string
	for entry, err := range m.Entries(t.Context(), options...) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, entry.GetKey())
	}
	return keys
}
