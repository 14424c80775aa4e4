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
// so that nothing is left over if this process dies. Until Close or Merge, the scope is kept.
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
	go func() {
		turns := time.NewTicker(max(time.Millisecond, idleTTL/renewalsPerIdleTTL))
		defer turns.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-turns.C:
			}
			answer, err := s.client.workingMemory.GetScope(ctx, &memorydv1.GetScopeRequest{AgentId: s.agentID, ScopeId: s.scopeID})
			// Any other error may pass before the scope ends: try again at the next turn.
			if answer.GetScope().GetDisposed() || errors.Is(err, ErrRecordNotFound) || errors.Is(err, ErrCancelled) {
				return
			}
		}
	}()
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

// Merge copies the scope's own entries to its parent and disposes the scope in the same step, and returns the number of
// entries copied. If it fails the scope remains, so that nothing is lost before Close.
func (s *Scope) Merge(ctx context.Context, conflict Conflict, options ...ChangeOption) (int64, error) {
	overwrite := bool(conflict)
	answer, err := s.client.workingMemory.MergeScope(ctx, &memorydv1.MergeScopeRequest{
		AgentId:           s.agentID,
		ScopeId:           s.scopeID,
		Overwrite:         &overwrite,
		Dispose:           true,
		AgentPrecondition: preconditionOf(options),
	})
	if err == nil {
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
