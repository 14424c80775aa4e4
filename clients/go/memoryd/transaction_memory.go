package memoryd

import (
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// txMemory implements the changes of entries and scopes that a transaction and its scopes have in common.
type txMemory struct {
	writes *writes
	memory *workingMemory
}

// AgentID returns the id of the agent.
func (m *txMemory) AgentID() string { return m.memory.agentID }

// ScopeID returns the id of the scope, empty for the root.
func (m *txMemory) ScopeID() string { return m.memory.scopeID }

// Set stores a value, and overwrites the existing one. The entry in the response has no content.
func (m *txMemory) Set(key string, value any, options ...SetOption) *Written[*memorydv1.SetEntryResponse] {
	request, err := m.memory.content(key, value, options)
	if err != nil {
		return refused[*memorydv1.SetEntryResponse](m.writes, err)
	}
	request.ScopeId = m.memory.scopeID
	return added(m.writes, &memorydv1.Write{Write: &memorydv1.Write_SetEntry{SetEntry: request}},
		(*memorydv1.WriteResult).GetSetEntry)
}

// DefaultOption is an option of [Tx.GetOrSet]: an [EntryOption] or [LocalOnly].
type DefaultOption interface {
	applyDefault(*memorydv1.SetEntryRequest, *lookup) error
}

func (o entryOption) applyDefault(request *memorydv1.SetEntryRequest, _ *lookup) error {
	return o.apply(request)
}

func (u withUserID) applyDefault(request *memorydv1.SetEntryRequest, _ *lookup) error {
	return u.applySet(request)
}

func (localOnly) applyDefault(_ *memorydv1.SetEntryRequest, chosen *lookup) error {
	chosen.localOnly = true
	return nil
}

// GetOrSet stores a value unless the key has an entry in the scope or in its parents. The response says whether it has
// stored it; the entry in it has no content.
func (m *txMemory) GetOrSet(
	key string, value any, options ...DefaultOption,
) *Written[*memorydv1.GetOrSetEntryResponse] {
	var chosen lookup
	content, err := m.memory.content(key, value, nil)
	for _, option := range options {
		if err == nil {
			err = option.applyDefault(content, &chosen)
		}
	}
	if err != nil {
		return refused[*memorydv1.GetOrSetEntryResponse](m.writes, err)
	}
	request := &memorydv1.GetOrSetEntryRequest{}
	copyFields(request, content)
	request.ScopeId = m.memory.scopeID
	request.LocalOnly = chosen.localOnly
	return added(m.writes, &memorydv1.Write{Write: &memorydv1.Write_GetOrSetEntry{GetOrSetEntry: request}},
		(*memorydv1.WriteResult).GetGetOrSetEntry)
}

// Remove removes the entry of the agent or scope itself. The result is true if there was one.
func (m *txMemory) Remove(key string, options ...ChangeOption) *Written[bool] {
	request := &memorydv1.RemoveEntryRequest{
		ScopeId: m.memory.scopeID, Key: key, Precondition: preconditionOf(options),
	}
	return added(m.writes, &memorydv1.Write{Write: &memorydv1.Write_RemoveEntry{RemoveEntry: request}},
		func(result *memorydv1.WriteResult) bool { return result.GetRemoveEntry().GetDeleted() })
}

// Clear removes the entries of the agent or scope itself. The result is their number. Scopes below keep theirs.
func (m *txMemory) Clear() *Written[int64] {
	request := &memorydv1.ClearEntriesRequest{ScopeId: m.memory.scopeID}
	return added(m.writes, &memorydv1.Write{Write: &memorydv1.Write_ClearEntries{ClearEntries: request}},
		func(result *memorydv1.WriteResult) int64 { return result.GetClearEntries().GetClearedEntryCount() })
}

// CreateScope creates a scope below this agent or scope. The result is the scope, whose id is known after the commit.
func (m *txMemory) CreateScope(name string, options ...ScopeOption) *Written[*Scope] {
	request := &memorydv1.CreateScopeRequest{ParentScopeId: m.memory.scopeID, Name: name, UserId: m.memory.userID}
	for _, option := range options {
		option.applyScope(request)
	}
	return added(m.writes, &memorydv1.Write{Write: &memorydv1.Write_CreateScope{CreateScope: request}},
		func(result *memorydv1.WriteResult) *Scope {
			return m.memory.Attach(result.GetCreateScope().GetScope().GetScopeId())
		})
}

// Merge copies the scope's own entries to its parent and disposes the scope, unless [KeepScope] is given. The result is
// the number of entries copied.
func (s *TxScope) Merge(conflict Conflict, options ...MergeOption) *Written[int64] {
	request := merging(s.memory.scopeID, conflict, options)
	return added(s.writes, &memorydv1.Write{Write: &memorydv1.Write_MergeScope{MergeScope: request}},
		func(result *memorydv1.WriteResult) int64 { return result.GetMergeScope().GetMergedEntryCount() })
}

// Dispose disposes the scope and those below it with all their entries. The result is the number of entries. A scope
// that has ended is not an error, unless that is so long ago that the daemon has forgotten it: ErrRecordNotFound.
func (s *TxScope) Dispose() *Written[int64] {
	request := &memorydv1.DisposeScopeRequest{ScopeId: s.memory.scopeID}
	return added(s.writes, &memorydv1.Write{Write: &memorydv1.Write_DisposeScope{DisposeScope: request}},
		func(result *memorydv1.WriteResult) int64 { return result.GetDisposeScope().GetClearedEntryCount() })
}
