package memoryd_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func watching(t *testing.T, m memoryd.WorkingMemory, options ...memoryd.WatchOption) *memoryd.Watch {
	t.Helper()
	watch := must[*memoryd.Watch](t)(m.Watch(t.Context(), options...))
	t.Cleanup(watch.Close)
	return watch
}

// seen returns the keys of the next entries that have events.
func seen(t *testing.T, watch *memoryd.Watch, count int) []string {
	t.Helper()
	var keys []string
	for _, event := range entryEvents(t, watch, count) {
		keys = append(keys, event.GetEntry().GetKey())
	}
	return keys
}

// entryEvents returns the next events about entries.
func entryEvents(t *testing.T, watch *memoryd.Watch, count int) []*memorydv1.Event {
	t.Helper()
	isEntry := func(event *memorydv1.Event) bool { return event.GetEntry() != nil }
	return received(t, watch, count, isEntry)
}

// received returns the next events that are wanted.
func received(
	t *testing.T, watch *memoryd.Watch, count int, isWanted func(*memorydv1.Event) bool,
) (events []*memorydv1.Event) {
	t.Helper()
	overdue := time.AfterFunc(20*time.Second, watch.Close)
	defer overdue.Stop()
	for event, err := range watch.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if isWanted(event) {
			events = append(events, event)
		}
		if len(events) == count {
			return events
		}
	}
	t.Fatalf("only %v were received", events)
	return nil
}

func TestAWatchMissesNoCommitAfterItsBeginning(t *testing.T) {
	agent := liveAgent(t)
	watch := watching(t, agent)
	for _, key := range []string{"a", "b", "c"} {
		set(t, agent, key, 1)
	}
	if keys := seen(t, watch, 3); !slices.Equal(keys, []string{"a", "b", "c"}) {
		t.Errorf("it saw %v", keys)
	}
	if watch.Revision() != 3 || watch.Resumes() != 0 {
		t.Errorf("it is at revision %d after %d resumes", watch.Revision(), watch.Resumes())
	}
}

func TestTheInitialStateComesFirst(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "there", 1)
	watch := watching(t, agent, memoryd.WithInitialState())
	set(t, agent, "new", 2)
	if keys := seen(t, watch, 2); !slices.Equal(keys, []string{"there", "new"}) || !watch.InitialStateComplete() {
		t.Errorf("it saw %v, complete %v", keys, watch.InitialStateComplete())
	}
}

func TestAWatchContinuesFromATokenOrARevision(t *testing.T) {
	agent := liveAgent(t)
	watch := watching(t, agent)
	revision := set(t, agent, "seen", 1)
	seen(t, watch, 1)
	token := watch.ResumeToken()
	watch.Close()
	set(t, agent, "meanwhile", 2)
	for _, start := range []memoryd.WatchOption{memoryd.WithResumeToken(token), memoryd.AfterRevision(revision)} {
		if keys := seen(t, watching(t, agent, start), 1); keys[0] != "meanwhile" {
			t.Errorf("it saw %v", keys)
		}
	}
}

func TestAWatchEmitsOnlyEventsThatMatchItsOptions(t *testing.T) {
	agent := liveAgent(t)
	planner := liveClient(t, memoryd.WithOrigin("planner")).Agent(agent.AgentID())
	watch := watching(t, agent,
		memoryd.WithKeyPrefix("user/"),
		memoryd.OfEvents(memorydv1.EventType_EVENT_TYPE_ENTRY_SET),
		memoryd.ExcludeOrigin("planner"),
		memoryd.WithoutContent())
	set(t, agent, "other", 1)
	set(t, planner, "user/planner", 1)
	set(t, agent, "user/a", 1)
	must[bool](t)(agent.Remove(t.Context(), "user/a"))
	set(t, agent, "user/b", 1)
	events := entryEvents(t, watch, 2)
	if events[0].GetEntry().GetKey() != "user/a" || events[1].GetEntry().GetKey() != "user/b" {
		t.Errorf("it saw %v", events)
	}
	if value, found, err := memoryd.ValueAfter[int](events[1].GetEntry()); found || err != nil {
		t.Errorf("without content there is the value %v, %v", value, err)
	}
}

func TestAWatchSelectsKindsCausesAndUsers(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "before", 0)
	scopes := watching(t, agent, memoryd.OfKinds(memorydv1.RecordKind_RECORD_KIND_SCOPE))
	merges := watching(t, agent, memoryd.OfCauses(memorydv1.EventCause_EVENT_CAUSE_MERGE))
	anns := watching(t, agent, memoryd.AboutUsers("ann"), memoryd.OfKinds(memorydv1.RecordKind_RECORD_KIND_ENTRY))
	set(t, agent, "bobs", 1, memoryd.WithUserID("bob"))
	task := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	set(t, task, "anns", 1, memoryd.WithUserID("ann"))
	must[int64](t)(task.Merge(t.Context(), memoryd.Overwrite))
	all := func(*memorydv1.Event) bool { return true }
	for _, event := range received(t, scopes, 2, all) {
		if event.GetKind() != memorydv1.RecordKind_RECORD_KIND_SCOPE || event.GetScope().GetScopeId() != task.ScopeID() {
			t.Errorf("the watch of scopes saw %v", event)
		}
	}
	merged := received(t, merges, 1, all)[0]
	if merged.GetEntry().GetKey() != "anns" || merged.GetEntry().GetScopeId() != "" {
		t.Errorf("the watch of merges saw %v", merged)
	}
	for _, event := range received(t, anns, 2, all) {
		if event.GetEntry().GetEntry().GetUserId() != "ann" {
			t.Errorf("the watch of a user saw %v", event)
		}
	}
}

