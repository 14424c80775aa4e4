package memoryd

import (
	"context"
	"runtime"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// WithBatching sends calls of [WorkingMemory] together that several goroutines make within a window of time: Get and
// GetEntry as one call, Set and Remove as one commit. Each has the result and the error that it has by itself. A window of
// 0 lets the goroutines that are ready to run make their calls, which costs a caller that is alone next to nothing. It is
// at most the timeout of a call.
//
// Writes of one commit have one revision. A call waits until the earlier writes of its key are answered, unless both are
// writes of one commit. Sent by themselves are writes with a condition, reads with a [Consistency], calls whose context has
// outgoing metadata of gRPC, and all other methods. The context of a caller ends its own call; the shared one has the
// values of one caller's context, such as its span of OpenTelemetry.
func WithBatching(window time.Duration) Option {
	return func(s *settings) error {
		s.batchingWindow = &window
		return nil
	}
}

// batcher sends calls that are made at about the same time together.
type batcher struct {
	client *Client
	window time.Duration

	mutex       sync.Mutex
	lanes       map[string]*lane
	isScheduled bool
}

// batched makes a call together with others, or by itself if there are none.
func batched[Q batchable, S proto.Message](
	ctx context.Context, b *batcher, request Q, method func(context.Context, Q, ...grpc.CallOption) (S, error),
) (S, error) {
	if _, hasHeaders := metadata.FromOutgoingContext(ctx); b == nil || hasHeaders || !canShare(request) {
		return method(ctx, request)
	}
	ctx, cancel := withDefaultTimeout(ctx, b.client.caller.timeout)
	defer cancel()
	call := newBatchedCall(ctx, request)
	b.add(request.GetAgentId(), call)
	outcome := b.wait(call)
	if outcome.isAlone {
		defer b.answered(call)
		return method(ofLane(ctx), request)
	}
	response, _ := outcome.response.(S)
	return response, outcome.err
}

func (b *batcher) add(agentID string, call *batchedCall) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	called, isThere := b.lanes[agentID]
	if !isThere {
		called = newLane(b, agentID)
		b.lanes[agentID] = called
	}
	call.lane = called
	called.waiting = append(called.waiting, call)
	if b.isScheduled {
		return
	}
	b.isScheduled = true
	if b.window > 0 {
		time.AfterFunc(b.window, b.send)
		return
	}
	go func() {
		// The goroutines that are ready run first.
		runtime.Gosched()
		b.send()
	}()
}

func (b *batcher) send() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.isScheduled = false
	for agentID, each := range b.lanes {
		each.send()
		if each.isIdle() {
			delete(b.lanes, agentID)
		}
	}
}

// wait returns the outcome of a call, which is the end of its context if that comes first.
func (b *batcher) wait(call *batchedCall) outcome {
	select {
	case outcome := <-call.outcomes:
		return outcome
	case <-call.ctx.Done():
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	select {
	case outcome := <-call.outcomes:
		return outcome
	default:
	}
	call.abandon()
	return outcome{err: b.client.caller.failure(status.FromContextError(call.ctx.Err()).Err())}
}

// answered ends a call that was made by itself.
func (b *batcher) answered(call *batchedCall) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if call.chunk != nil {
		call.lane.answered(call.chunk)
	}
}

// waitBefore waits for the commits of a request's agent that are on their way, before the request is sent by itself: a
// write whose caller has given up must not come after it.
func (b *batcher) waitBefore(ctx context.Context, request any) {
	named, isNamed := request.(interface{ GetAgentId() string })
	if b == nil || !isNamed || isOfLane(ctx) {
		return
	}
	for _, commit := range b.commits(named.GetAgentId()) {
		select {
		case <-commit.done:
		case <-ctx.Done():
			return
		}
	}
}

func (b *batcher) commits(agentID string) []*chunk {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	asked, isThere := b.lanes[agentID]
	if !isThere {
		return nil
	}
	return asked.commits()
}

type ofLaneKey struct{}

// ofLane marks the context of a call that a lane sends.
func ofLane(ctx context.Context) context.Context { return context.WithValue(ctx, ofLaneKey{}, true) }

func isOfLane(ctx context.Context) bool { return ctx.Value(ofLaneKey{}) != nil }
