package memoryd_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const (
	historyScopes = 3
	forGood       = math.MaxInt64
	unknown       = 0
	noValue       = 0
	noScope       = -1
)

var historyKeys = []string{"k0", "k1", "k2", "k3", "k4", "k5"}

// written is the number under a key and when it expires, in nanoseconds since the epoch: never, if that is forGood.
type written struct {
	number   int
	expireAt int64
}

// agentState is an agent between two changes.
type agentState struct {
	values  map[string]map[string]written
	parents map[string]string
	// ackedAt is when the change to it was acknowledged; zero if it is not yet.
	ackedAt time.Time
}

func newState() *agentState {
	return &agentState{values: map[string]map[string]written{"": {}}, parents: map[string]string{}}
}

// clone returns a copy that is not acknowledged.
func (s *agentState) clone() *agentState {
	cloned := &agentState{values: map[string]map[string]written{}, parents: maps.Clone(s.parents)}
	for scopeID, values := range s.values {
		cloned.values[scopeID] = maps.Clone(values)
	}
	return cloned
}

// mayRead reports whether a look-up between two times of the wall clock may return a number, noValue or noScope.
func (s *agentState) mayRead(number int, scopeID, key string, begin, end int64) bool {
	for {
		values, exists := s.values[scopeID]
		if !exists {
			return number == noScope
		}
		if found, isSet := values[key]; isSet && (found.expireAt == unknown || begin < found.expireAt) {
			if number == found.number {
				return true
			}
			if found.expireAt != unknown && end < found.expireAt {
				return false
			}
		}
		if scopeID == "" {
			return number == noValue
		}
		scopeID = s.parents[scopeID]
	}
}

// history is the states of an agent, oldest first. The last may be one that is not acknowledged yet.
type history struct {
	mutex  sync.Mutex
	states []*agentState
}

// floor returns the newest state that was acknowledged before a time.
func (h *history) floor(before time.Time) int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for index := len(h.states) - 1; ; index-- {
		if acked := h.states[index].ackedAt; index == 0 || !acked.IsZero() && acked.Before(before) {
			return index
		}
	}
}

// explains reports whether one state from floor on explains all that was read.
func (h *history) explains(floor int, scopeID string, seen map[string]int, begin, end int64) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.ContainsFunc(h.states[floor:], func(state *agentState) bool {
		for key, number := range seen {
			if !state.mayRead(number, scopeID, key, begin, end) {
				return false
			}
		}
		return true
	})
}

func (h *history) scopes() []string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.Sorted(maps.Keys(h.states[len(h.states)-1].values))
}

// historyWriter changes an agent at random, and writes down each state before and after it is acknowledged.
type historyWriter struct {
	history
	ctx     context.Context
	agent   *memoryd.Agent
	client  *memoryd.Client
	chance  *rand.Rand
	numbers int
	saved   *agentState
	savedID string
}

func newHistoryWriter(ctx context.Context, client *memoryd.Client, agentID string, seed uint64) *historyWriter {
	writer := &historyWriter{
		ctx: ctx, agent: client.Agent(agentID), client: client, chance: rand.New(rand.NewPCG(seed, 1)),
	}
	writer.states = []*agentState{newState()}
	return writer
}

// change makes one change.
func (w *historyWriter) change() error {
	often := []func() error{w.set, w.set, w.set, w.setForAWhile, w.remove, w.batch, w.openScope}
	rare := []func() error{w.merge, w.dispose, w.clear, w.save, w.restore, w.end}
	if w.chance.Float64() < 0.75 {
		return pick(w.chance, often)()
	}
	return pick(w.chance, rare)()
}

func pick[T any](chance *rand.Rand, items []T) T { return items[chance.IntN(len(items))] }

func (w *historyWriter) place() string { return pick(w.chance, w.scopes()) }

func (w *historyWriter) memory(scopeID string) memoryd.WorkingMemory {
	if scopeID == "" {
		return w.agent
	}
	return w.agent.Attach(scopeID)
}

func (w *historyWriter) number() int {
	w.numbers++
	return w.numbers
}

