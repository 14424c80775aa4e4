package memoryd

import (
	"errors"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
)

const (
	firstDelay   = 100 * time.Millisecond
	longestDelay = 2 * time.Second
)

// attempts decides whether and when a failed call is retried.
type attempts struct {
	// deadline is the time before which the last attempt must begin.
	deadline time.Time
	jitter   func() float64
	failures int
}

// next returns the delay before the next attempt, and whether to make one.
func (a *attempts) next(failed *Error, now time.Time) (time.Duration, bool) {
	a.failures++
	delay := failed.RetryDelay
	if delay == 0 {
		delay = backoffAfter(a.failures, longestDelay, a.jitter())
	}
	return delay, failed.mayPass() && now.Add(delay).Before(a.deadline)
}

// mayPass reports whether the cause may pass, so that a retry is useful. Canceled is among them because a server that
// stops cancels the calls that arrive at that moment. Of the exhausted resources, only an overload passes.
func (e *Error) mayPass() bool {
	return e.Code == codes.Unavailable || e.Code == codes.Canceled || errors.Is(e, ErrOverloaded)
}

// backoffAfter returns the delay after this number of consecutive failures. It doubles with each failure up to longest.
// The jitter spreads the clients, so that they do not return to a restarted daemon all at once.
func backoffAfter(failures int, longest time.Duration, jitter float64) time.Duration {
	delay := min(longest, firstDelay<<min(failures-1, 16))
	return time.Duration(float64(delay) * jitter)
}

// jitter returns a factor from 0.5 to 1.
func jitter() float64 {
	return 0.5 + rand.Float64()/2
}
