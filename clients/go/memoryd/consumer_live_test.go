package memoryd_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

type fragments = []*memorydv1.Fragment

func flushed(t *testing.T, agent *memoryd.Agent, contents ...string) {
	t.Helper()
	for _, content := range contents {
		must[*memorydv1.CreateFragmentResponse](t)(agent.Fragments().Create(t.Context(), content, nil))
	}
	must[int64](t)(agent.Fragments().Flush(t.Context(), nil))
}

// arrived returns the next value of a channel, and fails the test if there is none in time.
func arrived[T any](t *testing.T, values <-chan T) T {
	t.Helper()
	select {
	case value := <-values:
		return value
	case <-time.After(waitMax):
		t.Fatal("it did not happen in time")
		panic("unreachable")
	}
}

func closeConsumer(t *testing.T, consumer *memoryd.Consumer) {
	t.Helper()
	if err := consumer.Close(); err != nil {
		t.Error(err)
	}
}

func expectFragments(t *testing.T, agent *memoryd.Agent, expected int64) {
	t.Helper()
	counted := must[*memorydv1.CountFragmentsResponse](t)(agent.Fragments().Count(t.Context(), nil))
	if counted.GetFragmentCount() != expected {
		t.Errorf("there are %d fragments and not %d", counted.GetFragmentCount(), expected)
	}
}

func TestAConsumerHasFragmentsHandledWhichThenLeaveTheBuffer(t *testing.T) {
	agent, contents := liveAgent(t), make(chan []string, 1)
	consumer := agent.Fragments().OnFlush(t.Context(), func(_ context.Context, delivered fragments) error {
		var each []string
		for _, fragment := range delivered {
			each = append(each, fragment.GetContent())
		}
		contents <- each
		return nil
	}, nil)
	flushed(t, agent, "one", "two")
	equal(t, arrived(t, contents), "one", "two")
	closeConsumer(t, consumer)
	expectFragments(t, agent, 0)
}

func TestFragmentsWhoseHandlerFailsAreDeliveredAgain(t *testing.T) {
	agent, failure := liveAgent(t), errors.New("no")
	deliveries, failures := make(chan int32, 10), make(chan error, 10)
	flushed(t, agent, "one")
	consumer := agent.Fragments().OnFlush(t.Context(), func(_ context.Context, delivered fragments) error {
		count := delivered[0].GetDeliveryCount()
		deliveries <- count
		if count == 1 {
			return failure
		}
		return nil
	}, &memoryd.ConsumerOptions{OnError: func(err error) { failures <- err }})
	found := []int32{arrived(t, deliveries), arrived(t, deliveries)}
	closeConsumer(t, consumer)
	if !slices.Equal(found, []int32{1, 2}) || arrived(t, failures) != failure || len(failures) != 0 {
		t.Errorf("the deliveries are %v", found)
	}
	expectFragments(t, agent, 0)
}

func TestTheLeaseIsRenewedWhileTheHandlerRuns(t *testing.T) {
	agent, others := liveAgent(t), make(chan int, 3)
	flushed(t, agent, "one")
	consumer := agent.Fragments().OnFlush(t.Context(), func(ctx context.Context, _ fragments) error {
		// Past the end of the first lease, nobody else is given the fragment.
		for range cap(others) {
			wait := &memoryd.LeaseFragmentsOptions{WaitDuration: memoryd.Ptr(400 * time.Millisecond)}
			taken, err := agent.Fragments().Take(ctx, wait)
			if err != nil {
				return err
			}
			others <- len(taken.GetFragments())
		}
		return nil
	}, &memoryd.ConsumerOptions{Lease: time.Second})
	for range cap(others) {
		if count := arrived(t, others); count != 0 {
			t.Errorf("another consumer received %d fragments", count)
		}
	}
	closeConsumer(t, consumer)
	expectFragments(t, agent, 0)
}

func TestTheContextOfAHandlerEndsWhenTheLeaseIsLost(t *testing.T) {
	agent, causes, failures := liveAgent(t), make(chan error, 1), make(chan error, 10)
	flushed(t, agent, "one")
	consumer := agent.Fragments().OnFlush(t.Context(), func(ctx context.Context, _ fragments) error {
		if _, err := agent.Fragments().Clear(ctx, nil); err != nil {
			return err
		}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return nil
	}, &memoryd.ConsumerOptions{Lease: 300 * time.Millisecond, OnError: func(err error) { failures <- err }})
	if cause := arrived(t, causes); !errors.Is(cause, memoryd.ErrLeaseLost) {
		t.Errorf("it ended by %v", cause)
	}
	closeConsumer(t, consumer)
	if failure := arrived(t, failures); !errors.Is(failure, memoryd.ErrLeaseLost) || len(failures) != 0 {
		t.Errorf("the errors are %v and %d more", failure, len(failures))
	}
}

func TestAConsumerEndsWithItsClientAndWithItsContext(t *testing.T) {
	handler := func(context.Context, fragments) error { return nil }
	client := liveClient(t)
	consumer := client.Agent("go-ends").Fragments().OnFlush(t.Context(), handler, nil)
	client.Close()
	if err := consumer.Wait(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	consumer = liveAgent(t).Fragments().OnFlush(ctx, handler, nil)
	cancel()
	if err := consumer.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAConsumerEndsWithAnErrorThatNoRetryResolves(t *testing.T) {
	handler := func(context.Context, fragments) error { return nil }
	options := &memoryd.ConsumerOptions{Lease: time.Millisecond}
	consumer := liveAgent(t).Fragments().OnFlush(t.Context(), handler, options)
	for _, err := range []error{consumer.Wait(), consumer.Close()} {
		if !errors.Is(err, memoryd.ErrInvalidArgument) {
			t.Errorf("it is %v", err)
		}
	}
}

func TestAConsumerOutlivesAKilledDaemon(t *testing.T) {
	daemon := startDaemon(t)
	agent, contents := daemon.connect(patient()...).Agent("a"), make(chan string, 10)
	consumer := agent.Fragments().OnFlush(t.Context(), func(_ context.Context, delivered fragments) error {
		for _, fragment := range delivered {
			contents <- fragment.GetContent()
		}
		return nil
	}, &memoryd.ConsumerOptions{OnError: func(error) {}})
	flushed(t, agent, "one")
	for content := ""; content != "one"; content = arrived(t, contents) {
	}
	daemon.kill()
	daemon.start()
	flushed(t, agent, "two")
	for content := ""; content != "two"; content = arrived(t, contents) {
	}
	closeConsumer(t, consumer)
	expectFragments(t, agent, 0)
}
