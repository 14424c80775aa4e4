package memoryd_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func nearCache(t *testing.T, agent *memoryd.Agent, options ...memoryd.NearOption) *memoryd.NearCache {
	t.Helper()
	cache := must[*memoryd.NearCache](t)(agent.NearCache(t.Context(), options...))
	t.Cleanup(cache.Close)
	return cache
}

// near returns the value under a key in a near cache, nil if there is none, and an error as it is.
func near(t *testing.T, m memoryd.NearReader, key string, options ...memoryd.NearReadOption) any {
	t.Helper()
	value, found, err := memoryd.NearGet[any](t.Context(), m, key, options...)
	switch {
	case err != nil:
		return err
	case !found:
		return nil
	}
	if number, isNumber := value.(json.Number); isNumber {
		whole, _ := number.Int64()
		return int(whole)
	}
	return value
}

func nearMany(t *testing.T, m memoryd.NearReader, keys ...string) map[string]int {
	t.Helper()
	return must[map[string]int](t)(memoryd.NearGetMany[int](t.Context(), m, keys))
}

// expect fails the test unless both values are the same.
func expect(t *testing.T, found, expected any) {
	t.Helper()
	if !reflect.DeepEqual(found, expected) {
		t.Errorf("it is %v and not %v", found, expected)
	}
}

func keysIn(t *testing.T, m *memoryd.NearMemory, options ...memoryd.NearListOption) []string {
	t.Helper()
	return must[[]string](t)(m.Keys(t.Context(), options...))
}

func noteIDs(t *testing.T, cache *memoryd.NearCache) (ids []string) {
	t.Helper()
	for _, note := range must[[]*memorydv1.Note](t)(cache.Notes(t.Context())) {
		ids = append(ids, note.GetNoteId())
	}
	return ids
}

func writeNote(t *testing.T, agent *memoryd.Agent, noteID string) *memorydv1.Note {
	t.Helper()
	options := &memoryd.CreateNoteOptions{NoteID: noteID}
	return must[*memorydv1.Note](t)(agent.Notes().Create(t.Context(), "Title", "Text", options))
}

func TestNearReadsAreThoseOfTheDaemonAndHaveEachWriteOfTheClient(t *testing.T) {
	agent, ctx := liveAgent(t), t.Context()
	set(t, agent, "before", person{Name: "Ada"})
	cache := nearCache(t, agent)
	ada, found, err := memoryd.NearGet[person](ctx, cache, "before")
	if ada.Name != "Ada" || !found || err != nil {
		t.Errorf("it is %v, %v, %v", ada, found, err)
	}
	set(t, agent, "k", 1, memoryd.WithTags("t"))
	expect(t, []any{near(t, cache, "k"), near(t, cache, "none")}, []any{1, nil})
	expect(t, must[bool](t)(cache.Contains(ctx, "k")), true)
	expect(t, must[bool](t)(cache.Contains(ctx, "none")), false)
	nears, _, err := cache.GetEntry(ctx, "k")
	daemons, _, _ := agent.GetEntry(ctx, "k")
	if err != nil || !proto.Equal(nears, daemons) {
		t.Errorf("the entry is %v and not %v", nears, daemons)
	}
	tx := agent.Transaction()
	tx.Set("k", 2)
	tx.Add(&memorydv1.Write{Write: &memorydv1.Write_CreateNote{CreateNote: &memorydv1.CreateNoteRequest{
		Draft: &memorydv1.NoteDraft{NoteId: "n", Title: "Title", Content: "Text"},
	}}})
	must[int64](t)(tx.Commit(ctx))
	expect(t, nearMany(t, cache, "k", "none"), map[string]int{"k": 2})
	note, _, err := cache.Note(ctx, "n")
	if daemons := must[*memorydv1.Note](t)(agent.Notes().Get(ctx, "n", nil)); err != nil || !proto.Equal(note, daemons) {
		t.Errorf("the note is %v and not %v", note, daemons)
	}
	expect(t, noteIDs(t, cache), []string{"n"})
	if _, _, err := memoryd.NearGet[string](ctx, cache, "k"); !errors.Is(err, memoryd.ErrWrongType) {
		t.Errorf("the error is %v", err)
	}
	text, _, err := cache.GetJSON(ctx, "k")
	expect(t, []any{text, err}, []any{"2", nil})
	must[bool](t)(agent.Remove(ctx, "k"))
	expect(t, near(t, cache, "k"), nil)
	expect(t, keysIn(t, &cache.NearMemory), []string{"before"})
	revision := set(t, agent, "k", 3)
	expect(t, cache.Revision(), revision)
	must[*memorydv1.EndAgentResponse](t)(agent.End(ctx))
	expect(t, []any{near(t, cache, "before"), len(noteIDs(t, cache)), cache.SizeBytes()}, []any{nil, 0, int64(0)})
}

