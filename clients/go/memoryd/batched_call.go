package memoryd

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// batchable is the request of a call that can be sent with others.
type batchable interface {
	proto.Message
	GetAgentId() string
	GetScopeId() string
	GetKey() string
}

// batchedCall is one call that waits to be sent with others.
type batchedCall struct {
	ctx     context.Context
	request batchable
	// outcomes receives its outcome, unless its caller has given up.
	outcomes    chan outcome
	lane        *lane
	isAbandoned bool
	// shared is the call in place of several that it has become a part of, and chunk the writes that it is one of.
	shared *sharedCall
	chunk  *chunk
}

// outcome is what a shared call has returned for one of its callers, or that this one is to make its call by itself.
type outcome struct {
	response proto.Message
	err      error
	isAlone  bool
}

func newBatchedCall(ctx context.Context, request batchable) *batchedCall {
	return &batchedCall{ctx: ctx, request: request, outcomes: make(chan outcome, 1)}
}

func (c *batchedCall) deliver(result outcome) {
	if !c.isAbandoned {
		c.outcomes <- result
	}
}

// abandon is called when the caller has given up. A shared call is cancelled once all of its callers have.
func (c *batchedCall) abandon() {
	c.isAbandoned = true
	if c.shared == nil {
		return
	}
	c.shared.callers--
	if c.shared.callers == 0 {
		c.shared.cancel()
	}
}

// sharedCall is a call in place of several.
type sharedCall struct {
	callers int
	cancel  context.CancelFunc
}

// share returns the context of a call in place of others, which all have a deadline: it lasts until the last one. The
// function must be called at its end.
func share(calls []*batchedCall) (context.Context, context.CancelFunc) {
	var latest time.Time
	for _, call := range calls {
		if deadline, _ := call.ctx.Deadline(); deadline.After(latest) {
			latest = deadline
		}
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(calls[0].ctx), latest)
	shared := &sharedCall{callers: len(calls), cancel: cancel}
	for _, call := range calls {
		call.shared = shared
	}
	return ofLane(ctx), cancel
}

// canShare reports whether a call may be sent with others: not if a condition or a consistency would be that of all, or if
// a text that gRPC cannot send would fail all.
func canShare(request batchable) bool {
	if !utf8.ValidString(request.GetKey()) || !utf8.ValidString(request.GetScopeId()) {
		return false
	}
	switch request := request.(type) {
	case *memorydv1.GetEntryRequest:
		return request.GetConsistency() == nil
	case *memorydv1.RemoveEntryRequest:
		return request.GetPrecondition() == nil
	case *memorydv1.SetEntryRequest:
		return request.GetPrecondition() == nil && isSendable(request)
	}
	return false
}

func isSendable(request *memorydv1.SetEntryRequest) bool {
	texts := [...]string{request.GetValueJson(), request.GetTypeName(), request.GetUserId()}
	if slices.ContainsFunc(texts[:], isInvalid) || slices.ContainsFunc(request.GetTags(), isInvalid) {
		return false
	}
	if request.GetMetadata() == nil {
		return true
	}
	_, err := proto.Marshal(request.GetMetadata())
	return err == nil
}

func isInvalid(text string) bool { return !utf8.ValidString(text) }