func TestAnEventHasTheValuesBeforeAndAfterItsChange(t *testing.T) {
	agent := liveAgent(t)
	watch := watching(t, agent, memoryd.WithPrevious())
	first := set(t, agent, "mood", "curious")
	second := set(t, agent, "mood", "tired")
	must[bool](t)(agent.Remove(t.Context(), "mood"))
	type change struct {
		before, after string
		previous      int64
	}
	var changes []change
	for _, event := range entryEvents(t, watch, 3) {
		before, hadValue, err := memoryd.ValueBefore[string](event.GetEntry())
		if err != nil || hadValue != (before != "") {
			t.Errorf("before it was %q, %v, %v", before, hadValue, err)
		}
		after, hasValue, err := memoryd.ValueAfter[string](event.GetEntry())
		if err != nil || hasValue != (after != "") {
			t.Errorf("after it is %q, %v, %v", after, hasValue, err)
		}
		changes = append(changes, change{before, after, event.GetPreviousRevision()})
	}
	if expected := []change{{"", "curious", 0}, {"curious", "tired", first}, {"tired", "", second}}; !slices.Equal(
		changes, expected) {
		t.Errorf("they are %v", changes)
	}
}

func TestTheSubjectOfAnEventIsKnownByItsType(t *testing.T) {
	agent := liveAgent(t)
	watch := watching(t, agent)
	task := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	set(t, task, "k", 1)
	must[int64](t)(task.Clear(t.Context()))
	must[*memorydv1.EndAgentResponse](t)(agent.End(t.Context()))
	var subjects []string
	isWanted := func(event *memorydv1.Event) bool { return event.GetAgent().GetAgent() == nil } // skips its creation
	for _, event := range received(t, watch, 4, isWanted) {
		switch subject := event.Subject.(type) {
		case *memorydv1.Event_Scope:
			subjects = append(subjects, "scope "+subject.Scope.GetName())
		case *memorydv1.Event_Entry:
			subjects = append(subjects, "entry "+subject.Entry.GetKey())
		case *memorydv1.Event_Cleared:
			counts := memoryd.CountsByKind(subject.Cleared.GetCleared())
			subjects = append(subjects, fmt.Sprint("cleared ", counts[memorydv1.RecordKind_RECORD_KIND_ENTRY]))
		case *memorydv1.Event_Agent:
			counts := memoryd.CountsByKind(subject.Agent.GetCleared())
			subjects = append(subjects, fmt.Sprint("ended ", counts[memorydv1.RecordKind_RECORD_KIND_SCOPE]))
		}
	}
	if expected := []string{"scope task", "entry k", "cleared 1", "ended 1"}; !slices.Equal(subjects, expected) {
		t.Errorf("they are %v", subjects)
	}
}

func TestAWatchReportsCommitsOfWhichItSelectsNothing(t *testing.T) {
	agent := liveAgent(t)
	options := []memoryd.WatchOption{memoryd.ProgressOnCommit(), memoryd.WithProgressInterval(time.Hour)}
	watch := watching(t, agent, append(options, memoryd.WithKeyPrefix("none"))...)
	revision := set(t, agent, "k", 1)
	overdue := time.AfterFunc(20*time.Second, watch.Close)
	defer overdue.Stop()
	for message, err := range watch.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		if message.GetRevision() == revision && message.GetPhase() == memorydv1.WatchPhase_WATCH_PHASE_PROGRESS {
			return
		}
	}
	t.Error("it does not")
}

func TestTheWatchOfAScopeIncludesScopesBelow(t *testing.T) {
	agent := liveAgent(t)
	outer := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "outer"))
	inner := must[*memoryd.Scope](t)(outer.CreateScope(t.Context(), "inner"))
	watch := watching(t, outer)
	set(t, agent, "root", 1)
	set(t, outer, "outer", 1)
	set(t, inner, "inner", 1)
	if keys := seen(t, watch, 2); !slices.Equal(keys, []string{"outer", "inner"}) {
		t.Errorf("it saw %v", keys)
	}
}

func TestAWatchOfManyAgentsEmitsTheEventsOfEach(t *testing.T) {
	client := liveClient(t)
	one, other := liveAgent(t), liveAgent(t)
	filter := &memorydv1.EventFilter{AgentIds: []string{one.AgentID(), other.AgentID()}}
	watch := must[*memoryd.Watch](t)(client.Watch(t.Context(), []*memorydv1.EventFilter{filter}))
	defer watch.Close()
	set(t, one, "one", 1)
	set(t, other, "other", 1)
	if keys := seen(t, watch, 2); !slices.Equal(keys, []string{"one", "other"}) {
		t.Errorf("it saw %v", keys)
	}
}

func TestClosedWatchesLeakNoGoroutines(t *testing.T) {
	client := liveClient(t)
	agent := liveAgent(t)
	warm := must[*memoryd.Watch](t)(client.Agent(agent.AgentID()).Watch(t.Context()))
	warm.Close()
	settled := func() int {
		lowest := runtime.NumGoroutine()
		for range 100 { // goroutines of an ended stream take a moment to exit
			time.Sleep(time.Millisecond)
			lowest = min(lowest, runtime.NumGoroutine())
		}
		return lowest
	}
	before := settled()
	for range 50 {
		watch := must[*memoryd.Watch](t)(client.Agent(agent.AgentID()).Watch(t.Context()))
		watch.Close()
	}
	if after := settled(); after > before+5 {
		t.Errorf("%d goroutines were %d before", after, before)
	}
}
