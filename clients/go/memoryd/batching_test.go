package memoryd

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// batchingLog is the calls of a client that batches, which it answers in place of a daemon. Nothing is sent before send.
type batchingLog struct {
	client *Client
	// running are the callers.
	running sync.WaitGroup

	mutex     sync.Mutex
	calls     []string
	failure   error
	cancelled int
	// answer is closed when shared calls are to be answered; nil for at once.
	answer chan struct{}
}

func newBatchingLog(t *testing.T) *batchingLog {
	t.Helper()
	log := &batchingLog{}
	client, err := NewClient("127.0.0.1:1", WithBatching(time.Hour), WithTimeout(2*time.Hour),
		WithDialOptions(grpc.WithChainUnaryInterceptor(log.intercept)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	log.client = client
	return log
}

func (l *batchingLog) intercept(
	ctx context.Context, method string, request, reply any, _ *grpc.ClientConn, _ grpc.UnaryInvoker, _ ...grpc.CallOption,
) error {
	called, keys, response := strings.ToLower(path.Base(method)), []string{}, proto.Message(nil)
	switch request := request.(type) {
	case *memorydv1.BatchGetEntriesRequest:
		called, keys = "get", request.GetKeys()
		found := &memorydv1.BatchGetEntriesResponse{}
		for _, key := range keys {
			found.Entries = append(found.Entries, &memorydv1.Entry{Key: key})
		}
		response = found
	case *memorydv1.CommitRequest:
		called = "commit"
		results := &memorydv1.CommitResponse{}
		for _, write := range request.GetWrites() {
			result := &memorydv1.WriteResult{}
			if set := write.GetSetEntry(); set != nil {
				keys = append(keys, set.GetKey())
				result.Result = &memorydv1.WriteResult_SetEntry{SetEntry: &memorydv1.SetEntryResponse{Revision: 7}}
			} else {
				keys = append(keys, write.GetRemoveEntry().GetKey())
				result.Result = &memorydv1.WriteResult_RemoveEntry{RemoveEntry: &memorydv1.RemoveEntryResponse{Deleted: true}}
			}
			results.Results = append(results.Results, result)
		}
		response = results
	case interface{ GetKey() string }:
		called, keys = strings.TrimSuffix(called, "entry"), []string{request.GetKey()}
	}
	called += " " + strings.Join(keys, " ")
	if scoped, isScoped := request.(interface{ GetScopeId() string }); isScoped && scoped.GetScopeId() != "" {
		called += " in " + scoped.GetScopeId()
	}
	l.mutex.Lock()
	l.calls = append(l.calls, called)
	failure, answer := l.failure, l.answer
	if response != nil {
		l.failure = nil
	}
	l.mutex.Unlock()
	if response == nil {
		return nil
	}
	if answer != nil {
		select {
		case <-answer:
		case <-ctx.Done():
			l.mutex.Lock()
			l.cancelled++
			l.mutex.Unlock()
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	proto.Merge(reply.(proto.Message), response)
	return failure
}

// begin begins calls, in this order. Each waits to be sent.
func (l *batchingLog) begin(calls ...func()) {
	for _, call := range calls {
		before := l.added()
		l.running.Go(call)
		for l.added() == before {
			time.Sleep(time.Millisecond)
		}
	}
}

// added returns the number of calls that wait to be sent.
func (l *batchingLog) added() (count int) {
	batcher := l.client.caller.batcher
	batcher.mutex.Lock()
	defer batcher.mutex.Unlock()
	for _, each := range batcher.lanes {
		count += len(each.waiting)
	}
	return count
}

// send sends what waits, as the end of the window does.
func (l *batchingLog) send() { l.client.caller.batcher.send() }

// end sends what waits, and waits for the answers.
func (l *batchingLog) end() {
	l.send()
	l.running.Wait()
}

// called waits until there are this many calls, and returns them in the order of their names.
func (l *batchingLog) called(count int) []string {
	for {
		l.mutex.Lock()
		calls := slices.Clone(l.calls)
		l.mutex.Unlock()
		if len(calls) >= count {
			slices.Sort(calls)
			return calls
		}
		time.Sleep(time.Millisecond)
	}
}

func expectCalls(t *testing.T, log *batchingLog, expected ...string) {
	t.Helper()
	if found := log.called(len(expected)); !slices.Equal(found, expected) {
		t.Errorf("they are %q and not %q", found, expected)
	}
}

func TestCallsOfAWindowTravelTogetherForEachScopeThatIsRead(t *testing.T) {
	log := newBatchingLog(t)
	ctx, agent := t.Context(), log.client.Agent("a")
	scope := agent.Attach("s")
	get := func(m WorkingMemory, key string, options ...ReadOption) func() {
		return func() {
			if entry, found, err := m.GetEntry(ctx, key, options...); err != nil || !found || entry.GetKey() != key {
				t.Errorf("%s is %v, %v, %v", key, entry, found, err)
			}
		}
	}
	log.begin(
		get(agent, "a"), get(agent, "b"), get(agent, "a"),
		get(scope, "a"), get(scope, "c"), get(scope, "d", LocalOnly()), get(scope, "e", LocalOnly()),
		func() {
			if stored, err := agent.Set(ctx, "d", 1); err != nil || stored.GetRevision() != 7 {
				t.Errorf("it is %v, %v", stored, err)
			}
		},
		func() {
			if removed, err := scope.Remove(ctx, "f"); err != nil || !removed {
				t.Errorf("it is %v, %v", removed, err)
			}
		},
	)
	log.end()
	expectCalls(t, log, "commit d f", "get a b a", "get a c in s", "get d e in s")
}

func TestWhatWouldChangeAResultIsSentByItself(t *testing.T) {
	log := newBatchingLog(t)
	ctx, agent := t.Context(), log.client.Agent("a")
	_, _ = agent.Set(ctx, "condition", 1, IfAbsent())
	_, _ = agent.Remove(ctx, "condition", IfPresent())
	_, _, _ = agent.GetEntry(ctx, "consistency", WithMinRevision(1))
	_, _ = agent.Set(ctx, "invalid \xff", 1)
	_, _ = agent.Set(ctx, "tag", 1, WithTags("\xff"))
	_, _, _ = agent.GetEntry(metadata.AppendToOutgoingContext(ctx, "header", "value"), "header")
	_, _ = agent.Contains(ctx, "contains")
	expectCalls(t, log, "contains contains", "get consistency", "get header", "remove condition", "set condition",
		"set invalid \xff", "set tag")
}

func TestACallAloneIsSentAsItIs(t *testing.T) {
	log := newBatchingLog(t)
	ctx, agent := t.Context(), log.client.Agent("a")
	log.begin(func() { _, _ = agent.Set(ctx, "a", 1) })
	log.end()
	log.begin(func() { _, _, _ = agent.GetEntry(ctx, "a") })
	log.end()
	expectCalls(t, log, "get a", "set a")
}

func TestACallComesAfterTheEarlierWritesOfItsKey(t *testing.T) {
	log := newBatchingLog(t)
	log.answer = make(chan struct{})
	ctx, agent := t.Context(), log.client.Agent("a")
	set := func(key string) func() { return func() { _, _ = agent.Set(ctx, key, 1) } }
	log.begin(set("a"), set("b"), func() { _, _, _ = agent.GetEntry(ctx, "a") }, set("a"))
	log.send()
	expectCalls(t, log, "commit a b")
	// A call that is sent by itself waits for the commit, too.
	log.running.Go(func() { _, _ = agent.Contains(ctx, "z") })
	log.send()
	expectCalls(t, log, "commit a b")
	close(log.answer)
	log.running.Wait()
	expectCalls(t, log, "commit a b", "contains z", "get a", "set a")
}

func TestWritesOfOneKeyAreWritesOfOneCommitInTheirOrder(t *testing.T) {
	log := newBatchingLog(t)
	ctx, agent := t.Context(), log.client.Agent("a")
	log.begin(
		func() { _, _ = agent.Set(ctx, "a", 1) },
		func() { _, _ = agent.Set(ctx, "b", 1) },
		func() { _, _ = agent.Remove(ctx, "a") },
	)
	log.end()
	expectCalls(t, log, "commit a b a")
}

func TestAfterABatchThatWasRefusedEachCallIsMadeByItself(t *testing.T) {
	for code, each := range map[codes.Code][]string{
		codes.InvalidArgument:   {"commit a b", "set a", "set b"},
		codes.ResourceExhausted: {"commit a b", "set a", "set b"},
		codes.Internal:          {"commit a b"},
		codes.DeadlineExceeded:  {"commit a b"},
	} {
		log := newBatchingLog(t)
		log.failure = status.Error(code, "no")
		ctx, agent := t.Context(), log.client.Agent("a")
		set := func(key string) func() {
			return func() {
				_, err := agent.Set(ctx, key, 1)
				if isRefused := len(each) > 1; isRefused != (err == nil) {
					t.Errorf("%s: it is %v", code, err)
				}
			}
		}
		log.begin(set("a"), set("b"))
		log.end()
		expectCalls(t, log, each...)
		log.send()
		if lanes := log.client.caller.batcher.lanes; len(lanes) != 0 {
			t.Errorf("%s: calls are left", code)
		}
	}
	log := newBatchingLog(t)
	log.failure = status.Error(codes.NotFound, "no")
	agent := log.client.Agent("a")
	get := func(key string) func() { return func() { _, _, _ = agent.GetEntry(t.Context(), key) } }
	log.begin(get("a"), get("b"))
	log.end()
	expectCalls(t, log, "get a", "get a b", "get b")
}

func TestAContextEndsItsCallAndABatchOnceAllHaveEnded(t *testing.T) {
	log := newBatchingLog(t)
	log.answer = make(chan struct{})
	ended, end := context.WithCancel(t.Context())
	agent, failures := log.client.Agent("a"), make(chan error, 4)
	get := func(ctx context.Context, m WorkingMemory, key string) func() {
		return func() {
			_, _, err := m.GetEntry(ctx, key)
			failures <- err
		}
	}
	scope := agent.Attach("s")
	log.begin(get(ended, agent, "a"), get(t.Context(), agent, "b"), get(ended, scope, "a"), get(ended, scope, "b"))
	log.send()
	expectCalls(t, log, "get a b", "get a b in s")
	end()
	for range 3 {
		if err := <-failures; !errors.Is(err, ErrCancelled) {
			t.Errorf("it is %v", err)
		}
	}
	for cancelled := 0; cancelled == 0; time.Sleep(time.Millisecond) {
		log.mutex.Lock()
		cancelled = log.cancelled
		log.mutex.Unlock()
	}
	close(log.answer)
	log.running.Wait()
	if err := <-failures; err != nil || log.cancelled != 1 {
		t.Errorf("the rest is %v after %d cancelled calls", err, log.cancelled)
	}
}

func TestACallWhoseContextEndsBeforeItIsSentIsNotSent(t *testing.T) {
	log := newBatchingLog(t)
	ended, end := context.WithCancel(t.Context())
	agent, failures := log.client.Agent("a"), make(chan error, 1)
	log.begin(
		func() {
			_, err := agent.Set(ended, "a", 1)
			failures <- err
		},
		func() { _, _ = agent.Set(t.Context(), "b", 1) },
	)
	end()
	if err := <-failures; !errors.Is(err, context.Canceled) {
		t.Errorf("it is %v", err)
	}
	log.end()
	expectCalls(t, log, "set b")
}

func TestAWindowThatIsNotAllowedIsRefused(t *testing.T) {
	for _, window := range []time.Duration{-1, time.Hour} {
		if _, err := NewClient("127.0.0.1:1", WithBatching(window)); !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("it is %v", err)
		}
	}
}
