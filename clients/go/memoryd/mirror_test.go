package memoryd

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func entrySet(scopeID, key, text string, expires *timestamppb.Timestamp) *memorydv1.Event {
	entry := &memorydv1.Entry{Key: key, ValueJson: text, ScopeId: scopeID, ExpireTime: expires}
	return &memorydv1.Event{
		Type:    memorydv1.EventType_EVENT_TYPE_ENTRY_SET,
		Subject: &memorydv1.Event_Entry{Entry: &memorydv1.EntryEvent{ScopeId: scopeID, Key: key, Entry: entry}},
	}
}

func entryRemoved(key string) *memorydv1.Event {
	return &memorydv1.Event{
		Type:    memorydv1.EventType_EVENT_TYPE_ENTRY_REMOVED,
		Subject: &memorydv1.Event_Entry{Entry: &memorydv1.EntryEvent{Key: key}},
	}
}

func scopeChanged(what memorydv1.EventType, scopeID, parentID string) *memorydv1.Event {
	return &memorydv1.Event{
		Type:    what,
		Subject: &memorydv1.Event_Scope{Scope: &memorydv1.ScopeEvent{ScopeId: scopeID, ParentScopeId: parentID}},
	}
}

func agentEnded() *memorydv1.Event {
	return &memorydv1.Event{
		Type:    memorydv1.EventType_EVENT_TYPE_AGENT_ENDED,
		Subject: &memorydv1.Event_Agent{Agent: &memorydv1.AgentEvent{}},
	}
}

// testMirror is a complete mirror without records, whose clock shows now.
func testMirror(bytesMax int64, now *int64) *mirror {
	mirror := newMirror(bytesMax, func() int64 { return *now })
	mirror.isComplete = true
	return mirror
}

func applied(t *testing.T, mirror *mirror, revision int64, events ...*memorydv1.Event) {
	t.Helper()
	if err := mirror.apply(&memorydv1.WatchEventsResponse{Phase: live, Revision: revision, Events: events}); err != nil {
		t.Fatal(err)
	}
}

// textIn returns the value that a look-up finds as JSON, or "".
func textIn(mirror *mirror, scopeID, key string, localOnly bool) string {
	found, _ := mirror.find(scopeID, key, localOnly)
	if found == nil {
		return ""
	}
	return found.message.GetValueJson()
}

func TestAMirrorAppliesACommitWhole(t *testing.T) {
	mirror := testMirror(math.MaxInt64, new(int64))
	unfinished := &memorydv1.WatchEventsResponse{
		Phase: live, Revision: 1, RevisionContinues: true, Events: []*memorydv1.Event{entrySet("", "a", "1", nil)},
	}
	if err := mirror.apply(unfinished); err != nil || textIn(mirror, "", "a", false) != "" || mirror.revision != 0 {
		t.Errorf("a part of it is there: %v, revision %d", err, mirror.revision)
	}
	opened := &memorydv1.WatchEventsResponse{Phase: memorydv1.WatchPhase_WATCH_PHASE_OPENED}
	if err := mirror.apply(opened); err != nil || textIn(mirror, "", "a", false) != "" {
		t.Errorf("a part of it is there after a reconnection: %v", err)
	}
	applied(t, mirror, 1, entrySet("", "b", "2", nil))
	if textIn(mirror, "", "a", false) != "1" || textIn(mirror, "", "b", false) != "2" || mirror.revision != 1 {
		t.Errorf("it is not there, at revision %d", mirror.revision)
	}
}

func TestAMirroredEntryEndsWithItsDeadlineAndWhatIsBehindItIsFound(t *testing.T) {
	now := int64(1_000 * time.Second)
	mirror := testMirror(math.MaxInt64, &now)
	applied(t, mirror, 1,
		entrySet("", "k", `"root"`, &timestamppb.Timestamp{Seconds: 253_402_300_799}), // the end of the year 9999
		scopeChanged(memorydv1.EventType_EVENT_TYPE_SCOPE_CREATED, "s", ""),
		entrySet("s", "k", `"scope"`, &timestamppb.Timestamp{Seconds: 1_001}))
	if found := textIn(mirror, "s", "k", false); found != `"scope"` {
		t.Errorf("before its deadline it is %s", found)
	}
	now += int64(time.Second)
	if found := textIn(mirror, "s", "k", false); found != `"root"` {
		t.Errorf("after its deadline it is %s", found)
	}
	if found := textIn(mirror, "s", "k", true); found != "" {
		t.Errorf("after its deadline the scope itself has %s", found)
	}
	all, _ := mirror.entries("s", "", true)
	if len(all) != 1 || all[0].message.GetValueJson() != `"root"` {
		t.Errorf("the scope lists %v", all)
	}
}

