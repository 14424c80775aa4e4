package memoryd

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	defaultLease = 10 * time.Second
	// renewalsPerLease allows one renewal to fail: the next one still comes before the lease expires.
	renewalsPerLease = 3
)

// keepRenewed renews a lease until the function that it returns is called. If the lease is lost, it calls lost with the
// error, and stops.
func keepRenewed(
	ctx context.Context, lease time.Duration, renew func(context.Context) error, lost func(error),
) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var renewal sync.WaitGroup
	renewal.Go(func() {
		everyTurn(ctx, lease/renewalsPerLease, func() bool {
			err := renewWithin(ctx, lease, renew)
			isLost := errors.Is(err, ErrReservationLost) || errors.Is(err, ErrLeaseLost)
			if isLost {
				lost(err)
			}
			// Any other error may pass before the lease expires: try again at the next turn.
			return !isLost
		})
	})
	return func() {
		cancel()
		renewal.Wait()
	}
}

// everyTurn calls a function in each interval, until it returns false or the context ends.
func everyTurn(ctx context.Context, interval time.Duration, turn func() bool) {
	turns := time.NewTicker(max(time.Millisecond, interval))
	defer turns.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-turns.C:
		}
		if !turn() {
			return
		}
	}
}

func renewWithin(ctx context.Context, lease time.Duration, renew func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	return renew(ctx)
}
