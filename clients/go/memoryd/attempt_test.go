package memoryd

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
)

var noon = time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC)

func attemptsUntil(deadline time.Time) *attempts {
	return &attempts{deadline: deadline, jitter: func() float64 { return 1 }}
}

func TestTheWaitBetweenAttemptsDoublesUpToItsLimit(t *testing.T) {
	attempts := attemptsUntil(noon.Add(time.Hour))
	var waits []time.Duration
	for range 7 {
		delay, again := attempts.next(&Error{Code: codes.Unavailable}, noon)
		if !again {
			t.Fatal("gave up")
		}
		waits = append(waits, delay/time.Millisecond)
	}
	for i, expected := range []time.Duration{100, 200, 400, 800, 1600, 2000, 2000} {
		if waits[i] != expected {
			t.Errorf("wait %d is %d ms, not %d", i, waits[i], expected)
		}
	}
}

func TestTheWaitNeverOverflows(t *testing.T) {
	for _, failures := range []int{17, 64, 1_000_000} {
		if wait := backoffAfter(failures, longestDelay, 1); wait != longestDelay {
			t.Errorf("after %d failures the wait is %v", failures, wait)
		}
	}
}

func TestTheJitterIsFromHalfToOne(t *testing.T) {
	least, most := 1.0, 0.5
	for range 10_000 {
		factor := jitter()
		least, most = min(least, factor), max(most, factor)
	}
	if least < 0.5 || least > 0.6 || most > 1 || most < 0.9 {
		t.Errorf("the jitter is from %v to %v", least, most)
	}
}

func TestTheWaitIsTheRetryDelayOfTheDaemon(t *testing.T) {
	failed := &Error{Code: codes.Unavailable, RetryDelay: 7 * time.Second}
	delay, again := attemptsUntil(noon.Add(8*time.Second)).next(failed, noon)
	if !again || delay != 7*time.Second {
		t.Errorf("again %v after %v", again, delay)
	}
}

func TestThereIsNoRetryIfTheWaitWouldPassTheDeadline(t *testing.T) {
	failed := &Error{Code: codes.Unavailable, RetryDelay: 7 * time.Second}
	if _, again := attemptsUntil(noon.Add(7*time.Second)).next(failed, noon); again {
		t.Error("it is tried again")
	}
}

func TestOfExhaustedResourcesOnlyAnOverloadIsRetried(t *testing.T) {
	for _, reason := range []string{"OVERLOADED", "QUOTA_EXCEEDED", "STORAGE_FULL"} {
		failed := &Error{Code: codes.ResourceExhausted, Reason: "ERROR_REASON_" + reason, RetryDelay: time.Second}
		delay, again := attemptsUntil(noon.Add(time.Hour)).next(failed, noon)
		if expected := reason == "OVERLOADED"; again != expected || delay != time.Second {
			t.Errorf("%s is tried again: %v, after %v", reason, again, delay)
		}
	}
}

func TestOnlyUnavailableAndCancelledCallsAreRetried(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		_, again := attemptsUntil(noon.Add(time.Hour)).next(&Error{Code: code}, noon)
		if expected := code == codes.Unavailable || code == codes.Canceled; again != expected {
			t.Errorf("%v is tried again: %v", code, again)
		}
	}
}
