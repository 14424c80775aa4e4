package memoryd

import (
	"errors"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const (
	sharedCallsMax = 1_000
	commitBytesMax = 1 << 20
)

// refusals are the codes after which nothing has changed, and of which one call alone may be the cause. After others each
// call would fail, too, or nobody knows whether the changes were made.
var refusals = []codes.Code{
	codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied, codes.ResourceExhausted,
	codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented,
}

// lane is the calls of one agent that wait to be sent together. Its batcher's mutex guards it.
type lane struct {
	batcher *batcher
	agentID string
	waiting []*batchedCall
	// unanswered are the chunks that are on their way, by the keys that they write.
	unanswered map[string]*chunk
}

// chunk is writes that travel as one commit.
type chunk struct {
	writes []*batchedCall
	bytes  int
	// left is the number of calls that are not answered; done is closed when there are none.
	left int
	done chan struct{}
}

// add adds a write if there is room for it.
func (c *chunk) add(call *batchedCall) bool {
	size := proto.Size(call.request)
	if len(c.writes) == sharedCallsMax || len(c.writes) > 0 && c.bytes+size > commitBytesMax {
		return false
	}
	c.bytes += size
	c.writes = append(c.writes, call)
	call.chunk = c
	return true
}

// readPlace is where reads of one call look.
type readPlace struct {
	scopeID   string
	localOnly bool
}

func newLane(batcher *batcher, agentID string) *lane {
	return &lane{batcher: batcher, agentID: agentID, unanswered: map[string]*chunk{}}
}

// isIdle reports whether no call waits, and no write is unanswered.
func (l *lane) isIdle() bool { return len(l.waiting) == 0 && len(l.unanswered) == 0 }

// commits returns the commits of several writes that are not answered.
func (l *lane) commits() (found []*chunk) {
	for _, each := range l.unanswered {
		if len(each.writes) > 1 && !slices.Contains(found, each) {
			found = append(found, each)
		}
	}
	return found
}

// send sends all calls that need not wait any longer. One that waits holds up the later calls of its key.
func (l *lane) send() {
	waiting := l.waiting
	l.waiting = nil
	held := map[string]bool{}
	reads := map[readPlace][]*batchedCall{}
	var chunks []*chunk
	for _, call := range waiting {
		if call.isAbandoned {
			continue
		}
		key := call.request.GetKey()
		if held[key] || !l.place(call, reads, &chunks) {
			held[key] = true
			l.waiting = append(l.waiting, call)
		}
	}
	for place, calls := range reads {
		for group := range slices.Chunk(calls, sharedCallsMax) {
			l.read(place, group)
		}
	}
	for _, each := range chunks {
		l.write(each)
	}
}

// place adds a call to those to be sent. It returns false if the call has to wait for an earlier write.
func (l *lane) place(call *batchedCall, reads map[readPlace][]*batchedCall, chunks *[]*chunk) bool {
	key := call.request.GetKey()
	earlier := l.unanswered[key]
	if request, isRead := call.request.(*memorydv1.GetEntryRequest); isRead {
		if earlier == nil {
			place := readPlace{request.GetScopeId(), request.GetLocalOnly()}
			reads[place] = append(reads[place], call)
		}
		return earlier == nil
	}
	var last *chunk
	if len(*chunks) > 0 {
		last = (*chunks)[len(*chunks)-1]
	}
	if earlier != nil && earlier != last {
		return false
	}
	if last == nil || !last.add(call) {
		if earlier != nil {
			return false
		}
		last = &chunk{done: make(chan struct{})}
		last.add(call)
		*chunks = append(*chunks, last)
	}
	l.unanswered[key] = last
	return true
}

func (l *lane) read(place readPlace, calls []*batchedCall) {
	if len(calls) == 1 {
		calls[0].deliver(outcome{isAlone: true})
		return
	}
	ctx, cancel := share(calls)
	request := &memorydv1.BatchGetEntriesRequest{
		AgentId: l.agentID, ScopeId: place.scopeID, LocalOnly: place.localOnly, Keys: make([]string, len(calls)),
	}
	for i, call := range calls {
		request.Keys[i] = call.request.GetKey()
	}
	go func() {
		defer cancel()
		response, err := l.batcher.client.workingMemory.BatchGetEntries(ctx, request)
		l.batcher.mutex.Lock()
		defer l.batcher.mutex.Unlock()
		if err != nil {
			fail(calls, err)
			return
		}
		// They are in the order of the keys. A key that was requested twice has two, each for one caller.
		entries := response.GetEntries()
		for _, call := range calls {
			result := &memorydv1.GetEntryResponse{}
			if len(entries) > 0 && entries[0].GetKey() == call.request.GetKey() {
				result.Found, result.Entry = true, entries[0]
				entries = entries[1:]
			}
			call.deliver(outcome{response: result})
		}
	}()
}

func (l *lane) write(writes *chunk) {
	writes.left = len(writes.writes)
	if writes.left == 1 {
		writes.writes[0].deliver(outcome{isAlone: true})
		return
	}
	ctx, cancel := share(writes.writes)
	request := &memorydv1.CommitRequest{AgentId: l.agentID, Writes: make([]*memorydv1.Write, len(writes.writes))}
	for i, call := range writes.writes {
		request.Writes[i] = writeOf(call.request)
	}
	go func() {
		defer cancel()
		response, err := l.batcher.client.transactions.Commit(ctx, request)
		l.batcher.mutex.Lock()
		defer l.batcher.mutex.Unlock()
		if err != nil {
			writes.left = fail(writes.writes, err) + 1
		} else {
			deliverResults(writes.writes, response.GetResults())
			writes.left = 1
		}
		l.answered(writes)
	}()
}

// answered is called when one of the calls of a chunk is answered. After the last one, calls that wait for it are sent.
func (l *lane) answered(writes *chunk) {
	if writes.left--; writes.left > 0 {
		return
	}
	for _, call := range writes.writes {
		delete(l.unanswered, call.request.GetKey())
	}
	close(writes.done)
	l.send()
}

// fail has each call made by itself if one of them may be the cause of the error, and returns their number; otherwise each
// call fails with the error.
func fail(calls []*batchedCall, err error) (alone int) {
	var failed *Error
	isRefused := errors.As(err, &failed) && slices.Contains(refusals, failed.Code) && !errors.Is(err, ErrOverloaded)
	for _, call := range calls {
		call.shared = nil
		call.deliver(outcome{err: err, isAlone: isRefused})
		if isRefused && !call.isAbandoned {
			alone++
		}
	}
	return alone
}

func deliverResults(writes []*batchedCall, results []*memorydv1.WriteResult) {
	for i, call := range writes {
		var result outcome
		switch {
		case i >= len(results):
			result.err = errorFrom(status.Newf(codes.Internal, "the commit has no result for write %d", i), "")
		case results[i].GetSetEntry() != nil:
			result.response = results[i].GetSetEntry()
		default:
			result.response = results[i].GetRemoveEntry()
		}
		call.deliver(result)
	}
}

func writeOf(request batchable) *memorydv1.Write {
	if set, isSet := request.(*memorydv1.SetEntryRequest); isSet {
		return &memorydv1.Write{Write: &memorydv1.Write_SetEntry{SetEntry: set}}
	}
	return &memorydv1.Write{Write: &memorydv1.Write_RemoveEntry{RemoveEntry: request.(*memorydv1.RemoveEntryRequest)}}
}
