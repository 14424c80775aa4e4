package memoryd

import (
	"context"
	"errors"
	"time"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// nearOutageMax lets the watch of a near cache wait for the daemon as long as the cache is open.
const nearOutageMax = 100 * 365 * 24 * time.Hour

// lookupPath returns the scope of the cache, its ancestors and the root; nothing if the cache is of the whole agent.
func (c *nearCopy) lookupPath(ctx context.Context) ([]string, error) {
	if c.settings.scopeID == rootScope {
		return nil, nil
	}
	path := []string{c.settings.scopeID}
	for last := c.settings.scopeID; last != rootScope; path = append(path, last) {
		answer, err := c.client.workingMemory.GetScope(ctx, &memorydv1.GetScopeRequest{AgentId: c.agentID, ScopeId: last})
		if err != nil {
			return nil, err
		}
		last = answer.GetScope().GetParentScopeId()
	}
	return path, nil
}

// nearFilters returns the filters of the watch of a near cache: of the whole agent, or of a scope, which is the first of
// scopeIDs. The others are its ancestors, up to the root.
func nearFilters(agentID string, scopeIDs []string, settings nearSettings) []*memorydv1.EventFilter {
	filter := func(kinds ...memorydv1.RecordKind) *memorydv1.EventFilter {
		return &memorydv1.EventFilter{AgentIds: []string{agentID}, Kinds: kinds}
	}
	working := func(scopeIDs []string) *memorydv1.EventFilter {
		found := filter(memorydv1.RecordKind_RECORD_KIND_ENTRY, memorydv1.RecordKind_RECORD_KIND_SCOPE,
			memorydv1.RecordKind_RECORD_KIND_AGENT)
		found.ScopeIds, found.KeyPrefix = scopeIDs, settings.keyPrefix
		return found
	}
	filters := []*memorydv1.EventFilter{working(nil)}
	if len(scopeIDs) > 0 {
		own, ancestors := working(scopeIDs[:1]), working(scopeIDs[1:])
		own.IncludeDescendants = true
		filters = []*memorydv1.EventFilter{own, ancestors}
	}
	if settings.notes {
		filters = append(filters, filter(memorydv1.RecordKind_RECORD_KIND_NOTE, memorydv1.RecordKind_RECORD_KIND_AGENT))
	}
	return filters
}

// follow keeps the mirror current by watches, until the copy is closed or one of them fails for good.
func (c *nearCopy) follow(filters []*memorydv1.EventFilter) {
	failures := 0
	for c.ctx.Err() == nil {
		isLoaded, err := c.followOnce(filters)
		if c.ctx.Err() != nil {
			return
		}
		if !c.mayGoOn(err) {
			c.fail(err)
			return
		}
		if isLoaded {
			failures = 0
		}
		failures++
		c.client.caller.sleep(c.ctx, backoffAfter(failures, longestWatchDelay, jitter()))
	}
}

// followOnce loads a new mirror and keeps it current until the watch ends. It returns whether the mirror was complete.
func (c *nearCopy) followOnce(filters []*memorydv1.EventFilter) (bool, error) {
	began, loading := time.Since(started), newMirror(c.settings.bytesMax, wallClock)
	watch, err := c.client.Watch(c.ctx, filters, WithInitialState(), ProgressOnCommit(), WithOutageMax(nearOutageMax))
	if err != nil {
		return false, err
	}
	defer watch.Close()
	isLoaded := false
	for message, err := range watch.Messages() {
		switch {
		case err != nil:
			return isLoaded, err
		case message.Restarted:
			began, loading = time.Since(started), newMirror(c.settings.bytesMax, wallClock)
		case isLoaded:
			err = c.apply(message.WatchEventsResponse)
		default:
			err = loading.apply(message.WatchEventsResponse)
			if isLoaded = err == nil && loading.isComplete; isLoaded {
				c.replace(loading, began)
			}
		}
		if err != nil {
			return isLoaded, err
		}
	}
	return isLoaded, nil
}

func (c *nearCopy) mayGoOn(err error) bool {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	return c.mirror.isComplete && beginsAgain(err)
}

// beginsAgain reports whether a watch that ended with this error may begin again with the initial state.
func beginsAgain(err error) bool {
	if errors.Is(err, ErrInvalidResumeToken) {
		return true
	}
	for _, permanent := range []error{
		ErrCacheFull, ErrInvalidArgument, ErrPermissionDenied, ErrUnauthenticated, ErrUnimplemented,
	} {
		if errors.Is(err, permanent) {
			return false
		}
	}
	return true
}
