package memoryd_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func making[T any](value T) func(context.Context) (T, error) {
	return func(context.Context) (T, error) { return value, nil }
}

func TestOneFactoryRunsForAllCallers(t *testing.T) {
	agent := liveAgent(t)
	var made atomic.Int32
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			value, err := memoryd.GetOrSet(t.Context(), agent, "k", func(context.Context) (int, error) {
				made.Add(1)
				return 42, nil
			})
			if err != nil || value != 42 {
				t.Errorf("it is %d, %v", value, err)
			}
		})
	}
	callers.Wait()
	if made.Load() != 1 {
		t.Errorf("%d factories ran", made.Load())
	}
}

func TestASlowFactoryKeepsItsLease(t *testing.T) {
	agent := liveAgent(t)
	lease := memoryd.WithLease(300 * time.Millisecond)
	begun, mayEnd := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		value, err := memoryd.GetOrSet(t.Context(), agent, "k", func(context.Context) (string, error) {
			close(begun)
			<-mayEnd
			return "first", nil
		}, lease)
		if err != nil || value != "first" {
			t.Errorf("it is %q, %v", value, err)
		}
	})
	<-begun
	// The second caller waits for more than three leases: without renewals it would take over.
	_, err := memoryd.GetOrSet(t.Context(), agent, "k", making("second"), lease, memoryd.WithWait(time.Second))
	if !errors.Is(err, memoryd.ErrDeadlineExceeded) {
		t.Errorf("it is %v", err)
	}
	close(mayEnd)
	first.Wait()
	if value := get[string](t, agent, "k"); value != "first" {
		t.Errorf("it is %q", value)
	}
}

func TestAFactoryThatFailsLetsTheNextCallerTakeOverAtOnce(t *testing.T) {
	agent := liveAgent(t)
	why := errors.New("not today")
	_, err := memoryd.GetOrSet(t.Context(), agent, "k", func(context.Context) (int, error) { return 0, why })
	if !errors.Is(err, why) {
		t.Errorf("it is %v", err)
	}
	value, err := memoryd.GetOrSet(t.Context(), agent, "k", making(7), memoryd.WithWait(0))
	if err != nil || value != 7 {
		t.Errorf("it is %d, %v", value, err)
	}
}

func TestAFactoryThatPanicsLetsTheNextCallerTakeOverAtOnce(t *testing.T) {
	agent := liveAgent(t)
	func() {
		defer func() {
			if recover() != "oops" {
				t.Error("the panic is lost")
			}
		}()
		_, _ = memoryd.GetOrSet(t.Context(), agent, "k", func(context.Context) (int, error) { panic("oops") })
	}()
	if value, err := memoryd.GetOrSet(t.Context(), agent, "k", making(7), memoryd.WithWait(0)); err != nil || value != 7 {
		t.Errorf("it is %d, %v", value, err)
	}
}

func TestAFactoryWhoseCallerCancelledLetsTheNextCallerTakeOverAtOnce(t *testing.T) {
	agent := liveAgent(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := memoryd.GetOrSet(ctx, agent, "k", func(ctx context.Context) (int, error) {
		cancel()
		return 0, ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it is %v", err)
	}
	if value, err := memoryd.GetOrSet(t.Context(), agent, "k", making(7), memoryd.WithWait(0)); err != nil || value != 7 {
		t.Errorf("it is %d, %v", value, err)
	}
}

func TestARefusedValueReleasesTheReservation(t *testing.T) {
	agent := liveAgent(t)
	_, err := memoryd.GetOrSet(t.Context(), agent, "k", making(strings.Repeat("x", 1_100_000)))
	if !errors.Is(err, memoryd.ErrTooLarge) {
		t.Errorf("it is %v", err)
	}
	value, err := memoryd.GetOrSet(t.Context(), agent, "k", making("short"), memoryd.WithWait(0))
	if err != nil || value != "short" {
		t.Errorf("it is %q, %v", value, err)
	}
}

func TestAfterALostReservationTheSameValueIsStored(t *testing.T) {
	client := liveClient(t)
	agent := liveAgent(t)
	made := 0
	value, err := memoryd.GetOrSet(t.Context(), agent, "k", func(ctx context.Context) (int, error) {
		made++
		// Setting the key ends the reservation, and removing it leaves the key without a value.
		set(t, agent, "k", 0)
		_, err := client.WorkingMemory().RemoveEntry(ctx, &memorydv1.RemoveEntryRequest{AgentId: agent.AgentID(), Key: "k"})
		return 7, err
	})
	if err != nil || value != 7 || made != 1 || get[int](t, agent, "k") != 7 {
		t.Errorf("it is %d, %v, made %d times", value, err, made)
	}
}

func TestAnEntryThatWasMadeIsAboutItsUser(t *testing.T) {
	agent := liveAgent(t)
	must[int](t)(memoryd.GetOrSet(t.Context(), agent, "k", making(7), memoryd.WithUserID("ann")))
	if keys := keysOf(t, agent, memoryd.AboutUsers("ann")); len(keys) != 1 {
		t.Errorf("they are %v", keys)
	}
}

func TestAScopeReturnsTheParentsValueUnlessLocalOnly(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "k", "root")
	scope := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	if value, err := memoryd.GetOrSet(t.Context(), scope, "k", making("scope")); err != nil || value != "root" {
		t.Errorf("it is %q, %v", value, err)
	}
	value, err := memoryd.GetOrSet(t.Context(), scope, "k", making("scope"), memoryd.LocalOnly(), memoryd.WithTags("made"))
	if err != nil || value != "scope" {
		t.Errorf("it is %q, %v", value, err)
	}
	if keys := keysOf(t, scope, memoryd.WithAllTags("made")); len(keys) != 1 {
		t.Errorf("they are %v", keys)
	}
}
