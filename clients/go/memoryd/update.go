package memoryd

import (
	"context"
	"errors"
)

// Each lost race means that another caller has won one; so many in a row are no race any more.
const racesMax = 1_000

// Update replaces the place's own value by what change makes of it, loses nobody's update, and returns the new value.
// change gets the zero value of T when there is none, and runs again when another writer was faster. Its error ends the
// update and is returned.
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

// own returns the place's own value and its revision; the zero value and 0 when there is none.
func own[T any](ctx context.Context, m WorkingMemory, key string) (T, int64, error) {
	var none T
	entry, found, err := m.GetEntry(ctx, key, LocalOnly())
	if err != nil || !found {
		return none, 0, err
	}
	value, err := Decode[T](entry)
	return value, entry.GetRevision(), err
}
