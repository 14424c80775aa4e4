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
// As with a transaction of database/sql, Close after Merge does nothing. All else in a scope that has ended fails with
// ErrScopeDisposed.
type Scope struct {
	workingMemory
}

// Conflict is what becomes of the parent's value when a scope that is merged has one under the same key.
type Conflict bool

const (
	// Overwrite replaces the parent's value.
	Overwrite Conflict = true
	// KeepParent keeps it.
	KeepParent Conflict = false
)

// CreateScope creates a scope under this agent or scope. Names are for people and need not be unique.
func (m *workingMemory) CreateScope(ctx context.Context, name string) (*Scope, error) {
	answer, err := m.client.workingMemory.CreateScope(ctx, &memorydv1.CreateScopeRequest{
		AgentId:       m.agentID,
		ParentScopeId: m.scopeID,
		Name:          name,
	})
	if err != nil {
		return nil, err
	}
	return m.Attach(answer.GetScope().GetScopeId()), nil
}

// Attach returns an existing scope, such as one of another process. It does not call the daemon.
func (m *workingMemory) Attach(scopeID string) *Scope {
	return &Scope{workingMemory{client: m.client, agentID: m.agentID, scopeID: scopeID}}
}

// Merge copies the scope's own entries to its parent and ends the scope, in one step, and returns how many entries were
// copied. When it fails the scope stays, so that nothing is lost before Close.
func (s *Scope) Merge(ctx context.Context, conflict Conflict, options ...ChangeOption) (int64, error) {
	overwrite := bool(conflict)
	answer, err := s.client.workingMemory.MergeScope(ctx, &memorydv1.MergeScopeRequest{
		AgentId:      s.agentID,
		ScopeId:      s.scopeID,
		Overwrite:    &overwrite,
		Dispose:      true,
		Precondition: preconditionOf(options),
	})
	return answer.GetEntriesMerged(), err
}

// Close ends the scope and those below it, with all their entries. A scope that has ended before is no error.
//
// Close also works when ctx has ended, so that a deferred one leaves nothing behind: it takes at most the client's
// timeout.
func (s *Scope) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.client.caller.timeout)
	defer cancel()
	_, err := s.client.workingMemory.DisposeScope(ctx, &memorydv1.DisposeScopeRequest{
		AgentId: s.agentID,
		ScopeId: s.scopeID,
	})
	// The daemon knows a scope that has ended for a while only.
	if errors.Is(err, ErrScopeNotFound) {
		return nil
	}
	return err
}
