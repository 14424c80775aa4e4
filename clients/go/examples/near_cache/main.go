// Near_cache reads an agent's memory a million times from a near cache, as a service with many requests would.
//
// It needs a running daemon, at MEMORYD_ADDRESS or 127.0.0.1:7600: go run ./examples/near_cache.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

const (
	workers = 8
	reads   = 1_000_000
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatalln("near cache:", err)
	}
}

func run(ctx context.Context) (failure error) {
	client, err := memoryd.NewClient("", memoryd.WithOrigin("near-cache"))
	if err != nil {
		return err
	}
	defer client.Close()
	agent := client.Agent("near-cache")
	if _, err := agent.Set(ctx, "tone", "formal"); err != nil {
		return err
	}
	defer func() {
		_, err := agent.Remove(ctx, "tone")
		failure = errors.Join(failure, err)
	}()
	return serve(ctx, agent)
}

// [sample]

// serve reads the tone of an agent in each of a million requests, and changes it meanwhile.
func serve(ctx context.Context, agent *memoryd.Agent) error {
	cache, err := agent.NearCache(ctx, memoryd.MaxStaleness(time.Second))
	if err != nil {
		return err
	}
	defer cache.Close()
	var requests sync.WaitGroup
	failures := make([]error, workers)
	began := time.Now()
	for worker := range workers {
		requests.Go(func() {
			for range reads / workers {
				if _, _, err := memoryd.NearGet[string](ctx, cache, "tone"); err != nil { // no call
					failures[worker] = err
					return
				}
			}
		})
	}
	if _, err := agent.Set(ctx, "tone", "friendly"); err != nil {
		return err
	}
	tone, _, err := memoryd.NearGet[string](ctx, cache, "tone") // each write of this client is seen once it has returned
	fmt.Println("the tone is now", tone)
	requests.Wait()
	took := time.Since(began)
	fmt.Printf("%d reads in %v, %d ns each\n", reads, took.Round(time.Millisecond), took.Nanoseconds()/reads)
	return errors.Join(append(failures, err)...)
}

// [end]
