package memoryd

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Scope is the working memory of one task, such as:
//
//	scope, err := agent.CreateScope(ctx, "book a table")
//	if err != nil {
//		return err
//	}
//	defer scope.Close(ctx)
//	// ... set and get ...
//	_, err = scope.Merge(ctx, memoryd.Overwrite)
//	return err
//
// As with a transaction of database/sql, Close after Merge does nothing. Every other method fails with ErrScopeDisposed
// after the scope's end.
type Scope struct {
	workingMemory
	// stop ends the renewal of a scope that was created here; nil for one without.
	stop func()
}

// Conflict selects which value remains if a merged scope and its parent have values under the same key.
type Conflict bool

const (
	// Overwrite replaces the parent's value.
	Overwrite Conflict = true
	// KeepParent keeps the parent's value.
	KeepParent Conflict = false
)

// ScopeOption is an option of CreateScope: [WithUserID], [WithIdleTTL] or a [Condition].
type ScopeOption interface {
	applyScope(*memorydv1.CreateScopeRequest)
}

// renewalsPerIdleTTL allows one renewal to fail: the next one still comes before the scope ends.
const renewalsPerIdleTTL = 3

// WithIdleTTL makes the daemon dispose the scope once it was not used for this long (at least 1 s), such as 10 minutes,
// so that nothing is left over if this process dies. The scope that CreateScope returns is kept until Close, Merge or
// the end of the client; one of a transaction is not.
func WithIdleTTL(ttl time.Duration) ScopeOption { return withIdleTTL(ttl) }

type withIdleTTL time.Duration

func (t withIdleTTL) applyScope(request *memorydv1.CreateScopeRequest) {
	request.IdleTtl = durationpb.New(time.Duration(t))
}

// CreateScope creates a scope below this agent or scope. Names are for people and need not be unique, unless the
// creator says [IfAbsent].
func (m *workingMemory) CreateScope(ctx context.Context, name string, options ...ScopeOption) (*Scope, error) {
	request := &memorydv1.CreateScopeRequest{AgentId: m.agentID, ParentScopeId: m.scopeID, Name: name, UserId: m.userID}
	for _, option := range options {
		option.applyScope(request)
	}
	answer, err := m.client.workingMemory.CreateScope(ctx, request)
	if err != nil {
		return nil, err
	}
	scope := m.Attach(answer.GetScope().GetScopeId())
	if request.IdleTtl != nil {
		scope.keep(request.IdleTtl.AsDuration())
	}
	return scope, nil
}

// keep uses the scope until it is closed or merged, or found to be disposed.
func (s *Scope) keep(idleTTL time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	go everyTurn(ctx, idleTTL/renewalsPerIdleTTL, func() bool {
		answer, err := s.client.workingMemory.GetScope(ctx, &memorydv1.GetScopeRequest{AgentId: s.agentID, ScopeId: s.scopeID})
		isOver := answer.GetScope().GetDisposed() || errors.Is(err, ErrRecordNotFound) || errors.Is(err, ErrCancelled)
		// Any other error may pass before the scope ends: try again at the next turn.
		return !isOver
	})
}

func (s *Scope) endRenewal() {
	if s.stop != nil {
		s.stop()
	}
}

// Attach returns an existing scope, such as one of another process. It does not call the daemon.
func (m *workingMemory) Attach(scopeID string) *Scope {
	place := *m
	place.scopeID = scopeID
	return &Scope{workingMemory: place}
}

// MergeOption is an option of Merge: [KeepScope], or a [Condition] on the agent.
type MergeOption interface {
	applyMerge(*memorydv1.MergeScopeRequest)
}

// KeepScope makes a merge only copy: the scope remains with its entries, until it is merged again or closed.
func KeepScope() MergeOption { return keepScope{} }

type keepScope struct{}

func (keepScope) applyMerge(request *memorydv1.MergeScopeRequest) { request.Dispose = false }

// merging returns the request that merges a scope of the agent.
func merging(scopeID string, conflict Conflict, options []MergeOption) *memorydv1.MergeScopeRequest {
	overwrite := bool(conflict)
	request := &memorydv1.MergeScopeRequest{ScopeId: scopeID, Overwrite: &overwrite, Dispose: true}
	for _, option := range options {
		option.applyMerge(request)
	}
	return request
}

// Merge copies the scope's own entries to its parent and disposes the scope in the same step, unless [KeepScope] is
// given, and returns the number of entries copied. If it fails the scope remains, so that nothing is lost before Close.
func (s *Scope) Merge(ctx context.Context, conflict Conflict, options ...MergeOption) (int64, error) {
	request := merging(s.scopeID, conflict, options)
	request.AgentId = s.agentID
	answer, err := s.client.workingMemory.MergeScope(ctx, request)
	if err == nil && request.Dispose {
		s.endRenewal()
	}
	return answer.GetMergedEntryCount(), err
}

// Close disposes the scope and those below it with all their entries. Closing one that has already ended,
// by itself or with its agent, is not an error.
//
// Close also works if ctx has ended, so that a deferred call leaves nothing behind. It takes at most the client's
// timeout.
func (s *Scope) Close(ctx context.Context, options ...ChangeOption) error {
	s.endRenewal()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.client.caller.timeout)
	defer cancel()
	_, err := s.client.workingMemory.DisposeScope(ctx, &memorydv1.DisposeScopeRequest{
		AgentId:           s.agentID,
		ScopeId:           s.scopeID,
		AgentPrecondition: preconditionOf(options),
	})
	// The daemon remembers a disposed scope for a limited time, and none of an ended agent.
	if errors.Is(err, ErrRecordNotFound) {
		return nil
	}
	return err
}
