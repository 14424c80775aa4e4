package memoryd

import (
	"context"
	"iter"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// WorkingMemory stores entries by key. It is either an [Agent], which is the root scope, or a [Scope]. Reads in a scope
// fall back to its parents up to the root, unless they are [LocalOnly]. Writes stay in the scope itself.
//
// Keys are 1 to 1,024 bytes of UTF-8, not blank, without control characters. Every method fails with an [Error] if the
// daemon refuses or cannot be reached, and with ErrScopeDisposed after the scope's end. Operations that return a value
// are generic functions instead of methods: [Get], [GetMany], [Update], [GetOrSet].
//
// A stub for tests embeds a WorkingMemory, so that it compiles when methods are added, and implements those that are
// called. The functions call its GetEntry and Set.
type WorkingMemory interface {
	// AgentID returns the id of the agent.
	AgentID() string
	// ScopeID returns the id of the scope, empty for the root.
	ScopeID() string
	// UserID returns the bound user, empty for none: see [Agent.User].
	UserID() string

	// GetEntry returns the whole entry, and whether there is one.
	GetEntry(ctx context.Context, key string, options ...ReadOption) (*memorydv1.Entry, bool, error)
	// Contains reports whether there is an entry, without reading it.
	Contains(ctx context.Context, key string, options ...ReadOption) (bool, error)
	// Entries iterates over the entries of the agent or scope itself.
	Entries(ctx context.Context, options ...ListOption) iter.Seq2[*memorydv1.Entry, error]

	// Set stores a value.
	Set(ctx context.Context, key string, value any, options ...SetOption) (*memorydv1.SetEntryResponse, error)
	// Remove removes the entry of the agent or scope itself, and reports whether there was one.
	Remove(ctx context.Context, key string, options ...ChangeOption) (bool, error)
	// Clear removes the entries of the agent or scope itself, and returns their number.
	Clear(ctx context.Context, options ...ChangeOption) (int64, error)
	// Write applies a batch.
	Write(ctx context.Context, batch *Batch) (*memorydv1.BatchWriteEntriesResponse, error)

	// CreateScope creates a scope below this agent or scope.
	CreateScope(ctx context.Context, name string, options ...ScopeOption) (*Scope, error)
	// Attach returns an existing scope.
	Attach(scopeID string) *Scope
	// Watch streams the events of this agent or scope.
	Watch(ctx context.Context, options ...WatchOption) (*Watch, error)
}

// workingMemory implements the methods that an agent and a scope have in common.
type workingMemory struct {
	client  *Client
	agentID string
	scopeID string
	userID  string
}

func (m *workingMemory) place() *workingMemory { return m }

// AgentID returns the id of the agent.
func (m *workingMemory) AgentID() string { return m.agentID }

// ScopeID returns the id of the scope, empty for the root.
func (m *workingMemory) ScopeID() string { return m.scopeID }

// UserID returns the bound user, empty for none: see [Agent.User].
func (m *workingMemory) UserID() string { return m.userID }

// Set stores a value, and overwrites the existing one. The value is anything that encoding/json can encode, or a
// json.RawMessage, which is stored byte for byte.
//
// The entry in the response has no content: its value, type name, tags and metadata are empty. The error may be
// ErrUnsupportedValue, ErrTooLarge or ErrQuotaExceeded, and ErrRecordExists, ErrRecordNotFound or ErrRevisionMismatch if
// a condition is not met.
func (m *workingMemory) Set(
	ctx context.Context, key string, value any, options ...SetOption,
) (*memorydv1.SetEntryResponse, error) {
	request, err := m.setRequest(key, value, options)
	if err != nil {
		return nil, err
	}
	return batched(ctx, m.client.caller.batcher, request, m.client.workingMemory.SetEntry)
}

// GetEntry returns the whole entry, and whether there is one. [Decode] decodes its value.
func (m *workingMemory) GetEntry(ctx context.Context, key string, options ...ReadOption) (*memorydv1.Entry, bool, error) {
	chosen := lookupOf(options)
	answer, err := batched(ctx, m.client.caller.batcher, &memorydv1.GetEntryRequest{
		AgentId:     m.agentID,
		ScopeId:     m.scopeID,
		Key:         key,
		LocalOnly:   chosen.localOnly,
		Consistency: chosen.consistency,
	}, m.client.workingMemory.GetEntry)
	return answer.GetEntry(), answer.GetFound(), err
}

// Contains reports whether there is an entry, without reading it.
func (m *workingMemory) Contains(ctx context.Context, key string, options ...ReadOption) (bool, error) {
	chosen := lookupOf(options)
	answer, err := m.client.workingMemory.ContainsEntry(ctx, &memorydv1.ContainsEntryRequest{
		AgentId:     m.agentID,
		ScopeId:     m.scopeID,
		Key:         key,
		LocalOnly:   chosen.localOnly,
		Consistency: chosen.consistency,
	})
	return answer.GetFound(), err
}

// Remove removes the entry of the agent or scope itself, and reports whether there was one. The parent's entry becomes
// visible again. A key without an entry is not an error, unless a condition says so.
func (m *workingMemory) Remove(ctx context.Context, key string, options ...ChangeOption) (bool, error) {
	answer, err := batched(ctx, m.client.caller.batcher, &memorydv1.RemoveEntryRequest{
		AgentId:      m.agentID,
		ScopeId:      m.scopeID,
		Key:          key,
		Precondition: preconditionOf(options),
	}, m.client.workingMemory.RemoveEntry)
	return answer.GetDeleted(), err
}

// Clear removes the entries of the agent or scope itself, and returns their number. Scopes below keep theirs.
func (m *workingMemory) Clear(ctx context.Context, options ...ChangeOption) (int64, error) {
	answer, err := m.client.workingMemory.ClearEntries(ctx, &memorydv1.ClearEntriesRequest{
		AgentId:           m.agentID,
		ScopeId:           m.scopeID,
		AgentPrecondition: preconditionOf(options),
	})
	return answer.GetClearedEntryCount(), err
}
