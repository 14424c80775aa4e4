package memoryd

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const defaultOutageMax = 300 * time.Second

// WatchOption is what may be said about a watch. Of WithInitialState, WithResumeToken and AfterRevision the last one
// counts; without any, the watch begins with the next commit.
type WatchOption interface {
	applyWatch(*watchRequest)
}

type watchOption func(*watchRequest)

func (o watchOption) applyWatch(asked *watchRequest) { o(asked) }

// watchRequest is a watch as it is asked for.
type watchRequest struct {
	message   *memorydv1.WatchEventsRequest
	outageMax time.Duration
}

// eventFilters returns the filters to narrow down: no filter is one that keeps all.
func (r *watchRequest) eventFilters() []*memorydv1.EventFilter {
	if len(r.message.Filters) == 0 {
		r.message.Filters = []*memorydv1.EventFilter{{}}
	}
	return r.message.Filters
}

// WithInitialState first tells what is there, as events of EVENT_CAUSE_INITIAL_STATE.
func WithInitialState() WatchOption {
	return watchOption(func(asked *watchRequest) {
		asked.message.Start = &memorydv1.WatchEventsRequest_IncludeInitialState{IncludeInitialState: true}
	})
}

// WithResumeToken goes on where a watch that had this token was. The error of the watch is ErrRevisionCompacted when the
// journal no longer has what comes next.
func WithResumeToken(token string) WatchOption {
	return watchOption(func(asked *watchRequest) {
		asked.message.Start = &memorydv1.WatchEventsRequest_ResumeToken{ResumeToken: token}
	})
}

// AfterRevision begins with the events after the revision. The filters must name exactly one agent.
func AfterRevision(revision int64) WatchOption {
	return watchOption(func(asked *watchRequest) {
		asked.message.Start = &memorydv1.WatchEventsRequest_AfterRevision{AfterRevision: revision}
	})
}

// OfEvents keeps the events of these types.
func OfEvents(types ...memorydv1.EventType) WatchOption {
	return watchOption(func(asked *watchRequest) {
		for _, filter := range asked.eventFilters() {
			filter.EventTypes = types
		}
	})
}

// ExcludeOrigin leaves out the events that this origin has caused; see [WithOrigin].
func ExcludeOrigin(origin string) WatchOption {
	return watchOption(func(asked *watchRequest) { asked.message.ExcludeOrigin = origin })
}

// WithProgressInterval sets how often a watch with nothing to tell moves its resume token, from 100 ms to 1 hour; 30 s
// by default.
func WithProgressInterval(interval time.Duration) WatchOption {
	return watchOption(func(asked *watchRequest) {
		asked.message.ProgressInterval = durationpb.New(interval)
	})
}

// WithOutageMax sets how long the daemon may stay away before the watch fails; 300 s by default.
func WithOutageMax(outage time.Duration) WatchOption {
	return watchOption(func(asked *watchRequest) { asked.outageMax = outage })
}

// Watch tells the events of the agent, or of the scope and those below it, as they are committed. It has begun when this
// returns: from then on no commit is missed. ctx is for the whole watch.
func (m *workingMemory) Watch(ctx context.Context, options ...WatchOption) (*Watch, error) {
	filter := &memorydv1.EventFilter{AgentIds: []string{m.agentID}}
	if m.scopeID != "" {
		filter.ScopeIds = []string{m.scopeID}
		filter.IncludeDescendants = true
	}
	return m.client.Watch(ctx, []*memorydv1.EventFilter{filter}, options...)
}

// Watch tells the events that any of the filters keeps, as they are committed; those of all agents without filters. It
// has begun when this returns: from then on no commit is missed. ctx is for the whole watch.
func (c *Client) Watch(
	ctx context.Context, filters []*memorydv1.EventFilter, options ...WatchOption,
) (*Watch, error) {
	asked := &watchRequest{message: &memorydv1.WatchEventsRequest{}, outageMax: defaultOutageMax}
	for _, filter := range filters {
		asked.message.Filters = append(asked.message.Filters, proto.CloneOf(filter))
	}
	for _, option := range options {
		option.applyWatch(asked)
	}
	return c.beginWatch(ctx, asked)
}
