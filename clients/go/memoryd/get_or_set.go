package memoryd

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// GetOrSetOption is an option of [GetOrSet]: an [EntryOption], [LocalOnly], [WithLease] or [WithWait].
type GetOrSetOption interface {
	applyGetOrSet(*reservation)
}

type getOrSetOption func(*reservation)

func (o getOrSetOption) applyGetOrSet(asked *reservation) { o(asked) }

// WithLease sets the lease of the reservation, from 100 ms to 10 minutes; 10 s by default. It is renewed while the
// factory runs. If the process that runs the factory dies, another caller takes over when the lease expires.
func WithLease(lease time.Duration) GetOrSetOption {
	return getOrSetOption(func(asked *reservation) { asked.lease = lease })
}

// WithWait sets the time to wait for the value of another caller's factory, after which the error is
// ErrDeadlineExceeded. By default only the context limits the wait.
func WithWait(wait time.Duration) GetOrSetOption {
	return getOrSetOption(func(asked *reservation) { asked.wait = &wait })
}

// GetOrSet returns the value under a key. If there is none, it calls factory, and stores and returns its value.
//
// Of all callers in all processes and languages, one runs its factory and the others wait for its value. The
// reservation is renewed while the factory runs. If factory fails, its error is returned, and the next caller takes
// over at once.
func GetOrSet[T any](
	ctx context.Context, m WorkingMemory, key string, factory func(context.Context) (T, error), options ...GetOrSetOption,
) (T, error) {
	var none T
	own, isOwn := m.(placed)
	if !isOwn {
		return getOrSetAlone(ctx, m, key, factory, reservationOf(nil, key, options))
	}
	asked := reservationOf(own.place(), key, options)
	factory = once(factory)
	for {
		entry, token, err := asked.reserve(ctx)
		switch {
		case err != nil:
			return none, err
		case entry != nil:
			return Decode[T](entry)
		case token != "":
			if made, stored, err := fill(ctx, asked, token, factory); stored || err != nil {
				return made, err
			}
		case asked.isOver():
			return none, heldByAnother(key)
		}
	}
}

// fill calls factory and stores its value. It returns false if the reservation was lost before the value was stored. It
// releases the reservation if there is an error, also if factory panics, so that the next caller need not wait for the
// lease to expire.
func fill[T any](
	ctx context.Context, asked *reservation, token string, factory func(context.Context) (T, error),
) (made T, stored bool, err error) {
	held := true
	defer func() {
		if held {
			asked.giveUp(ctx, token)
		}
	}()
	if made, err = renewing(ctx, asked, token, factory); err != nil {
		return made, false, err
	}
	err = asked.store(ctx, token, made)
	if err == nil || errors.Is(err, ErrReservationLost) {
		held = false
		return made, err == nil, nil
	}
	return made, false, err
}

// renewing runs factory, and renews the reservation meanwhile.
func renewing[T any](
	ctx context.Context, asked *reservation, token string, factory func(context.Context) (T, error),
) (T, error) {
	stop := asked.keep(ctx, token)
	defer stop()
	return factory(ctx)
}

// once returns a factory that keeps its value: after a lost reservation the same value is stored, not another one made.
func once[T any](factory func(context.Context) (T, error)) func(context.Context) (T, error) {
	var made *T
	return func(ctx context.Context) (T, error) {
		if made != nil {
			return *made, nil
		}
		value, err := factory(ctx)
		if err == nil {
			made = &value
		}
		return value, err
	}
}

func heldByAnother(key string) error {
	return errorFrom(status.Newf(codes.DeadlineExceeded, "another caller is still making the value of %q", key), "")
}
