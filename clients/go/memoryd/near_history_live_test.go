package memoryd_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

const (
	historyChanges = 150
	historyKills   = 4
	// historyStaleness is the bound of the caches that are read.
	historyStaleness = 300 * time.Millisecond
)

// TestNoNearReadIsOlderThanWasPromised reads under changes of all kinds, expiry, merges, disposals, restores, ends and
// kills of the daemon. What a reader gets must be explained by one state of the agent that is not older than promised.
func TestNoNearReadIsOlderThanWasPromised(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { playHistory(t, seed) })
	}
}

func playHistory(t *testing.T, seed uint64) {
	daemon := startDaemon(t)
	client, other := daemon.connect(patient()...), daemon.connect(patient()...)
	var over atomic.Bool
	var writing, reading sync.WaitGroup
	var changes [2]atomic.Int64
	for i, writer := range []*historyWriter{
		newHistoryWriter(t.Context(), client, "own", seed), newHistoryWriter(t.Context(), other, "theirs", seed),
	} {
		cache := nearCache(t, client.Agent(writer.agent.AgentID()), memoryd.MaxStaleness(historyStaleness))
		staleness := []time.Duration{0, historyStaleness}[i]
		reading.Go(func() { readOn(t, writer, cache, staleness, &over, seed) })
		writing.Go(func() {
			for range historyChanges {
				if err := writer.change(); err != nil {
					t.Error(err)
				}
				changes[i].Add(1)
			}
		})
	}
	for kill := range int64(historyKills) {
		due := (kill + 1) * historyChanges / (historyKills + 1)
		until(t, "there are changes", func() bool { return changes[0].Load() >= due && changes[1].Load() >= due })
		daemon.kill()
		daemon.start()
	}
	writing.Wait()
	over.Store(true)
	reading.Wait()
}

// readOn reads at random until it is over, and fails the test for what no state of the agent explains.
func readOn(
	t *testing.T, writer *historyWriter, cache *memoryd.NearCache, staleness time.Duration, over *atomic.Bool, seed uint64,
) {
	chance, count := rand.New(rand.NewPCG(seed, 2)), 0
	for ; !over.Load(); count++ {
		scopeID := pick(chance, writer.scopes())
		keys := []string{pick(chance, historyKeys)}
		if chance.IntN(2) == 0 {
			keys = append(keys, pick(chance, historyKeys), pick(chance, historyKeys))
		}
		floor, begin := writer.floor(time.Now().Add(-staleness)), time.Now().UnixNano()
		seen, err := numbersIn(t, cache, scopeID, keys)
		if err != nil {
			t.Error(err)
		}
		if !writer.explains(floor, scopeID, seen, begin, time.Now().UnixNano()) {
			t.Errorf("no state from %d on explains that in %q there is %v", floor, scopeID, seen)
		}
	}
	if count < historyChanges {
		t.Errorf("there were only %d reads", count)
	}
}

func numbersIn(t *testing.T, cache *memoryd.NearCache, scopeID string, keys []string) (map[string]int, error) {
	memory, seen := cache.Attach(scopeID), map[string]int{}
	var err error
	if len(keys) > 1 {
		seen, err = memoryd.NearGetMany[int](t.Context(), memory, keys)
	} else {
		seen[keys[0]], _, err = memoryd.NearGet[int](t.Context(), memory, keys[0])
	}
	isGone := errors.Is(err, memoryd.ErrScopeDisposed) || errors.Is(err, memoryd.ErrRecordNotFound)
	if err != nil && !isGone {
		return nil, err
	}
	found := map[string]int{}
	for _, key := range keys {
		if found[key] = seen[key]; isGone {
			found[key] = noScope
		}
	}
	return found, nil
}