func TestWhatANearReadReturnsBelongsToItsReader(t *testing.T) {
	agent, ctx := liveAgent(t), t.Context()
	set(t, agent, "k", []string{"a"})
	writeNote(t, agent, "n")
	cache := nearCache(t, agent)
	values, _, _ := memoryd.NearGet[[]string](ctx, cache, "k")
	values[0] = "b"
	entry, _, _ := cache.GetEntry(ctx, "k")
	entry.ValueJson = "1"
	must[[]*memorydv1.Entry](t)(cache.Entries(ctx))[0].ValueJson = "2"
	note, _, _ := cache.Note(ctx, "n")
	note.Title = "Other"
	must[[]*memorydv1.Note](t)(cache.Notes(ctx))[0].Title = "Other"
	expect(t, near(t, cache, "k"), []any{"a"})
	note, _, _ = cache.Note(ctx, "n")
	expect(t, note.GetTitle(), "Title")
}

func TestANearScopeFallsBackToItsParents(t *testing.T) {
	agent, ctx := liveAgent(t), t.Context()
	set(t, agent, "root", 0)
	cache := nearCache(t, agent)
	task := must[*memoryd.Scope](t)(agent.CreateScope(ctx, "task"))
	step := must[*memoryd.Scope](t)(task.CreateScope(ctx, "step"))
	set(t, task, "task", 1)
	set(t, step, "step", 2)
	memory := cache.Attach(step.ScopeID())
	expect(t, nearMany(t, memory, "root", "task", "step"), map[string]int{"root": 0, "task": 1, "step": 2})
	expect(t, near(t, memory, "root", memoryd.LocalOnly()), nil)
	expect(t, keysIn(t, memory), []string{"step"})
	expect(t, keysIn(t, memory, memoryd.Inherited()), []string{"root", "step", "task"})
	expect(t, keysIn(t, memory, memoryd.Inherited(), memoryd.WithKeyPrefix("t")), []string{"task"})
	set(t, step, "root", 3)
	expect(t, []any{near(t, memory, "root"), near(t, cache, "root")}, []any{3, 0})
	if err := task.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err, _ := near(t, memory, "root").(error); !errors.Is(err, memoryd.ErrScopeDisposed) {
		t.Errorf("after its end the error is %v", err)
	}
}

func TestANearCacheOfAScopeHoldsItAndWhatItInherits(t *testing.T) {
	agent, ctx := liveAgent(t), t.Context()
	set(t, agent, "root", 0)
	outer := must[*memoryd.Scope](t)(agent.CreateScope(ctx, "outer"))
	beside := must[*memoryd.Scope](t)(agent.CreateScope(ctx, "beside"))
	scope := must[*memoryd.Scope](t)(outer.CreateScope(ctx, "task"))
	cache := nearCache(t, agent, memoryd.InScope(scope.ScopeID()), memoryd.WithoutNotes())
	set(t, outer, "outer", 1)
	below := must[*memoryd.Scope](t)(scope.CreateScope(ctx, "step"))
	set(t, below, "k", 2)
	held := cache.SizeBytes()
	set(t, beside, "k", 3)
	expect(t, nearMany(t, cache.Attach(scope.ScopeID()), "root", "outer"), map[string]int{"root": 0, "outer": 1})
	expect(t, near(t, cache.Attach(below.ScopeID()), "k"), 2)
	expect(t, near(t, cache.Attach(beside.ScopeID()), "k"), 3)
	expect(t, cache.SizeBytes(), held)
}

