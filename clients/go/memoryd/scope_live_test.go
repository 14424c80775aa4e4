package memoryd_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestReadsFallBackAndWritesStayInside(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "user", "Ada")
	set(t, agent, "visits", 3)
	scope := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	set(t, scope, "user", "someone else")
	if get[string](t, scope, "user") != "someone else" || get[int](t, scope, "visits") != 3 {
		t.Error("the scope does not see what it should")
	}
	if get[string](t, agent, "user") != "Ada" {
		t.Error("the scope's value is visible outside")
	}
	if _, found, err := memoryd.Get[int](t.Context(), scope, "visits", memoryd.LocalOnly()); found || err != nil {
		t.Errorf("the scope itself has it: %v, %v", found, err)
	}
	if keys := keysOf(t, scope, memoryd.Inherited()); !slices.Equal(keys, []string{"user", "visits"}) {
		t.Errorf("they are %v", keys)
	}
}

func TestClosingAScopeDisposesItWithItsEntries(t *testing.T) {
	agent := liveAgent(t)
	scope := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	set(t, scope, "k", 1)
	for range 2 {
		if err := scope.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := scope.Contains(t.Context(), "k"); !errors.Is(err, memoryd.ErrScopeDisposed) {
		t.Errorf("it is %v", err)
	}
}

func TestClosingAScopeAlsoWorksWhenTheContextHasEnded(t *testing.T) {
	agent := liveAgent(t)
	scope := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := scope.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := scope.Contains(t.Context(), "k"); !errors.Is(err, memoryd.ErrScopeDisposed) {
		t.Errorf("it is %v", err)
	}
}

func TestAMergeCopiesEntriesUpAndEndsTheScope(t *testing.T) {
	for conflict, expected := range map[memoryd.Conflict]string{memoryd.Overwrite: "task", memoryd.KeepParent: "root"} {
		agent := liveAgent(t)
		set(t, agent, "both", "root")
		scope := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
		set(t, scope, "both", "task")
		set(t, scope, "new", 42)
		must[int64](t)(scope.Merge(t.Context(), conflict))
		if get[int](t, agent, "new") != 42 || get[string](t, agent, "both") != expected {
			t.Errorf("merged with %v, the parent has %q", conflict, get[string](t, agent, "both"))
		}
		if _, err := scope.Contains(t.Context(), "k"); !errors.Is(err, memoryd.ErrScopeDisposed) {
			t.Errorf("it is %v", err)
		}
		if err := scope.Close(t.Context()); err != nil {
			t.Errorf("closing it: %v", err)
		}
	}
}

func TestAMergeThatKeepsTheScopeOnlyCopies(t *testing.T) {
	agent := liveAgent(t)
	scope := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	set(t, scope, "k", 1)
	must[int64](t)(scope.Merge(t.Context(), memoryd.Overwrite, memoryd.KeepScope()))
	if get[int](t, agent, "k") != 1 {
		t.Error("the parent has no copy")
	}
	set(t, scope, "k", 2)
	tx := agent.Transaction()
	tx.Attach(scope.ScopeID()).Merge(memoryd.Overwrite, memoryd.KeepScope())
	must[int64](t)(tx.Commit(t.Context()))
	if get[int](t, scope, "k") != 2 || get[int](t, agent, "k") != 2 {
		t.Error("the transaction did not copy and keep")
	}
}

func TestAScopeWithAnIdleTimeIsUsedForAsLongAsItIsHeld(t *testing.T) {
	agent := liveAgent(t)
	expiry := func(scope *memoryd.Scope) time.Time {
		// A listing is no use of a scope.
		request := &memorydv1.ListScopesRequest{AgentId: agent.AgentID()}
		for _, listed := range must[*memorydv1.ListScopesResponse](t)(
			liveClient(t).WorkingMemory().ListScopes(t.Context(), request)).GetScopes() {
			if listed.GetScopeId() == scope.ScopeID() {
				return listed.GetExpireTime().AsTime()
			}
		}
		return time.Time{}
	}
	held := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "held", memoryd.WithIdleTTL(1500*time.Millisecond)))
	first := expiry(held)
	tx := agent.Transaction()
	made := tx.CreateScope("not held", memoryd.WithIdleTTL(time.Second))
	must[int64](t)(tx.Commit(t.Context()))
	until(t, "the other one expires", func() bool { return expiry(made.Result()).IsZero() })
	if last := expiry(held); !last.After(first) {
		t.Errorf("it expires at %v, and first at %v", last, first)
	}
	if err := held.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAScopeIsAboutAUser(t *testing.T) {
	agent := liveAgent(t)
	scope := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task", memoryd.WithUserID("ann")))
	response, err := liveClient(t).WorkingMemory().GetScope(t.Context(), &memorydv1.GetScopeRequest{
		AgentId: agent.AgentID(), ScopeId: scope.ScopeID(),
	})
	if err != nil || response.GetScope().GetUserId() != "ann" || response.GetScope().GetName() != "task" {
		t.Errorf("it is %v, %v", response, err)
	}
}

func TestAConditionOnCreatingAScopeIsAboutItsName(t *testing.T) {
	agent := liveAgent(t)
	if _, err := agent.CreateScope(t.Context(), "task", memoryd.IfPresent()); !errors.Is(err, memoryd.ErrRecordNotFound) {
		t.Errorf("it is %v", err)
	}
	must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task", memoryd.IfAbsent()))
	if _, err := agent.CreateScope(t.Context(), "task", memoryd.IfAbsent()); !errors.Is(err, memoryd.ErrRecordExists) {
		t.Errorf("it is %v", err)
	}
	must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "other", memoryd.IfRevision(0)))
}

func TestARefusedMergeLeavesTheScope(t *testing.T) {
	agent := liveAgent(t)
	scope := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	set(t, scope, "k", 1)
	if _, err := scope.Merge(t.Context(), memoryd.Overwrite, memoryd.IfRevision(99)); !errors.Is(err, memoryd.ErrRevisionMismatch) {
		t.Errorf("it is %v", err)
	}
	if get[int](t, scope, "k") != 1 {
		t.Error("its entry is gone")
	}
}

func TestANestedScopeCanBeAttachedByAnotherClient(t *testing.T) {
	agent := liveAgent(t)
	outer := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "outer"))
	inner := must[*memoryd.Scope](t)(outer.CreateScope(t.Context(), "inner"))
	set(t, outer, "k", 1)
	attached := liveClient(t).Agent(agent.AgentID()).Attach(inner.ScopeID())
	if get[int](t, attached, "k") != 1 {
		t.Error("it does not fall back to the outer scope")
	}
	if err := outer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := inner.Contains(t.Context(), "k"); !errors.Is(err, memoryd.ErrScopeDisposed) {
		t.Errorf("it is %v", err)
	}
}