func TestAScopeEndsWithItsEntriesAndThoseOfOthersStay(t *testing.T) {
	mirror := testMirror(math.MaxInt64, new(int64))
	created := memorydv1.EventType_EVENT_TYPE_SCOPE_CREATED
	applied(t, mirror, 1,
		scopeChanged(created, "s", ""), scopeChanged(created, "below", "s"), scopeChanged(created, "s", ""),
		entrySet("s", "k", "1", nil), entrySet("unknown", "k", "2", nil), entrySet("", "root", "3", nil))
	if found := textIn(mirror, "below", "k", false) + textIn(mirror, "below", "root", false); found != "13" {
		t.Errorf("the scope below finds %s", found)
	}
	if _, isHeld := mirror.find("unknown", "k", false); isHeld {
		t.Error("it has a scope of which it has not heard")
	}
	applied(t, mirror, 2, &memorydv1.Event{
		Type:    memorydv1.EventType_EVENT_TYPE_ENTRIES_CLEARED,
		Subject: &memorydv1.Event_Cleared{Cleared: &memorydv1.ClearedEvent{ScopeId: "s"}},
	})
	if found := textIn(mirror, "below", "k", false); found != "" {
		t.Errorf("after it was cleared it has %s", found)
	}
	applied(t, mirror, 3, scopeChanged(memorydv1.EventType_EVENT_TYPE_SCOPE_DISPOSED, "s", ""))
	if _, isHeld := mirror.find("s", "root", false); isHeld || textIn(mirror, "", "root", false) != "3" {
		t.Error("the scope is still there, or the entries of the root are not")
	}
}

func TestTheMemoryOfWhatIsOverwrittenAndRemovedIsFreeAgain(t *testing.T) {
	mirror := testMirror(5_000, new(int64))
	for revision := range int64(20) {
		applied(t, mirror, revision, entrySet("", "k", `"`+strings.Repeat("v", 2_000)+`"`, nil))
	}
	note := &memorydv1.NoteEvent{NoteId: "n", Note: &memorydv1.Note{NoteId: "n", Content: "text"}}
	applied(t, mirror, 20, &memorydv1.Event{Subject: &memorydv1.Event_Note{Note: note}})
	applied(t, mirror, 21, entryRemoved("k"), &memorydv1.Event{
		Type:    memorydv1.EventType_EVENT_TYPE_NOTES_CLEARED,
		Subject: &memorydv1.Event_Cleared{Cleared: &memorydv1.ClearedEvent{}},
	})
	if mirror.sizeBytes != 0 || len(mirror.notes) != 0 {
		t.Errorf("without records it takes %d bytes", mirror.sizeBytes)
	}
	large := entrySet("", "k", `"`+strings.Repeat("v", 6_000)+`"`, nil)
	err := mirror.apply(&memorydv1.WatchEventsResponse{Phase: live, Events: []*memorydv1.Event{large}})
	if !errors.Is(err, ErrCacheFull) || !strings.Contains(err.Error(), "5000 bytes") {
		t.Errorf("it is %v", err)
	}
}

