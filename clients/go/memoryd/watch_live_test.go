package memoryd_test

import (
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

// seen returns the keys of the next events.
func seen(t *testing.T, watch *memoryd.Watch, count int) []string {
	t.Helper()
	overdue := time.AfterFunc(20*time.Second, watch.Close)
	defer overdue.Stop()
	var keys []string
	for event, err := range watch.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if keys = append(keys, event.GetKey()); len(keys) == count {
			return keys
		}
	}
	t.Fatalf("only %v were received", keys)
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
		memoryd.WithoutValues())
	set(t, agent, "other", 1)
	set(t, planner, "user/planner", 1)
	set(t, agent, "user/a", 1)
	must[bool](t)(agent.Remove(t.Context(), "user/a"))
	set(t, agent, "user/b", 1)
	if keys := seen(t, watch, 2); !slices.Equal(keys, []string{"user/a", "user/b"}) {
		t.Errorf("it saw %v", keys)
	}
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
