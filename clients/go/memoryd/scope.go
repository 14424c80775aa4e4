package memoryd

import (
	"context"
	"errors"

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
}

// Conflict selects which value remains if a merged scope and its parent have values under the same key.
type Conflict bool

const (
	// Overwrite replaces the parent's value.
	Overwrite Conflict = true
	// KeepParent keeps the parent's value.
	KeepParent Conflict = false
)

// ScopeOption is an option of CreateScope: [WithUserID] or a [Condition].
type ScopeOption interface {
	applyScope(*memorydv1.CreateScopeRequest)
}

// CreateScope creates a scope below this agent or scope. Names are for people and need not be unique, unless the
// creator says [IfAbsent].
func (m *workingMemory) CreateScope(ctx context.Context, name string, options ...ScopeOption) (*Scope, error) {
	request := &memorydv1.CreateScopeRequest{AgentId: m.agentID, ParentScopeId: m.scopeID, Name: name}
	for _, option := range options {
		option.applyScope(request)
	}
	answer, err := m.client.workingMemory.CreateScope(ctx, request)
	if err != nil {
		return nil, err
	}
	return m.Attach(answer.GetScope().GetScopeId()), nil
}

// Attach returns an existing scope, such as one of another process. It does not call the daemon.
func (m *workingMemory) Attach(scopeID string) *Scope {
	return &Scope{workingMemory{client: m.client, agentID: m.agentID, scopeID: scopeID}}
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
	return answer.GetMergedEntryCount(), err
}

// Close disposes the scope and those below it with all their entries. Closing one that has already ended,
// by itself or with its agent, is not an error.
//
// Close also works if ctx has ended, so that a deferred call leaves nothing behind. It takes at most the client's
// timeout.
func (s *Scope) Close(ctx context.Context, options ...ChangeOption) error {
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