// make announces the state that a change makes, makes the change, and writes down that it is acknowledged.
func (w *historyWriter) make(alter func(*agentState), change func(*agentState) error) error {
	w.mutex.Lock()
	state := w.states[len(w.states)-1].clone()
	alter(state)
	w.states = append(w.states, state)
	w.mutex.Unlock()
	if err := change(state); err != nil {
		return err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	state.ackedAt = time.Now()
	return nil
}

func (w *historyWriter) set() error {
	scopeID, key, number := w.place(), pick(w.chance, historyKeys), w.number()
	return w.make(
		func(state *agentState) { state.values[scopeID][key] = written{number, forGood} },
		func(*agentState) error {
			_, err := w.memory(scopeID).Set(w.ctx, key, number)
			return err
		})
}

// setForAWhile sets an entry in the root only: whether a merge still finds such an entry is known to the daemon alone.
func (w *historyWriter) setForAWhile() error {
	key, number := pick(w.chance, historyKeys), w.number()
	return w.make(
		func(state *agentState) { state.values[""][key] = written{number, unknown} },
		func(state *agentState) error {
			stored, err := w.agent.Set(w.ctx, key, number, memoryd.WithTTL(20*time.Millisecond))
			if err != nil {
				return err
			}
			w.mutex.Lock()
			defer w.mutex.Unlock()
			state.values[""][key] = written{number, stored.GetEntry().GetExpireTime().AsTime().UnixNano()}
			return nil
		})
}

func (w *historyWriter) remove() error {
	scopeID, key := w.place(), pick(w.chance, historyKeys)
	return w.make(
		func(state *agentState) { delete(state.values[scopeID], key) },
		func(*agentState) error {
			_, err := w.memory(scopeID).Remove(w.ctx, key)
			return err
		})
}

func (w *historyWriter) batch() error {
	scopeID, batch, numbers := w.place(), &memoryd.Batch{}, map[string]written{}
	for _, index := range w.chance.Perm(len(historyKeys))[:3] {
		key, number := historyKeys[index], w.number()
		batch.Set(key, number)
		numbers[key] = written{number, forGood}
	}
	return w.make(
		func(state *agentState) { maps.Copy(state.values[scopeID], numbers) },
		func(*agentState) error {
			_, err := w.memory(scopeID).Write(w.ctx, batch)
			return err
		})
}

func (w *historyWriter) openScope() error {
	if len(w.scopes()) > historyScopes {
		return nil
	}
	// Nobody reads in a scope whose id is not known yet.
	parentID := w.place()
	scope, err := w.memory(parentID).CreateScope(w.ctx, "s")
	if err != nil {
		return err
	}
	return w.make(
		func(state *agentState) {
			state.values[scope.ScopeID()], state.parents[scope.ScopeID()] = map[string]written{}, parentID
		},
		func(*agentState) error { return nil })
}

// leaf returns a scope without scopes below it, or "".
func (w *historyWriter) leaf() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	state := w.states[len(w.states)-1]
	parents := slices.Collect(maps.Values(state.parents))
	var leaves []string
	for scopeID := range state.parents {
		if !slices.Contains(parents, scopeID) {
			leaves = append(leaves, scopeID)
		}
	}
	if len(leaves) == 0 {
		return ""
	}
	slices.Sort(leaves)
	return pick(w.chance, leaves)
}

func (w *historyWriter) merge() error {
	scopeID := w.leaf()
	if scopeID == "" {
		return nil
	}
	return w.make(
		func(state *agentState) {
			maps.Copy(state.values[state.parents[scopeID]], state.values[scopeID])
			delete(state.values, scopeID)
			delete(state.parents, scopeID)
		},
		func(*agentState) error {
			_, err := w.agent.Attach(scopeID).Merge(w.ctx, memoryd.Overwrite)
			return err
		})
}

func (w *historyWriter) dispose() error {
	scopeID := w.leaf()
	if scopeID == "" {
		return nil
	}
	return w.make(
		func(state *agentState) {
			delete(state.values, scopeID)
			delete(state.parents, scopeID)
		},
		func(*agentState) error { return w.agent.Attach(scopeID).Close(w.ctx) })
}

func (w *historyWriter) clear() error {
	scopeID := w.place()
	return w.make(
		func(state *agentState) { state.values[scopeID] = map[string]written{} },
		func(*agentState) error {
			_, err := w.memory(scopeID).Clear(w.ctx)
			return err
		})
}

func (w *historyWriter) save() error {
	snapshotID := fmt.Sprintf("s%d-%s", w.number(), w.agent.AgentID())
	_, err := w.client.Snapshots().CreateSnapshot(w.ctx, &memorydv1.CreateSnapshotRequest{
		AgentId: w.agent.AgentID(), SnapshotId: snapshotID,
	})
	if errors.Is(err, memoryd.ErrAgentNotFound) {
		return nil
	}
	w.saved, w.savedID = w.states[len(w.states)-1].clone(), snapshotID
	return err
}

func (w *historyWriter) restore() error {
	if w.saved == nil {
		return nil
	}
	saved, snapshotID := w.saved, w.savedID
	return w.make(
		func(state *agentState) { *state = *saved.clone() },
		func(*agentState) error {
			_, err := w.client.Snapshots().RestoreSnapshot(w.ctx, &memorydv1.RestoreSnapshotRequest{
				AgentId: w.agent.AgentID(), SnapshotId: snapshotID,
			})
			return err
		})
}

func (w *historyWriter) end() error {
	if w.chance.Float64() < 0.5 {
		return nil
	}
	return w.make(
		func(state *agentState) { *state = *newState() },
		func(*agentState) error {
			_, err := w.agent.End(w.ctx)
			return err
		})
}
