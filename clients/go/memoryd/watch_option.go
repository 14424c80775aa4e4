package memoryd

import (
	"context"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const defaultOutageMax = 300 * time.Second

// WatchOption is an option of Watch. The last of WithInitialState, WithResumeToken and AfterRevision applies; without
// any of them the watch begins with the next commit. An event is emitted if it matches all selections. Each selection is
// made once, by its option or in a filter; otherwise the watch fails with ErrInvalidArgument. So does a selection that
// names none of what it selects by.
type WatchOption interface {
	applyWatch(*watchRequest)
}

type watchOption func(*watchRequest)

func (o watchOption) applyWatch(asked *watchRequest) { o(asked) }

// watchRequest is the request and the options of a watch, or the reason why the options cannot be used.
type watchRequest struct {
	message   *memorydv1.WatchEventsRequest
	outageMax time.Duration
	err       error
}

// narrow adds conditions to every filter. Without any it adds one, which matches all events before.
func (r *watchRequest) narrow(conditions *memorydv1.EventFilter, err error) {
	if len(r.message.Filters) == 0 {
		r.message.Filters = []*memorydv1.EventFilter{{}}
	}
	for _, filter := range r.message.Filters {
		if err == nil {
			err = addConditions(filter, conditions)
		}
	}
	if r.err == nil {
		r.err = err
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
	return selecting(&memorydv1.EventFilter{EventTypes: types}, someOf("types", types))
}

// OfKinds selects the events about records of these kinds.
func OfKinds(kinds ...memorydv1.RecordKind) WatchOption {
	return selecting(&memorydv1.EventFilter{Kinds: kinds}, someOf("kinds", kinds))
}

// OfCauses selects the events of these causes. Those of the initial state have EVENT_CAUSE_INITIAL_STATE.
func OfCauses(causes ...memorydv1.EventCause) WatchOption {
	return selecting(&memorydv1.EventFilter{Causes: causes}, someOf("causes", causes))
}

// InConversations selects the events of these conversations, and of their messages, plans, windows of entities and
// memories. An empty id selects records of no conversation. Events that may concern such records, such as those about the
// whole agent, are emitted, too.
func InConversations(conversationIDs ...string) WatchOption {
	record := &memorydv1.RecordFilter{ConversationIds: conversationIDs}
	return selecting(&memorydv1.EventFilter{Record: record}, someOf("conversations", conversationIDs))
}

// OfRecords selects the events of the records that filter selects.
func OfRecords(filter *memorydv1.RecordFilter) WatchOption {
	return selecting(&memorydv1.EventFilter{Record: filter}, nil)
}

func selecting(conditions *memorydv1.EventFilter, err error) WatchOption {
	return watchOption(func(asked *watchRequest) { asked.narrow(conditions, err) })
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

// ProgressOnCommit reports each commit of which no event is selected, too, and at once: by a message of
// WATCH_PHASE_PROGRESS, so that [Watch.Revision] advances once the next event or message is waited for. The filters must
// name exactly one agent.
func ProgressOnCommit() WatchOption {
	return watchOption(func(asked *watchRequest) { asked.message.ProgressOnCommit = true })
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
	return m.client.Watch(ctx, []*memorydv1.EventFilter{filter}, append(slices.Clone(options), ofUser(m.userID))...)
}

// ofUser selects the events about the bound user, unless earlier options select users.
func ofUser(userID string) WatchOption {
	return watchOption(func(asked *watchRequest) {
		for _, filter := range asked.message.Filters {
			filter.Record = aboutUser(filter.Record, userID)
		}
	})
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
	if asked.err != nil {
		return nil, asked.err
	}
	return c.beginWatch(ctx, asked)
}
