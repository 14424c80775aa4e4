package memoryd_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func addOne(count int, _ bool) (int, error) { return count + 1, nil }

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
	_, err := memoryd.Update(t.Context(), agent, "count", func(int, bool) (int, error) { return 8, why })
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

func TestAnUpdateKeepsWhatItsOptionsDoNotGive(t *testing.T) {
	agent := liveAgent(t)
	all := []memoryd.SetOption{
		memoryd.WithTTL(time.Hour), memoryd.WithTags("a"), memoryd.WithImportance(0.9), memoryd.WithUserID("ann"),
		memoryd.WithMetadata(map[string]any{"s": 1}), memoryd.WithTypeName("Count"),
		memoryd.WithEntryType(memorydv1.EntryType_ENTRY_TYPE_INSIGHT),
	}
	must[*memorydv1.SetEntryResponse](t)(agent.Set(t.Context(), "n", 1, all...))
	before, _, _ := agent.GetEntry(t.Context(), "n")
	must[int](t)(memoryd.Update(t.Context(), agent, "n", addOne))
	after, _, _ := agent.GetEntry(t.Context(), "n")
	for _, same := range []bool{
		proto.Equal(after.GetExpireTime(), before.GetExpireTime()), proto.Equal(after.GetMetadata(), before.GetMetadata()),
		slices.Equal(after.GetTags(), before.GetTags()), after.GetImportance() == 0.9, after.GetUserId() == "ann",
		after.GetTypeName() == "Count", after.GetType() == before.GetType(), after.GetExpireTime() != nil,
	} {
		if !same {
			t.Errorf("it was %v, and is %v", before, after)
		}
	}
	must[int](t)(memoryd.Update(
		t.Context(), agent, "n", addOne, memoryd.WithTags(), memoryd.WithImportance(0), memoryd.WithoutExpiry(),
	))
	cleared, _, _ := agent.GetEntry(t.Context(), "n")
	if len(cleared.GetTags()) != 0 || cleared.GetImportance() != 0 || cleared.GetExpireTime() != nil || cleared.GetUserId() != "ann" {
		t.Errorf("it is %v", cleared)
	}
}

func TestAnUpdateTellsAMissingValueFromAZeroOne(t *testing.T) {
	agent := liveAgent(t)
	said := func(_ int, found bool) (int, error) {
		if found {
			return 2, nil
		}
		return 0, nil
	}
	for _, expected := range []int{0, 2} {
		if updated := must[int](t)(memoryd.Update(t.Context(), agent, "n", said)); updated != expected {
			t.Errorf("it is %d", updated)
		}
	}
}