func TestANearCacheHoldsTheKeysWithItsPrefixAndReadsOthersFromTheDaemon(t *testing.T) {
	agent, ctx := liveAgent(t), t.Context()
	cache := nearCache(t, agent, memoryd.WithKeyPrefix("a:"), memoryd.WithoutNotes(), memoryd.AnyStaleness())
	set(t, agent, "a:1", 1)
	held := cache.SizeBytes()
	set(t, agent, "b:1", 2)
	writeNote(t, agent, "n")
	if expect(t, cache.SizeBytes(), held); held == 0 {
		t.Error("it holds nothing")
	}
	expect(t, nearMany(t, cache, "a:1", "b:1"), map[string]int{"a:1": 1, "b:1": 2})
	expect(t, []any{near(t, cache, "a:1"), near(t, cache, "b:1")}, []any{1, 2})
	for prefix, keys := range map[string][]string{"a:": {"a:1"}, "b:": {"b:1"}, "": {"a:1", "b:1"}} {
		expect(t, keysIn(t, &cache.NearMemory, memoryd.WithKeyPrefix(prefix)), keys)
	}
	text, found, err := cache.GetJSON(ctx, "b:1")
	expect(t, []any{text, found, err}, []any{"2", true, nil})
	note, found, err := cache.Note(ctx, "n")
	expect(t, []any{note.GetTitle(), found, err}, []any{"Title", true, nil})
	_, found, err = cache.Note(ctx, "none")
	expect(t, []any{found, err}, []any{false, nil})
	expect(t, noteIDs(t, cache), []string{"n"})
}

func TestNearRecordsThatAreListedAreThoseOfTheBoundUser(t *testing.T) {
	agent := liveAgent(t)
	ada := agent.User("ada")
	caches := []*memoryd.NearCache{nearCache(t, agent), nearCache(t, ada)}
	closed := nearCache(t, ada)
	closed.Close()
	caches = append(caches, closed) // asks the daemon
	writeNote(t, agent, "0")
	writeNote(t, ada, "1")
	set(t, agent, "0", "of nobody")
	set(t, ada, "1", "of Ada")
	for i, cache := range caches {
		expected := []string{fmt.Sprint(min(i, 1))}
		expect(t, noteIDs(t, cache), expected)
		expect(t, keysIn(t, &cache.NearMemory), expected)
		expect(t, near(t, cache, "1"), "of Ada")
	}
}

func TestTheMemoryOfANearCacheIsBounded(t *testing.T) {
	agent, ctx := liveAgent(t), t.Context()
	set(t, agent, "k", strings.Repeat("v", 10_000))
	if _, err := agent.NearCache(ctx, memoryd.MaxBytes(10_000)); !errors.Is(err, memoryd.ErrCacheFull) {
		t.Errorf("the error is %v", err)
	}
	cache := nearCache(t, agent, memoryd.MaxBytes(20_000))
	refusing := nearCache(t, agent, memoryd.MaxBytes(20_000), memoryd.WhenStale(memoryd.Refuse))
	set(t, agent, "other", strings.Repeat("w", 10_000))
	expect(t, near(t, cache, "other"), strings.Repeat("w", 10_000))
	until(t, "it forgets its records", func() bool { return cache.SizeBytes() == 0 && refusing.SizeBytes() == 0 })
	expect(t, near(t, cache, "k"), strings.Repeat("v", 10_000))
	err, _ := near(t, refusing, "k").(error)
	if !errors.Is(err, memoryd.ErrStaleRead) || !errors.Is(err, memoryd.ErrCacheFull) {
		t.Errorf("the error is %v", err)
	}
}

func TestAClosedNearCacheAsksTheDaemon(t *testing.T) {
	agent := liveAgent(t)
	cache := nearCache(t, agent)
	set(t, agent, "k", 1)
	cache.Close()
	set(t, agent, "k", 2)
	expect(t, []any{near(t, cache, "k"), cache.Staleness()}, []any{2, time.Duration(math.MaxInt64)})
}

