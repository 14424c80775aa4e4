package memoryd

import (
	"context"
	"crypto/rand"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Tx collects up to 1,000 changes of one agent, of all kinds, which [Tx.Commit] makes together, or not at all, in the
// order in which they were collected. Each change finds what the earlier ones left.
//
// Its other methods do not call the daemon. Each returns a [Written], which has the result after the commit. A Tx is not
// safe for concurrent use.
type Tx struct {
	txMemory
	requestID string
}

// TxScope is a scope in a transaction.
type TxScope struct {
	txMemory
}

// Written is a change that a transaction has collected.
type Written[T any] struct {
	result    T
	committed bool
}

// Committed reports whether the transaction is committed, so that there is a result.
func (w *Written[T]) Committed() bool { return w.committed }

// Result returns the result of the change. It panics unless the transaction is committed.
func (w *Written[T]) Result() T {
	if !w.committed {
		panic("memoryd: the transaction is not committed: read the result after Commit")
	}
	return w.result
}

// CommitOption is an option of [Tx.Commit]: [WithRequestID] or a [Condition] on the agent.
type CommitOption interface {
	applyCommit(*memorydv1.CommitRequest)
}

// WithRequestID makes the transaction safe to repeat by another Tx or process: the same changes with the same id are made
// once, and have the same results again. At most 128 bytes.
func WithRequestID(id string) CommitOption { return withRequestIDOption(id) }

type withRequestIDOption string

func (id withRequestIDOption) applyCommit(request *memorydv1.CommitRequest) {
	request.RequestId = string(id)
}

func (c Condition) applyCommit(request *memorydv1.CommitRequest) {
	request.AgentPrecondition = c.message
}

// Transaction returns an empty transaction, which collects changes of all kinds and makes them as one. It does not call
// the daemon.
func (a *Agent) Transaction() *Tx {
	return &Tx{txMemory{writes: &writes{}, memory: &a.workingMemory}, rand.Text()}
}

// Commit makes the changes as one: all of them, or none, at one revision, which it returns. Without changes nothing is
// sent, and the revision is 0. If it fails, it may be called again: the changes are never made twice. A Tx that is
// committed is not used again.
//
// If a change is refused, the error is that of its own method, nothing has changed, and [Error.Int] of "write_index" is
// its position in the transaction. The error is ErrUnsupportedValue, and nothing is sent, if JSON cannot represent a
// value.
func (t *Tx) Commit(ctx context.Context, options ...CommitOption) (int64, error) {
	if t.writes.err != nil || t.Len() == 0 {
		return 0, t.writes.err
	}
	request := &memorydv1.CommitRequest{AgentId: t.AgentID(), RequestId: t.requestID, Writes: t.writes.messages}
	for _, option := range options {
		option.applyCommit(request)
	}
	answer, err := t.memory.client.transactions.Commit(ctx, request)
	if err != nil {
		return 0, err
	}
	return answer.GetRevision(), t.writes.deliver(answer.GetResults())
}

// Len returns the number of changes that were collected.
func (t *Tx) Len() int { return len(t.writes.messages) }

// Add adds a change of any kind: the request of its method, without an agent, a request id and a condition on the agent.
// Its result is the response of the method. Records in it have no content, which the caller has sent. If the agent is
// bound to a user, the change is about this user, and selects this user's records, unless it names another one.
//
//	note := tx.Add(&memorydv1.Write{Write: &memorydv1.Write_CreateNote{
//		CreateNote: &memorydv1.CreateNoteRequest{Draft: &memorydv1.NoteDraft{Title: "Ada", Content: "lives in Lisbon"}},
//	}})
//	// ... and after Commit
//	note.Result().GetCreateNote().GetNote().GetNoteId()
func (t *Tx) Add(write *memorydv1.Write) *Written[*memorydv1.WriteResult] {
	whole := func(result *memorydv1.WriteResult) *memorydv1.WriteResult { return result }
	write = proto.CloneOf(write)
	message := write.ProtoReflect()
	if field := message.WhichOneof(message.Descriptor().Oneofs().ByName("write")); field != nil {
		if err := bindUser(message.Mutable(field).Message(), t.memory.userID); err != nil {
			return refused[*memorydv1.WriteResult](t.writes, err)
		}
	}
	return added(t.writes, write, whole)
}

// Attach returns an existing scope, as part of the transaction.
func (t *Tx) Attach(scopeID string) *TxScope {
	return &TxScope{txMemory{writes: t.writes, memory: &t.memory.Attach(scopeID).workingMemory}}
}

// writes are the changes of a transaction.
type writes struct {
	messages []*memorydv1.Write
	// take are functions that receive the results, one for each message.
	take []func(*memorydv1.WriteResult)
	// err is the first error of a change that cannot be sent.
	err error
}

func (w *writes) deliver(results []*memorydv1.WriteResult) error {
	if len(results) != len(w.take) {
		text := "the commit has %d results for %d writes"
		return errorFrom(status.Newf(codes.Internal, text, len(results), len(w.take)), "")
	}
	for i, result := range results {
		w.take[i](result)
	}
	return nil
}

// added adds a change, whose later result is read by this function.
func added[T any](w *writes, write *memorydv1.Write, read func(*memorydv1.WriteResult) T) *Written[T] {
	written := &Written[T]{}
	w.messages = append(w.messages, write)
	w.take = append(w.take, func(result *memorydv1.WriteResult) {
		written.result = read(result)
		written.committed = true
	})
	return written
}

// refused keeps the error of a change that cannot be sent, if it is the first one.
func refused[T any](w *writes, err error) *Written[T] {
	if w.err == nil {
		w.err = fmt.Errorf("change %d of the transaction: %w", len(w.messages), err)
	}
	return &Written[T]{}
}