func TestWhatReadsDecodeAndKeepIsCountedFromTheBeginning(t *testing.T) {
	list := "[" + strings.Repeat("1,", 999) + "1]"
	sizes := map[string]int64{}
	for name, text := range map[string]string{"list": list, "string": `"` + list[2:] + `"`} {
		mirror := testMirror(math.MaxInt64, new(int64))
		applied(t, mirror, 1, entrySet("", "k", text, nil))
		sizes[name] = mirror.sizeBytes
		applied(t, mirror, 2, entrySet("", "k", "1", nil))
		if small := mirror.sizeBytes; small >= 2_000 {
			t.Errorf("%s: what was overwritten still takes %d bytes", name, small)
		}
	}
	// A decoded number of a list takes an interface and a string.
	if sizes["list"]-sizes["string"] < 32*1_000 {
		t.Errorf("they take %v bytes", sizes)
	}
	mirror := testMirror(sizes["list"]-1, new(int64))
	err := mirror.apply(&memorydv1.WatchEventsResponse{Phase: live, Events: []*memorydv1.Event{entrySet("", "k", list, nil)}})
	if !errors.Is(err, ErrCacheFull) {
		t.Errorf("it is %v", err)
	}
}

func TestALowerRevisionIsOfALaterLifeAlsoWhereNoRecordIsSelected(t *testing.T) {
	mirror := testMirror(math.MaxInt64, new(int64))
	reaches := func(revision int64) bool { return markOf(revision, markAt(mirror)).isReached(mirror) }
	applied(t, mirror, 50)
	if !reaches(0) || reaches(10) || !reaches(50) || reaches(51) {
		t.Error("it has not reached its own revision, or another one")
	}
	applied(t, mirror, 51, agentEnded())
	applied(t, mirror, 51)
	if !reaches(1) {
		t.Error("the revisions of the next life count from its end")
	}
	applied(t, mirror, 60)
	if reaches(59) {
		t.Error("it has reached a revision of a life after the next one")
	}
}

func TestARevisionOfALaterLifeIsNotReachedByAnEarlierOne(t *testing.T) {
	mirror := testMirror(math.MaxInt64, new(int64))
	applied(t, mirror, 5, entrySet("", "k", "1", nil))
	ended, foreign := markOf(0, markAt(mirror)), markOf(3, markAt(mirror))
	if ended.isReached(mirror) || foreign.isReached(mirror) || !(mark{5, 0}).isReached(mirror) {
		t.Error("before the end it has reached a later life, or not its own revision")
	}
	applied(t, mirror, 6, agentEnded())
	if !ended.isReached(mirror) || !markOf(0, markAt(mirror)).isReached(mirror) || textIn(mirror, "", "k", false) != "" {
		t.Error("after the end it has not reached it")
	}
	again := markOf(7, markAt(mirror))
	if again.isReached(mirror) {
		t.Error("it has reached a revision of which it has not heard")
	}
	applied(t, mirror, 7, entrySet("", "k", "1", nil))
	if !again.isReached(mirror) {
		t.Error("it has not reached its revision")
	}
}

func TestAMirrorThatIsNotCompleteHasReachedNothing(t *testing.T) {
	if (mark{}).isReached(newMirror(1, wallClock)) {
		t.Error("it has")
	}
}

func TestPlainValuesAreThoseOfEncodingJSON(t *testing.T) {
	for _, text := range []string{
		`"text"`, `""`, `"a\"b\u00e9"`, ` "spaces" `, `5`, ` 5 `, `-0`, `1e3`, `2.50`, `9223372036854775808`, `true`, `false`,
		`null`, `{"a":1}`, `[1]`,
	} {
		entry := mirrored(&memorydv1.Entry{ValueJson: text})
		compare[string](t, entry)
		compare[bool](t, entry)
		compare[int](t, entry)
		compare[int64](t, entry)
		compare[uint8](t, entry)
		compare[float64](t, entry)
		compare[json.Number](t, entry)
		compare[any](t, entry)
	}
}

// compare compares the value of a mirrored entry with the one that Decode returns.
func compare[T any](t *testing.T, entry *mirroredEntry) {
	t.Helper()
	expected, expectedErr := Decode[T](entry.message)
	value, err := valueIn[T](entry)
	same := (err == nil) == (expectedErr == nil) && slices.Equal(encoded(value), encoded(expected))
	if !same {
		t.Errorf("%s as %T: %v, %v and not %v, %v", entry.message.GetValueJson(), value, value, err, expected, expectedErr)
	}
}

func encoded(value any) []byte {
	text, _ := json.Marshal(value)
	return text
}
