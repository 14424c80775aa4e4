package memoryd

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// seenMax is the maximum time for which a write waits until the near caches of its agent have it. Then they ask the
// daemon.
const seenMax = time.Second

// nearCopies are the near caches of a client by their agents, whose writes they have to see.
type nearCopies struct {
	mutex   sync.RWMutex
	byAgent map[string][]*nearCopy
}

func (n *nearCopies) enter(c *nearCopy) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.byAgent == nil {
		n.byAgent = map[string][]*nearCopy{}
	}
	// Those that wait hold the former slice.
	n.byAgent[c.agentID] = append(slices.Clip(n.byAgent[c.agentID]), c)
}

func (n *nearCopies) exit(c *nearCopy) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	isClosed := func(each *nearCopy) bool { return each == c }
	n.byAgent[c.agentID] = slices.DeleteFunc(slices.Clone(n.byAgent[c.agentID]), isClosed)
	if len(n.byAgent[c.agentID]) == 0 {
		delete(n.byAgent, c.agentID)
	}
}

// ofEveryAgent returns the near caches of all agents.
func (n *nearCopies) ofEveryAgent() []*nearCopy {
	return slices.Concat(slices.Collect(maps.Values(n.byAgent))...)
}

// nearWrite is a write that begins, with what the near caches that it concerns had before it. The response to one of every
// agent has no revision. One without caches concerns none.
type nearWrite struct {
	caches       *nearCopies
	agentID      string
	before       map[*nearCopy]mark
	ofEveryAgent bool
}

// begin returns the write of a request, which shows nothing if it is a read.
func (n *nearCopies) begin(method string, request any) nearWrite {
	agentID := changedAgent(request)
	restore, isRestore := request.(*memorydv1.RestoreSnapshotRequest)
	write := nearWrite{agentID: agentID, ofEveryAgent: isRestore && agentID == "" && !restore.GetDryRun()}
	if readsOnly(method) || agentID == "" && !write.ofEveryAgent {
		return nearWrite{}
	}
	write.caches = n
	for _, each := range write.copies() {
		if write.before == nil {
			write.before = map[*nearCopy]mark{}
		}
		write.before[each] = each.reached()
	}
	return write
}

// copies returns the near caches that the write concerns.
func (w nearWrite) copies() []*nearCopy {
	w.caches.mutex.RLock()
	defer w.caches.mutex.RUnlock()
	if w.ofEveryAgent {
		return w.caches.ofEveryAgent()
	}
	return w.caches.byAgent[w.agentID]
}

// changedAgent returns the id of the agent that a request changes; empty if it changes none, or all.
func changedAgent(request any) string {
	if checked, ok := request.(interface{ GetDryRun() bool }); ok && checked.GetDryRun() {
		return ""
	}
	if restore, ok := request.(*memorydv1.RestoreSnapshotRequest); ok && restore.GetAsAgentId() != "" {
		return restore.GetAsAgentId()
	}
	if named, ok := request.(interface{ GetAgentId() string }); ok {
		return named.GetAgentId()
	}
	return ""
}

// end waits until the near caches have the revision of the response, also those that were opened after the beginning.
func (w nearWrite) end(ctx context.Context, reply any) {
	if w.caches == nil {
		return
	}
	copies := w.copies()
	if len(copies) == 0 {
		return
	}
	if w.ofEveryAgent {
		for _, each := range copies {
			// A proof, or another load, shows that it has the change.
			each.owe(mark{revision: math.MaxInt64})
		}
		return
	}
	response, hasRevision := reply.(interface{ GetRevision() int64 })
	if !hasRevision || response.GetRevision() == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, seenMax)
	defer cancel()
	for _, each := range copies {
		// One that was opened meanwhile had nothing before: the zero mark.
		each.see(ctx, markOf(response.GetRevision(), w.before[each]))
	}
}

// reached returns the state that the mirror has.
func (c *nearCopy) reached() mark {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	return markAt(c.mirror)
}

// see waits until the mirror has a write of this client that has returned, until the context ends. Then the write is owed.
func (c *nearCopy) see(ctx context.Context, written mark) {
	if !c.expects(written) || !c.wait(ctx, func() bool { return written.isReached(c.mirror) }) {
		c.owe(written)
	}
}

// expects reports whether the mirror will have a state soon. It will not while it is being loaded; and a state of a later
// life is either of another store, or the response to a repeated request, which the next proof finds out.
func (c *nearCopy) expects(written mark) bool {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	return c.mirror.isComplete && written.lives <= c.mirror.lives
}
