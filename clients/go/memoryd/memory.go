package memoryd

import (
	"context"
	"iter"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Memory is a place that holds entries by key: an [Agent], which is its root, or a [Scope]. In a scope, reads fall back
// to its parents up to the root unless they are [LocalOnly]; writes stay in the scope itself.
//
// Keys are 1 to 1,024 bytes of UTF-8, not blank, without control characters. Every method fails with an [Error] when the
// daemon refuses or cannot be reached, and with ErrScopeDisposed after the scope's end. What answers a value is a
// function, for the sake of its type: [Get], [GetMany], [Update], [GetOrSet].
type Memory interface {
	// AgentID is whose memory it is.
	AgentID() string
	// ScopeID is the scope's id; empty for the root.
	ScopeID() string

	// GetEntry returns the whole entry, and whether there is one.
	GetEntry(ctx context.Context, key string, options ...ReadOption) (*memorydv1.Entry, bool, error)
	// Contains returns whether there is an entry, without reading it.
	Contains(ctx context.Context, key string, options ...ReadOption) (bool, error)
	// Entries iterates over the place's own entries.
	Entries(ctx context.Context, options ...ListOption) iter.Seq2[*memorydv1.Entry, error]

	// Set stores a value.
	Set(ctx context.Context, key string, value any, options ...SetOption) (*memorydv1.SetEntryResponse, error)
	// Remove removes the place's own entry, and returns whether there was one.
	Remove(ctx context.Context, key string, options ...ChangeOption) (bool, error)
	// Clear removes the place's own entries, and returns how many.
	Clear(ctx context.Context, options ...ChangeOption) (int64, error)
	// Write carries out a batch.
	Write(ctx context.Context, batch *Batch) (*memorydv1.BatchWriteEntriesResponse, error)

	// CreateScope creates a scope under this place.
	CreateScope(ctx context.Context, name string) (*Scope, error)
	// Attach returns a scope that is there already.
	Attach(scopeID string) *Scope
	// Watch tells what is committed in this place.
	Watch(ctx context.Context, options ...WatchOption) (*Watch, error)

	place() *memory
}

// memory is what the root of an agent and a scope have in common.
type memory struct {
	client  *Client
	agentID string
	scopeID string
}

func (m *memory) place() *memory { return m }

// AgentID is whose memory it is.
func (m *memory) AgentID() string { return m.agentID }

// ScopeID is the scope's id; empty for the root.
func (m *memory) ScopeID() string { return m.scopeID }

// Set stores a value, overwriting what is there: whatever encoding/json can write, or a json.RawMessage, which is kept
// byte for byte.
//
// The error may be ErrUnsupportedValue, ErrLimitExceeded, and by its conditions ErrEntryExists or ErrRevisionMismatch.
func (m *memory) Set(
	ctx context.Context, key string, value any, options ...SetOption,
) (*memorydv1.SetEntryResponse, error) {
	request, err := m.setRequest(key, value, options)
	if err != nil {
		return nil, err
	}
	return m.client.workingMemory.SetEntry(ctx, request)
}

// GetEntry returns the whole entry, and whether there is one. [Decode] reads its value.
func (m *memory) GetEntry(ctx context.Context, key string, options ...ReadOption) (*memorydv1.Entry, bool, error) {
	answer, err := m.client.workingMemory.GetEntry(ctx, &memorydv1.GetEntryRequest{
		AgentId:   m.agentID,
		ScopeId:   m.scopeID,
		Key:       key,
		LocalOnly: lookupOf(options).localOnly,
	})
	return answer.GetEntry(), answer.GetFound(), err
}

// Contains returns whether there is an entry, without reading it.
func (m *memory) Contains(ctx context.Context, key string, options ...ReadOption) (bool, error) {
	answer, err := m.client.workingMemory.ContainsEntry(ctx, &memorydv1.ContainsEntryRequest{
		AgentId:   m.agentID,
		ScopeId:   m.scopeID,
		Key:       key,
		LocalOnly: lookupOf(options).localOnly,
	})
	return answer.GetFound(), err
}

// Remove removes the place's own entry, and returns whether there was one. The parent's value shows again.
func (m *memory) Remove(ctx context.Context, key string, options ...ChangeOption) (bool, error) {
	answer, err := m.client.workingMemory.RemoveEntry(ctx, &memorydv1.RemoveEntryRequest{
		AgentId:      m.agentID,
		ScopeId:      m.scopeID,
		Key:          key,
		Precondition: preconditionOf(options),
	})
	return answer.GetRemoved(), err
}

// Clear removes the place's own entries, and returns how many. Scopes below keep theirs.
func (m *memory) Clear(ctx context.Context, options ...ChangeOption) (int64, error) {
	answer, err := m.client.workingMemory.ClearEntries(ctx, &memorydv1.ClearEntriesRequest{
		AgentId:      m.agentID,
		ScopeId:      m.scopeID,
		Precondition: preconditionOf(options),
	})
	return answer.GetEntriesCleared(), err
}
