package memoryd

import (
	"context"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Get returns the value under a key, and whether there is one. Without one it returns the zero value of T. See [Decode]
// for the conversion.
func Get[T any](ctx context.Context, m WorkingMemory, key string, options ...ReadOption) (T, bool, error) {
	var none T
	entry, found, err := m.GetEntry(ctx, key, options...)
	if err != nil || !found {
		return none, false, err
	}
	value, err := Decode[T](entry)
	return value, err == nil, err
}

// GetMany returns the values of up to 1,000 keys, all at one revision. Keys without a value are left out.
func GetMany[T any](ctx context.Context, m WorkingMemory, keys []string, options ...ReadOption) (map[string]T, error) {
	own, isOwn := m.(placed)
	if !isOwn {
		return getEach[T](ctx, m, keys, options)
	}
	place, chosen := own.place(), lookupOf(options)
	answer, err := place.client.workingMemory.BatchGetEntries(ctx, &memorydv1.BatchGetEntriesRequest{
		AgentId:     place.agentID,
		ScopeId:     place.scopeID,
		Keys:        keys,
		LocalOnly:   chosen.localOnly,
		Consistency: chosen.consistency,
	})
	if err != nil {
		return nil, err
	}
	values := make(map[string]T, len(answer.GetEntries()))
	for _, entry := range answer.GetEntries() {
		value, err := Decode[T](entry)
		if err != nil {
			return nil, err
		}
		values[entry.GetKey()] = value
	}
	return values, nil
}
