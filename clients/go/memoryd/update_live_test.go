package memoryd_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

func addOne(count int) (int, error) { return count + 1, nil }

func TestNoUpdateIsLost(t *testing.T) {
	agent := liveAgent(t)
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 10 {
				if _, err := memoryd.Update(t.Context(), agent, "count", addOne); err != nil {
					t.Error(err)
				}
			}
		})
	}
	callers.Wait()
	if count := get[int](t, agent, "count"); count != 80 {
		t.Errorf("the count is %d", count)
	}
}

func TestAnUpdateBeginsWithTheZeroValueAndReturnsTheNewOne(t *testing.T) {
	agent := liveAgent(t)
	updated, err := memoryd.Update(t.Context(), agent, "count", addOne, memoryd.WithTags("counter"))
	if err != nil || updated != 1 {
		t.Errorf("it is %d, %v", updated, err)
	}
	if keys := keysOf(t, agent, memoryd.WithAllTags("counter")); len(keys) != 1 {
		t.Errorf("they are %v", keys)
	}
}

func TestAnUpdateThatFailsChangesNothing(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "count", 7)
	why := errors.New("not today")
	_, err := memoryd.Update(t.Context(), agent, "count", func(int) (int, error) { return 8, why })
	if !errors.Is(err, why) || get[int](t, agent, "count") != 7 {
		t.Errorf("it is %v", err)
	}
}

func TestAnUpdateInAScopeChangesOnlyItsOwnValue(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "count", 7)
	scope := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	if updated, err := memoryd.Update(t.Context(), scope, "count", addOne); err != nil || updated != 1 {
		t.Errorf("it is %d, %v", updated, err)
	}
	if count := get[int](t, agent, "count"); count != 7 {
		t.Errorf("the root's is %d", count)
	}
}
