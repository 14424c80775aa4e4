package memoryd

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// racesMax is the maximum number of consecutive races that Update loses. Each one is a write of another caller; after
// this many the cause is not contention.
const racesMax = 1_000

// Update replaces the own value of the agent or scope by the result of change, and returns the new value. No concurrent
// update is lost. change receives the value, or the zero value of T and false if there is none, and runs again if another
// writer was faster. Its error ends the update and is returned.
//
// The entry keeps its expiry, type, importance, tags, metadata, user and type name, except those that the options give:
// WithTags() removes its tags, [WithoutExpiry] ends its expiry.
func Update[T any](
	ctx context.Context, m WorkingMemory, key string, change func(value T, found bool) (T, error), options ...EntryOption,
) (T, error) {
	var none T
	for race := 1; ; race++ {
		current, revision, err := own[T](ctx, m, key)
		if err != nil {
			return none, err
		}
		updated, err := change(current, revision != 0)
		if err != nil {
			return none, err
		}
		all := append([]SetOption{keeping()}, setOptions(options)...)
		_, err = m.Set(ctx, key, updated, append(all, IfRevision(revision))...)
		if err == nil {
			return updated, nil
		}
		if !errors.Is(err, ErrRevisionMismatch) || race == racesMax {
			return none, err
		}
	}
}

// keeping makes a set keep what no later option gives.
func keeping() SetOption {
	return option(func(request *memorydv1.SetEntryRequest) error {
		request.UpdateMask = &fieldmaskpb.FieldMask{}
		return nil
	})
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
