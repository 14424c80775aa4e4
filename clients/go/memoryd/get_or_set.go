package memoryd

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// GetOrSetOption is what may be said to [GetOrSet]: an [EntryOption], [LocalOnly], [WithLease] or [WithWait].
type GetOrSetOption interface {
	applyGetOrSet(*reservation)
}

type getOrSetOption func(*reservation)

func (o getOrSetOption) applyGetOrSet(asked *reservation) { o(asked) }

// WithLease sets how long a reservation holds without being renewed, from 100 ms to 10 minutes; 30 s by default. When
// the maker's process dies, another caller takes over after that time.
func WithLease(lease time.Duration) GetOrSetOption {
	return getOrSetOption(func(asked *reservation) { asked.lease = lease })
}

// WithWait sets how long to wait while another caller makes the value; then the error is ErrDeadlineExceeded. By default
// that is as long as the context allows.
func WithWait(wait time.Duration) GetOrSetOption {
	return getOrSetOption(func(asked *reservation) { asked.wait = &wait })
}

// GetOrSet returns the value under a key; when there is none, it runs factory, and stores and returns what that made.
//
// Of all callers in all processes and languages one runs its factory, and the others wait for its value. The reservation
// is renewed while the factory runs. When factory fails, its error is returned, and the next caller takes over at once.
func GetOrSet[T any](
	ctx context.Context, m WorkingMemory, key string, factory func(context.Context) (T, error), options ...GetOrSetOption,
) (T, error) {
	var none T
	asked := reservationOf(m.place(), key, options)
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

// fill makes the value and stores it, and returns whether it is stored: it is not when the reservation is lost. It gives
// the reservation up when there is an error, also when factory panics.
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

// renewing runs factory while the reservation is kept.
func renewing[T any](
	ctx context.Context, asked *reservation, token string, factory func(context.Context) (T, error),
) (T, error) {
	stop := asked.keep(ctx, token)
	defer stop()
	return factory(ctx)
}

// once keeps what factory made: when the reservation is lost meanwhile, it is offered again, not made again.
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
