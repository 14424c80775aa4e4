package memoryd

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const defaultOutageMax = 300 * time.Second

// WatchOption is an option of Watch. The last of WithInitialState, WithResumeToken and AfterRevision applies; without
// any of them the watch begins with the next commit.
type WatchOption interface {
	applyWatch(*watchRequest)
}

type watchOption func(*watchRequest)

func (o watchOption) applyWatch(asked *watchRequest) { o(asked) }

// watchRequest is the request and the options of a watch.
type watchRequest struct {
	message   *memorydv1.WatchEventsRequest
	outageMax time.Duration
}

// narrow changes every filter. Without any it adds one, which matches all events before it is changed.
func (r *watchRequest) narrow(change func(*memorydv1.EventFilter)) {
	if len(r.message.Filters) == 0 {
		r.message.Filters = []*memorydv1.EventFilter{{}}
	}
	for _, filter := range r.message.Filters {
		change(filter)
	}
}

// WithInitialState begins the watch with the existing state, as events of EVENT_CAUSE_INITIAL_STATE.
func WithInitialState() WatchOption {
	return watchOption(func(asked *watchRequest) {
		asked.message.Start = &memorydv1.WatchEventsRequest_IncludeInitialState{IncludeInitialState: true}
	})
}

// WithResumeToken continues after the last event that another watch had yielded when it returned this token. The watch
// fails with ErrRevisionCompacted if the journal no longer retains the next event.
func WithResumeToken(token string) WatchOption {
	return watchOption(func(asked *watchRequest) {
		asked.message.Start = &memorydv1.WatchEventsRequest_ResumeToken{ResumeToken: token}
	})
}

// AfterRevision begins the watch with the events after the revision. The filters must name exactly one agent.
func AfterRevision(revision int64) WatchOption {
	return watchOption(func(asked *watchRequest) {
		asked.message.Start = &memorydv1.WatchEventsRequest_AfterRevision{AfterRevision: revision}
	})
}

// OfEvents selects the events of these types.
func OfEvents(types ...memorydv1.EventType) WatchOption {
	return narrowing(func(filter *memorydv1.EventFilter) { filter.EventTypes = types })
}

// OfKinds selects the events about records of these kinds.
func OfKinds(kinds ...memorydv1.RecordKind) WatchOption {
	return narrowing(func(filter *memorydv1.EventFilter) { filter.Kinds = kinds })
}

// OfCauses selects the events of these causes. Those of the initial state have EVENT_CAUSE_INITIAL_STATE.
func OfCauses(causes ...memorydv1.EventCause) WatchOption {
	return narrowing(func(filter *memorydv1.EventFilter) { filter.Causes = causes })
}

// InConversations selects the events of these conversations, and of their messages, plans, windows of entities and
// memories. An empty id selects records of no conversation. Events that may concern such records, such as those about the
// whole agent, are emitted, too.
func InConversations(conversationIDs ...string) WatchOption {
	return narrowing(func(filter *memorydv1.EventFilter) { recordOf(filter).ConversationIds = conversationIDs })
}

// OfRecords selects the events of the records that filter selects. It replaces what InConversations and AboutUsers among
// the options before it selected.
func OfRecords(filter *memorydv1.RecordFilter) WatchOption {
	return narrowing(func(narrowed *memorydv1.EventFilter) { narrowed.Record = proto.CloneOf(filter) })
}

func recordOf(filter *memorydv1.EventFilter) *memorydv1.RecordFilter {
	if filter.Record == nil {
		filter.Record = &memorydv1.RecordFilter{}
	}
	return filter.Record
}

func narrowing(change func(*memorydv1.EventFilter)) WatchOption {
	return watchOption(func(asked *watchRequest) { asked.narrow(change) })
}

// WithPrevious adds the record before each change to its event, if the journal still retains it.
func WithPrevious() WatchOption {
	return watchOption(func(asked *watchRequest) { asked.message.IncludePrevious = true })
}

// ExcludeOrigin omits the events that this origin caused; see [WithOrigin].
func ExcludeOrigin(origin string) WatchOption {
	return watchOption(func(asked *watchRequest) { asked.message.ExcludeOrigin = origin })
}

// WithProgressInterval sets how often the resume token advances when no event matches, from 100 ms to 1 hour; 30 s by
// default.
func WithProgressInterval(interval time.Duration) WatchOption {
	return watchOption(func(asked *watchRequest) {
		asked.message.ProgressInterval = durationpb.New(interval)
	})
}

// WithOutageMax sets how long the daemon may stay unavailable before the watch fails; 300 s by default.
func WithOutageMax(outage time.Duration) WatchOption {
	return watchOption(func(asked *watchRequest) { asked.outageMax = outage })
}

// Watch streams the events of the agent, or of the scope and those below it, as they are committed. No commit after it
// returns is missed. ctx applies to the whole watch.
func (m *workingMemory) Watch(ctx context.Context, options ...WatchOption) (*Watch, error) {
	filter := &memorydv1.EventFilter{AgentIds: []string{m.agentID}}
	if m.scopeID != "" {
		filter.ScopeIds = []string{m.scopeID}
		filter.IncludeDescendants = true
	}
	return m.client.Watch(ctx, []*memorydv1.EventFilter{filter}, options...)
}

// Watch streams the events that match any of the filters, or all events without filters, as they are committed. No
// commit after it returns is missed. ctx applies to the whole watch.
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
