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

// nearWrite is a write that begins, with the near caches that it concerns and what they had before it. The response to one
// of every agent has no revision.
type nearWrite struct {
	copies       []*nearCopy
	before       []mark
	ofEveryAgent bool
}

// begin returns the write of a request, which shows nothing if it is a read or if its agent has no near cache.
func (n *nearCopies) begin(method string, request any) nearWrite {
	agentID := changedAgent(request)
	restore, isRestore := request.(*memorydv1.RestoreSnapshotRequest)
	write := nearWrite{ofEveryAgent: isRestore && agentID == "" && !restore.GetDryRun()}
	n.mutex.RLock()
	if write.ofEveryAgent {
		write.copies = n.ofEveryAgent()
	} else {
		write.copies = n.byAgent[agentID]
	}
	n.mutex.RUnlock()
	if len(write.copies) == 0 || readsOnly(method) {
		return nearWrite{}
	}
	for _, each := range write.copies {
		write.before = append(write.before, each.reached())
	}
	return write
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

// end waits until the near caches have the revision of the response.
func (w nearWrite) end(ctx context.Context, reply any) {
	if len(w.copies) == 0 {
		return
	}
	if w.ofEveryAgent {
		for _, each := range w.copies {
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
	for i, each := range w.copies {
		each.see(ctx, markOf(response.GetRevision(), w.before[i]))
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
