package memoryd

import (
	"context"
	"errors"
)

// placed is a working memory of this package. Of others, which callers implement, as stubs of tests, only the methods of
// [WorkingMemory] are called.
type placed interface {
	place() *workingMemory
}

// getEach does what [GetMany] does, key by key.
func getEach[T any](ctx context.Context, m WorkingMemory, keys []string, options []ReadOption) (map[string]T, error) {
	values := make(map[string]T, len(keys))
	for _, key := range keys {
		value, found, err := Get[T](ctx, m, key, options...)
		if err != nil {
			return nil, err
		}
		if found {
			values[key] = value
		}
	}
	return values, nil
}

// getOrSetAlone does what [GetOrSet] does, but callers at the same time may all run their factories: the first value that
// is stored is that of all.
func getOrSetAlone[T any](
	ctx context.Context, m WorkingMemory, key string, factory func(context.Context) (T, error), asked *reservation,
) (T, error) {
	var none T
	var reads []ReadOption
	if asked.localOnly {
		reads = append(reads, LocalOnly())
	}
	factory = once(factory)
	for {
		value, found, err := Get[T](ctx, m, key, reads...)
		if err != nil || found {
			return value, err
		}
		made, err := factory(ctx)
		if err != nil {
			return none, err
		}
		_, err = m.Set(ctx, key, made, append(setOptions(asked.content), IfAbsent())...)
		if !errors.Is(err, ErrRecordExists) {
			return made, err
		}
	}
}
