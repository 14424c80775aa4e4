package memoryd

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const (
	defaultConsumerLimit = 10
	// consumerWait is the time that one call waits for fragments. None is cancelled when the consumer is closed: the
	// daemon may have leased fragments to it already, which nobody would get before the lease expires.
	consumerWait         = time.Second
	longestConsumerPause = 30 * time.Second
)

// FragmentHandler handles fragments, oldest first. They are delivered again unless it returns nil. Its context ends with
// that of the consumer, and when the lease of the fragments is lost, so that others may receive them: [context.Cause] is
// then ErrLeaseLost.
type FragmentHandler func(ctx context.Context, fragments []*memorydv1.Fragment) error

// ConsumerOptions are the options of [Fragments.OnFlush].
type ConsumerOptions struct {
	// Maximum number of fragments that the handler receives together. 0 means 10.
	Limit int32
	// The lease of the fragments, which is renewed while the handler runs. 0 means 10 s.
	Lease time.Duration
	// Receives each error of the handler, and of calls that are tried again. Nil means that they are logged by package
	// log/slog.
	OnError func(error)
}

// Consumer delivers flushed fragments to a handler, each at least once, also across restarts of the daemon.
//
// When the handler succeeds, its fragments leave the buffer. When it fails, they are delivered again, and the consumer
// pauses for up to 30 seconds. A consumer ends when it or its client is closed, when its context ends, or with an error
// that no retry can resolve.
type Consumer struct {
	fragments *Fragments
	handler   FragmentHandler
	options   ConsumerOptions
	// closing ends when the consumer is to end.
	closing context.Context
	close   context.CancelFunc
	// ended is closed when the consumer has ended, with the error err.
	ended chan struct{}
	err   error
}

// OnFlush delivers flushed fragments to a handler until the context ends or the consumer is closed. The handler runs in a
// goroutine of its own, for one delivery after the other. Any number of consumers share the fragments.
//
//	consumer := agent.Fragments().OnFlush(ctx, consolidate, nil)
//	defer consumer.Close()
func (f *Fragments) OnFlush(ctx context.Context, handler FragmentHandler, options *ConsumerOptions) *Consumer {
	chosen := ConsumerOptions{}
	if options != nil {
		chosen = *options
	}
	chosen.Limit = cmp.Or(chosen.Limit, defaultConsumerLimit)
	chosen.Lease = cmp.Or(chosen.Lease, defaultLease)
	if chosen.OnError == nil {
		chosen.OnError = func(err error) { slog.WarnContext(ctx, "fragments are delivered again", "error", err) }
	}
	closing, stop := context.WithCancel(ctx)
	consumer := &Consumer{
		fragments: f, handler: handler, options: chosen, closing: closing, close: stop, ended: make(chan struct{}),
	}
	go consumer.run(ctx)
	return consumer
}

// Close ends the consumer once a running handler has returned, and returns the error that it ended with, if any. A
// pending call for fragments ends within a second, and what it still receives is released.
func (c *Consumer) Close() error {
	c.close()
	return c.Wait()
}

// Wait waits until the consumer has ended. It returns the error that it ended with: ErrInvalidArgument,
// ErrPermissionDenied, ErrUnauthenticated or ErrUnimplemented, which no retry can resolve, else nil.
func (c *Consumer) Wait() error {
	<-c.ended
	return c.err
}

func (c *Consumer) run(ctx context.Context) {
	defer close(c.ended)
	defer c.close()
	defer context.AfterFunc(c.caller().closing, c.close)()
	for failures := 0; !c.isClosed(); {
		handled, err := c.turn(ctx)
		switch {
		case err != nil && c.isClosed():
			return
		case err != nil && isPermanent(err):
			slog.ErrorContext(ctx, "the consumer of fragments ended", "agent", c.fragments.agent.agentID, "error", err)
			c.err = err
			return
		case err != nil:
			c.options.OnError(err)
			failures++
		case handled:
			failures = 0
		default:
			failures++
		}
		if failures > 0 {
			c.caller().sleep(c.closing, backoffAfter(failures, longestConsumerPause, jitter()))
		}
	}
}

func (c *Consumer) isClosed() bool { return c.closing.Err() != nil || c.caller().closing.Err() != nil }

// isPermanent reports whether no retry can resolve an error.
func isPermanent(err error) bool {
	return errors.Is(err, ErrInvalidArgument) || errors.Is(err, ErrPermissionDenied) ||
		errors.Is(err, ErrUnauthenticated) || errors.Is(err, ErrUnimplemented)
}

// turn has some fragments handled, if there are any. It returns false if the handler has failed, and the error of a call
// that has failed.
func (c *Consumer) turn(ctx context.Context) (bool, error) {
	leased, err := c.take(ctx)
	if err != nil || len(leased.GetFragments()) == 0 {
		return true, err
	}
	if c.isClosed() {
		c.release(ctx, leased.GetLeaseToken())
		return true, nil
	}
	if err := c.handle(ctx, leased); err != nil {
		c.release(ctx, leased.GetLeaseToken())
		c.options.OnError(err)
		return false, nil
	}
	err = c.acknowledge(ctx, leased.GetLeaseToken())
	if errors.Is(err, ErrLeaseLost) {
		// They are not released: they were handled, and the daemon may have removed them before the call failed.
		c.options.OnError(err)
		err = nil
	}
	return true, err
}

// handle runs the handler, and renews the lease meanwhile.
func (c *Consumer) handle(ctx context.Context, leased *memorydv1.LeaseFragmentsResponse) error {
	held, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	renew := func(ctx context.Context) error {
		options := &RenewFragmentLeaseOptions{LeaseDuration: c.options.Lease}
		_, err := c.fragments.Renew(ctx, leased.GetLeaseToken(), options)
		return err
	}
	defer keepRenewed(context.WithoutCancel(ctx), c.options.Lease, renew, lose)()
	return c.handler(held, leased.GetFragments())
}

func (c *Consumer) take(ctx context.Context) (*memorydv1.LeaseFragmentsResponse, error) {
	ctx, cancel := c.call(ctx, consumerWait)
	defer cancel()
	return c.fragments.Take(ctx, &LeaseFragmentsOptions{
		Limit: c.options.Limit, LeaseDuration: c.options.Lease, WaitDuration: Ptr(consumerWait),
	})
}

func (c *Consumer) acknowledge(ctx context.Context, leaseToken string) error {
	ctx, cancel := c.call(ctx, 0)
	defer cancel()
	_, err := c.fragments.Acknowledge(ctx, leaseToken, nil)
	return err
}

// release releases fragments for other consumers. Its failure is ignored, because the lease expires anyway.
func (c *Consumer) release(ctx context.Context, leaseToken string) {
	ctx, cancel := c.call(ctx, 0)
	defer cancel()
	_, _ = c.fragments.Release(ctx, leaseToken, nil)
}

// call returns the context of a call that the end of the consumer does not cancel, and that is not retried after it.
func (c *Consumer) call(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	ctx = retryingUntil(context.WithoutCancel(ctx), c.closing)
	return context.WithTimeout(ctx, c.caller().timeout+wait)
}

func (c *Consumer) caller() *caller { return c.fragments.agent.client.caller }
