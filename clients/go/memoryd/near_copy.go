package memoryd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// started is the beginning of monotonic times.
var started = time.Now()

// notFresh is before every monotonic time.
const notFresh time.Duration = -1

// nearCopy is the mirror of an agent, kept current in the background.
type nearCopy struct {
	client   *Client
	agentID  string
	settings nearSettings
	// ctx ends with the copy.
	ctx     context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup

	mutex  sync.RWMutex
	mirror *mirror
	// freshAt is the last monotonic time at which the mirror was complete. freshUntil is the one until which it is known to
	// have all changes that it has to have.
	freshAt, freshUntil time.Duration
	// debt is the writes of this client that the mirror does not have yet, and that nobody waits for.
	debt *nearDebt
	// failure is the error that ended the watch.
	failure error
	// changed is closed at the next change of the mirror or the failure; nil while nobody waits.
	changed chan struct{}
}

// nearDebt is the state that a mirror owes, and the last time at which a write of it had returned.
type nearDebt struct {
	mark mark
	at   time.Duration
}

func openNearCopy(ctx context.Context, client *Client, agentID string, settings nearSettings) (*nearCopy, error) {
	background, cancel := context.WithCancel(client.caller.closing)
	c := &nearCopy{
		client:     client,
		agentID:    agentID,
		settings:   settings,
		ctx:        background,
		cancel:     cancel,
		mirror:     newMirror(settings.bytesMax, wallClock),
		freshAt:    notFresh,
		freshUntil: notFresh,
	}
	path, err := c.lookupPath(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	// From here on, no write of this client is overlooked.
	client.caller.near.enter(c)
	c.workers.Go(func() { c.follow(nearFilters(agentID, path, settings)) })
	isComplete := func() bool { return c.mirror.isComplete }
	if !c.wait(ctx, isComplete) {
		err := c.openFailure(ctx)
		c.close()
		return nil, err
	}
	c.workers.Go(c.prove)
	return c, nil
}

func (c *nearCopy) openFailure(ctx context.Context) error {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	if c.failure != nil {
		return c.failure
	}
	return c.client.caller.ended(ctx)
}

// close ends the copy. Reads then ask the daemon.
func (c *nearCopy) close() {
	c.client.caller.near.exit(c)
	c.cancel()
	c.workers.Wait()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.forget()
}

// forget removes the records.
func (c *nearCopy) forget() {
	c.mirror = newMirror(c.settings.bytesMax, wallClock)
	c.freshAt, c.freshUntil = notFresh, notFresh
	c.announce()
}

func (c *nearCopy) apply(message *memorydv1.WatchEventsResponse) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	err := c.mirror.apply(message)
	c.settle()
	c.announce()
	return err
}

// replace uses a mirror whose watch has begun at a time.
func (c *nearCopy) replace(loaded *mirror, began time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	// What was owed before then is in the initial state, or was lost by the daemon.
	if c.debt != nil && c.debt.at < began {
		c.debt = nil
	}
	loaded.lives += c.mirror.lives + 1
	c.mirror = loaded
	c.settle()
	c.freshFrom(began)
	c.announce()
}

// settle ends the debt once the mirror has what it owes.
func (c *nearCopy) settle() {
	if c.debt != nil && c.debt.mark.isReached(c.mirror) {
		c.debt = nil
		c.setFreshUntil()
	}
}

// freshFrom takes note that the mirror has all that was committed before a time.
func (c *nearCopy) freshFrom(complete time.Duration) {
	c.freshAt = max(c.freshAt, complete)
	c.setFreshUntil()
}

func (c *nearCopy) setFreshUntil() {
	switch {
	case c.debt != nil || c.freshAt == notFresh:
		c.freshUntil = notFresh
	case c.settings.staleness >= unbounded-c.freshAt:
		c.freshUntil = unbounded
	default:
		c.freshUntil = c.freshAt + c.settings.staleness
	}
}

// announce lets those that wait check again.
func (c *nearCopy) announce() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

func (c *nearCopy) fail(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.failure = err
	if errors.Is(err, ErrCacheFull) {
		// Its memory is what the caller wanted to bound.
		c.forget()
	}
	c.announce()
}

// prove finds out again and again how current the mirror is: it was current when a call began that it has caught up with.
// A copy without a bound does so only while it owes a write.
func (c *nearCopy) prove() {
	interval := c.settings.proofInterval()
	for {
		c.client.caller.sleep(c.ctx, interval)
		if c.ctx.Err() != nil {
			return
		}
		began := time.Since(started)
		before, isNeeded := c.beforeProof()
		if !isNeeded {
			continue
		}
		// The key does not matter: the response has the agent's revision, 0 if there is no agent.
		answer, err := c.client.workingMemory.ContainsEntry(c.ctx, &memorydv1.ContainsEntryRequest{AgentId: c.agentID, Key: "-"})
		if err != nil {
			continue
		}
		proven := markOf(answer.GetRevision(), before)
		ctx, cancel := context.WithTimeout(c.ctx, interval)
		if c.wait(ctx, func() bool { return proven.isReached(c.mirror) }) {
			c.proved(began)
		}
		cancel()
	}
}

// beforeProof returns what the mirror has reached, and whether to find out how current it is.
func (c *nearCopy) beforeProof() (mark, bool) {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	return markAt(c.mirror), c.mirror.isComplete && (c.settings.staleness != unbounded || c.debt != nil)
}

func (c *nearCopy) proved(began time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.mirror.isComplete {
		return
	}
	if c.debt != nil && c.debt.at < began {
		c.debt = nil
	}
	c.freshFrom(began)
}

// wait waits until a condition holds, which it checks while it holds the mutex. It returns false once the context has
// ended, or the watch has failed.
func (c *nearCopy) wait(ctx context.Context, holds func() bool) bool {
	for {
		c.mutex.Lock()
		if done := holds(); done || c.failure != nil {
			c.mutex.Unlock()
			return done
		}
		if c.changed == nil {
			c.changed = make(chan struct{})
		}
		changed := c.changed
		c.mutex.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-c.ctx.Done():
			return false
		}
	}
}

// owe takes note of a write that has returned and that the mirror may not have.
func (c *nearCopy) owe(written mark) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.debt != nil {
		written = written.later(c.debt.mark)
	}
	c.debt = &nearDebt{written, time.Since(started)}
	c.settle()
	c.setFreshUntil()
}

// mayServe returns whether a read may be served from the mirror. The error is ErrStaleRead if it is to be refused. The
// caller holds the mutex, so that the mirror does not change before it is read.
func (c *nearCopy) mayServe() (bool, error) {
	if time.Since(started) <= c.freshUntil {
		return true, nil
	}
	switch c.settings.whenStale {
	case Refuse:
		return false, c.staleRead()
	case Serve:
		// A write of this client is never missing, however stale the reads may be.
		return c.debt == nil && c.mirror.isComplete, nil
	}
	return false, nil
}

func (c *nearCopy) staleRead() error {
	err := fmt.Errorf("%w: the near cache of %q may be older than %v", ErrStaleRead, c.agentID, c.settings.staleness)
	if c.settings.staleness == unbounded {
		err = fmt.Errorf("%w: the near cache of %q may miss a write of this client", ErrStaleRead, c.agentID)
	}
	if c.failure != nil {
		err = fmt.Errorf("%w: %w", err, c.failure)
	}
	return err
}
