package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

const (
	warmUpCalls        = 100
	measuredKey        = "measured"
	measuredValueBytes = 200
	batchingWindow     = 500 * time.Microsecond
)

// measure takes the time of calls. The callers are goroutines.
func (d *driver) measure(ctx context.Context, agent *memoryd.Agent, asked command) (answers, error) {
	if asked.Batching {
		client, err := memoryd.NewClient(d.target, memoryd.WithBatching(batchingWindow))
		if err != nil {
			return nil, err
		}
		defer client.Close()
		agent = client.Agent(asked.Agent)
	}
	if asked.Call == "near_get" {
		return measureNear(ctx, agent, asked.Calls)
	}
	call, err := measured(agent, asked.Call)
	if err != nil {
		return nil, err
	}
	callers := max(asked.Callers, 1)
	if _, err := together(ctx, call, warmUpCalls, callers); err != nil {
		return nil, err
	}
	began := time.Now()
	each, err := together(ctx, call, asked.Calls, callers)
	return answers{"each_s": each, "total_s": time.Since(began).Seconds()}, err
}

// measured returns what makes a call of this name.
func measured(agent *memoryd.Agent, name string) (func(context.Context) error, error) {
	switch name {
	case "set":
		value := strings.Repeat("x", measuredValueBytes-len(`""`))
		return func(ctx context.Context) error {
			_, err := agent.Set(ctx, measuredKey, value)
			return err
		}, nil
	case "get":
		return func(ctx context.Context) error {
			_, _, err := memoryd.Get[string](ctx, agent, measuredKey)
			return err
		}, nil
	case "recall":
		return func(ctx context.Context) error {
			_, err := agent.Memories().Recall(ctx, "Who signed the lease?", nil)
			return err
		}, nil
	case "compose":
		return func(ctx context.Context) error {
			_, err := agent.Compose(ctx, &memoryd.ComposeContextOptions{ConversationID: "measured"})
			return err
		}, nil
	}
	return nil, fmt.Errorf("there is no call %q", name)
}

// together has callers make calls, and returns the time of each in seconds.
func together(ctx context.Context, call func(context.Context) error, calls, callers int) ([]float64, error) {
	var left atomic.Int64
	left.Store(int64(calls))
	var lock sync.Mutex
	took := make([]float64, 0, calls)
	var failure error
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				began := time.Now()
				err := call(ctx)
				seconds := time.Since(began).Seconds()
				lock.Lock()
				failure = errors.Join(failure, err)
				took = append(took, seconds)
				lock.Unlock()
			}
		})
	}
	group.Wait()
	return took, failure
}

// measureNear takes the time of all reads of a near cache at once: one takes about as long as reading the clock.
func measureNear(ctx context.Context, agent *memoryd.Agent, calls int) (answers, error) {
	cache, err := agent.NearCache(ctx)
	if err != nil {
		return nil, err
	}
	defer cache.Close()
	read := func(count int) error {
		for range count {
			if _, _, err := memoryd.NearGet[string](ctx, cache, measuredKey); err != nil {
				return err
			}
		}
		return nil
	}
	if err := read(warmUpCalls); err != nil {
		return nil, err
	}
	began := time.Now()
	err = read(calls)
	return answers{"each_s": []float64{}, "total_s": time.Since(began).Seconds()}, err
}
