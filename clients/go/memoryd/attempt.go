package memoryd

import (
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
)

const (
	firstDelay   = 100 * time.Millisecond
	longestDelay = 2 * time.Second
)

// attempts decides whether and when a failed call is tried again.
type attempts struct {
	// deadline is when the last attempt must have begun.
	deadline time.Time
	jitter   func() float64
	failures int
}

// next returns how long to wait before the next attempt, and whether there is to be one.
func (a *attempts) next(failed *Error, now time.Time) (time.Duration, bool) {
	a.failures++
	delay := failed.RetryDelay
	if delay == 0 {
		delay = backoffAfter(a.failures, longestDelay, a.jitter())
	}
	return delay, failed.mayPass() && now.Add(delay).Before(a.deadline)
}

// mayPass is whether the daemon may be back in a while. A server that stops cancels what arrives in that very moment.
func (e *Error) mayPass() bool {
	return e.Code == codes.Unavailable || e.Code == codes.Canceled
}

// backoffAfter returns the wait after so many failures in a row: growing, bounded, and never the same for two clients.
func backoffAfter(failures int, longest time.Duration, jitter float64) time.Duration {
	delay := min(longest, firstDelay<<min(failures-1, 16))
	return time.Duration(float64(delay) * jitter)
}

// jitter returns a factor from 0.5 to 1.
func jitter() float64 {
	return 0.5 + rand.Float64()/2
}