func TestANearCacheThatCannotBeOpenedReturnsItsError(t *testing.T) {
	agent := liveAgent(t)
	for _, option := range []memoryd.NearOption{
		memoryd.MaxStaleness(10 * time.Millisecond), memoryd.WhenStale(7), memoryd.MaxBytes(0),
	} {
		if _, err := agent.NearCache(t.Context(), option); !errors.Is(err, memoryd.ErrInvalidArgument) {
			t.Errorf("the error is %v", err)
		}
	}
	if _, err := agent.NearCache(t.Context(), memoryd.InScope("none")); !errors.Is(err, memoryd.ErrRecordNotFound) {
		t.Errorf("the error is %v", err)
	}
	nobody := must[*memoryd.Client](t)(memoryd.NewClient(freeAddress(t), memoryd.WithConnectTimeout(100*time.Millisecond)))
	defer nobody.Close()
	if _, err := nobody.Agent("a").NearCache(t.Context()); !errors.Is(err, memoryd.ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
}

func TestWritesOfOthersArriveAndTheStalenessIsBounded(t *testing.T) {
	agent := liveAgent(t)
	other := liveClient(t).Agent(agent.AgentID())
	cache := nearCache(t, agent, memoryd.MaxStaleness(100*time.Millisecond))
	set(t, other, "k", 1)
	until(t, "it has the write of another client", func() bool { return near(t, cache, "k") == 1 })
	must[*memorydv1.CreateMemoryResponse](t)(other.Memories().Remember(t.Context(), "No event of the cache reports this.", nil))
	before := cache.Staleness()
	until(t, "it finds out how current it is", func() bool { return cache.Staleness() < before })
}

func TestDuringAnOutageANearCacheDoesAsItsOptionSays(t *testing.T) {
	for _, whenStale := range []memoryd.StaleRead{memoryd.Ask, memoryd.Refuse, memoryd.Serve} {
		t.Run(fmt.Sprint(whenStale), func(t *testing.T) {
			daemon := startDaemon(t)
			const short = 500 * time.Millisecond
			agent := daemon.connect(memoryd.WithTimeout(short), memoryd.WithConnectTimeout(waitMax)).Agent("a")
			writer := daemon.connect(patient()...).Agent("a")
			set(t, writer, "k", 1)
			const bound = 200 * time.Millisecond
			cache := nearCache(t, agent, memoryd.MaxStaleness(bound), memoryd.WhenStale(whenStale))
			daemon.kill()
			until(t, "the bound passes", func() bool { return cache.Staleness() > bound })
			found := near(t, cache, "k")
			err, _ := found.(error)
			switch whenStale {
			case memoryd.Ask:
				expect(t, errors.Is(err, memoryd.ErrUnavailable) || errors.Is(err, memoryd.ErrDeadlineExceeded), true)
			case memoryd.Refuse:
				expect(t, errors.Is(err, memoryd.ErrStaleRead), true)
			case memoryd.Serve:
				expect(t, found, 1)
			}
			daemon.start()
			set(t, writer, "k", 2)
			until(t, "it has the write of another client", func() bool { return near(t, cache, "k") == 2 })
		})
	}
}

func TestANearCacheOfAnotherStoreBeginsAgain(t *testing.T) {
	daemon := startDaemon(t)
	agent := daemon.connect(patient()...).Agent("a")
	for i := range 5 {
		set(t, agent, fmt.Sprint("k", i), i)
	}
	cache := nearCache(t, agent)
	daemon.kill()
	if err := os.RemoveAll(daemon.dataDir()); err != nil {
		t.Fatal(err)
	}
	daemon.start()
	for i := range 3 {
		// From the first read on, although the cache may still have the higher revision of the former store.
		set(t, agent, "k0", 10+i)
		expect(t, near(t, cache, "k0"), 10+i)
	}
	until(t, "it has the state of the other store", func() bool { return cache.Revision() == 3 })
	expect(t, near(t, cache, "k0"), 12)
	if keys := keysIn(t, &cache.NearMemory); !slices.Equal(keys, []string{"k0"}) {
		t.Errorf("it has %v", keys)
	}
}
