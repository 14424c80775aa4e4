package memoryd

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// NearReader is what [NearGet] and [NearGetMany] read: a [NearCache], for the agent's root scope, or a [NearMemory].
type NearReader interface {
	near() *NearMemory
}

// NearMemory is the entries of a scope in a near cache. Reads fall back to the scope's parents up to the root, unless
// they are [LocalOnly].
//
// They return what those of [WorkingMemory] do, without a call while the cache is current enough, and their errors are
// those of a read by the daemon if it is asked, and ErrStaleRead. The context is for such a call. They do not count as
// uses of an entry or of a scope. It is safe for concurrent use.
type NearMemory struct {
	copy *nearCopy
	// memory reads the same from the daemon.
	memory *workingMemory
}

func (m *NearMemory) near() *NearMemory { return m }

// AgentID returns the id of the agent.
func (m *NearMemory) AgentID() string { return m.memory.agentID }

// ScopeID returns the id of the scope, empty for the root.
func (m *NearMemory) ScopeID() string { return m.memory.scopeID }

// GetEntry returns the whole entry, without its counts of reads, and whether there is one. It is a copy, which belongs to
// the caller and takes longer than [NearGet].
func (m *NearMemory) GetEntry(
	ctx context.Context, key string, options ...NearReadOption,
) (*memorydv1.Entry, bool, error) {
	found, isHeld, err := m.find(key, isLocalOnly(options))
	switch {
	case err != nil:
		return nil, false, err
	case !isHeld:
		return m.memory.GetEntry(ctx, key, lookups(options)...)
	case found == nil:
		return nil, false, nil
	}
	return proto.CloneOf(found.message), true, nil
}

// GetJSON returns the value as the JSON text that was written, and whether there is one.
func (m *NearMemory) GetJSON(ctx context.Context, key string, options ...NearReadOption) (string, bool, error) {
	found, isHeld, err := m.find(key, isLocalOnly(options))
	switch {
	case err != nil:
		return "", false, err
	case !isHeld:
		entry, isFound, err := m.memory.GetEntry(ctx, key, lookups(options)...)
		return entry.GetValueJson(), isFound, err
	case found == nil:
		return "", false, nil
	}
	return found.message.GetValueJson(), true, nil
}

// Contains reports whether there is an entry.
func (m *NearMemory) Contains(ctx context.Context, key string, options ...NearReadOption) (bool, error) {
	found, isHeld, err := m.find(key, isLocalOnly(options))
	if err == nil && !isHeld {
		return m.memory.Contains(ctx, key, lookups(options)...)
	}
	return found != nil, err
}

// Entries returns the scope's own entries, or with [Inherited] also those that a read in it finds, in the order of their
// keys, all at one revision. They are those about the bound user, or else about none, and copies.
func (m *NearMemory) Entries(ctx context.Context, options ...NearListOption) ([]*memorydv1.Entry, error) {
	listed, isHeld, err := m.list(options)
	switch {
	case err != nil:
		return nil, err
	case !isHeld:
		return m.askEntries(ctx, options)
	}
	entries := make([]*memorydv1.Entry, len(listed))
	for i, each := range listed {
		entries[i] = proto.CloneOf(each.message)
	}
	return entries, nil
}

// Keys returns the keys of the entries that Entries returns.
func (m *NearMemory) Keys(ctx context.Context, options ...NearListOption) ([]string, error) {
	listed, isHeld, err := m.list(options)
	if err != nil {
		return nil, err
	}
	var keys []string
	if !isHeld {
		entries, err := m.askEntries(ctx, append(slices.Clone(options), keysOnly{}))
		for _, each := range entries {
			keys = append(keys, each.GetKey())
		}
		return keys, err
	}
	for _, each := range listed {
		keys = append(keys, each.message.GetKey())
	}
	return keys, nil
}

// keysOnly lists entries without their content where the daemon is asked.
type keysOnly struct{ withoutContent }

func (keysOnly) applyNearList(*nearListing) {}

func (m *NearMemory) askEntries(ctx context.Context, options []NearListOption) ([]*memorydv1.Entry, error) {
	var entries []*memorydv1.Entry
	for entry, err := range m.memory.Entries(ctx, listOptions(options)...) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// find returns what a look-up finds, or nil, and whether the cache may be asked.
func (m *NearMemory) find(key string, localOnly bool) (found *mirroredEntry, isHeld bool, err error) {
	c := m.copy
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	if isHeld, err = c.mayServe(); isHeld && strings.HasPrefix(key, c.settings.keyPrefix) {
		found, isHeld = c.mirror.find(m.memory.scopeID, key, localOnly)
		return found, isHeld, nil
	}
	return nil, false, err
}

// findAll returns what look-ups find at one revision, without the keys that have no entry.
func (m *NearMemory) findAll(keys []string, localOnly bool) (found []*mirroredEntry, isHeld bool, err error) {
	c := m.copy
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	if isHeld, err = c.mayServe(); !isHeld {
		return nil, false, err
	}
	for _, key := range keys {
		if !strings.HasPrefix(key, c.settings.keyPrefix) {
			return nil, false, nil
		}
		each, isHeld := c.mirror.find(m.memory.scopeID, key, localOnly)
		if !isHeld {
			return nil, false, nil
		}
		if each != nil {
			found = append(found, each)
		}
	}
	return found, true, nil
}

// list returns the entries of the bound user, or of none, in the order of their keys.
func (m *NearMemory) list(options []NearListOption) ([]*mirroredEntry, bool, error) {
	found, isHeld, err := m.listAll(nearListingOf(options))
	if !isHeld {
		return nil, false, err
	}
	isOfAnother := func(each *mirroredEntry) bool { return each.message.GetUserId() != m.memory.userID }
	found = slices.DeleteFunc(found, isOfAnother)
	slices.SortFunc(found, func(one, other *mirroredEntry) int {
		return cmp.Compare(one.message.GetKey(), other.message.GetKey())
	})
	return found, true, nil
}

func (m *NearMemory) listAll(asked nearListing) ([]*mirroredEntry, bool, error) {
	c := m.copy
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	if isHeld, err := c.mayServe(); !isHeld || !strings.HasPrefix(asked.keyPrefix, c.settings.keyPrefix) {
		return nil, false, err
	}
	found, isHeld := c.mirror.entries(m.memory.scopeID, asked.keyPrefix, asked.inherited)
	return found, isHeld, nil
}
