package memoryd

import (
	"context"
	"errors"
)

// racesMax is the maximum number of consecutive races that Update loses. Each one is a write of another caller; after
// this many the cause is not contention.
const racesMax = 1_000

// Update replaces the own value of the agent or scope by the result of change, and returns the new value. No concurrent
// update is lost. change receives the zero value of T if there is no value, and runs again if another writer was
// faster. Its error ends the update and is returned.
func Update[T any](
	ctx context.Context, m WorkingMemory, key string, change func(T) (T, error), options ...EntryOption,
) (T, error) {
	var none T
	for race := 1; ; race++ {
		current, revision, err := own[T](ctx, m, key)
		if err != nil {
			return none, err
		}
		updated, err := change(current)
		if err != nil {
			return none, err
		}
		_, err = m.Set(ctx, key, updated, append(setOptions(options), IfRevision(revision))...)
		if err == nil {
			return updated, nil
		}
		if !errors.Is(err, ErrRevisionMismatch) || race == racesMax {
			return none, err
		}
	}
}

// own returns the own value of the agent or scope and its revision, or the zero value and 0 if there is none.
func own[T any](ctx context.Context, m WorkingMemory, key string) (T, int64, error) {
	var none T
	entry, found, err := m.GetEntry(ctx, key, LocalOnly())
	if err != nil || !found {
		return none, 0, err
	}
	value, err := Decode[T](entry)
	return value, entry.GetRevision(), err
}
