// Tour is a tour of the client: each kind of memory once, errors, and a daemon that is killed on the way.
//
// It needs a running daemon, at MEMORYD_ADDRESS or 127.0.0.1:7600: go run ./examples/tour. It asks for the daemon to be
// killed and started again. The tours of all languages print the same lines.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

type trip struct {
	City   string `json:"city"`
	Nights int    `json:"nights"`
}

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatalln("error:", err)
	}
}

func run(ctx context.Context) error {
	client, err := memoryd.NewClient("", memoryd.WithOrigin("tour"))
	if err != nil {
		return err
	}
	defer client.Close()
	tour := client.Agent("tour")
	if _, err := tour.End(ctx); err != nil { // what an earlier tour has left
		return err
	}
	agent := tour.User("ada") // all that is written and read below is Ada's
	for _, part := range []func(context.Context, *memoryd.Agent) error{
		workingMemory, watchAcrossAKill, refusals, nearCache, records, fragments, compose,
	} {
		if err := part(ctx, agent); err != nil {
			return err
		}
	}
	_, err = tour.End(ctx)
	return err
}

func workingMemory(ctx context.Context, agent *memoryd.Agent) error {
	if _, err := agent.Set(ctx, "trip", trip{"Lisbon", 3}, memoryd.WithTTL(time.Hour)); err != nil {
		return err
	}
	entry, _, err := agent.GetEntry(ctx, "trip")
	if err != nil {
		return err
	}
	planned, err := memoryd.Decode[trip](entry)
	if err != nil {
		return err
	}
	lasts := "stays"
	if entry.GetExpireTime() != nil {
		lasts = "expires"
	}
	fmt.Printf("trip: %s, %d nights, %s\n", planned.City, planned.Nights, lasts)
	return errors.Join(book(ctx, agent), greet(ctx, agent), change(ctx, agent))
}

func book(ctx context.Context, agent *memoryd.Agent) error {
	scope, err := agent.CreateScope(ctx, "booking") // reads in it fall back to the agent's
	if err != nil {
		return err
	}
	defer scope.Close(ctx) // also if a step below fails
	if _, err := scope.Set(ctx, "seat", "12A"); err != nil {
		return err
	}
	inherited, _, err := memoryd.Get[trip](ctx, scope, "trip")
	if err != nil {
		return err
	}
	seat, _, err := memoryd.Get[string](ctx, scope, "seat")
	if err != nil {
		return err
	}
	fmt.Printf("in the scope: %s, seat %s\n", inherited.City, seat)
	if err := scope.Close(ctx); err != nil { // its entries are gone
		return err
	}
	seat, found, err := memoryd.Get[string](ctx, agent, "seat")
	if !found {
		seat = "none"
	}
	fmt.Println("after the scope: seat", seat)
	return err
}

func greet(ctx context.Context, agent *memoryd.Agent) error {
	var runs atomic.Int32
	var callers sync.WaitGroup
	greetings, failures := make([]string, 8), make([]error, 8)
	for caller := range greetings {
		callers.Go(func() {
			greetings[caller], failures[caller] = memoryd.GetOrSet(ctx, agent, "greeting",
				func(context.Context) (string, error) {
					runs.Add(1)
					return "Good morning, Ada", nil
				})
		})
	}
	callers.Wait()
	distinct := strings.Join(slices.Compact(slices.Clone(greetings)), ", ")
	fmt.Printf("get or set: %d callers, %d run, %s\n", len(greetings), runs.Load(), distinct)
	return errors.Join(failures...)
}

func change(ctx context.Context, agent *memoryd.Agent) error {
	tx := agent.Transaction() // all of it, or nothing
	first, second := tx.Set("adults", 2), tx.Set("children", 1)
	if _, err := tx.Commit(ctx); err != nil {
		return err
	}
	revisions := "several"
	if first.Result().GetRevision() == second.Result().GetRevision() {
		revisions = "one revision"
	}
	fmt.Println("transaction:", revisions)
	return nil
}

func watchAcrossAKill(ctx context.Context, agent *memoryd.Agent) error {
	watch, err := agent.Watch(ctx, memoryd.WithKeyPrefix("step-"))
	if err != nil {
		return err
	}
	defer watch.Close()
	if _, err := agent.Set(ctx, "step-1", "booked"); err != nil {
		return err
	}
	if err := printNext(watch); err != nil {
		return err
	}
	fmt.Println("Kill the daemon, start it again, and press Enter.")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	if _, err := agent.Set(ctx, "step-2", "packed"); err != nil { // is retried until the daemon is back
		return err
	}
	return printNext(watch) // the watch has resumed by itself, and missed nothing
}

func printNext(watch *memoryd.Watch) error {
	for event, err := range watch.Events() {
		if err != nil {
			return err
		}
		if entry := event.GetEntry(); entry != nil {
			fmt.Println("watched:", entry.GetKey())
			return nil
		}
	}
	return errors.New("a watch does not end by itself")
}

func refusals(ctx context.Context, agent *memoryd.Agent) error {
	_, err := agent.Set(ctx, "", 1)
	fmt.Println("a bad key:", nameOf(err))
	entry, _, err := agent.GetEntry(ctx, "trip")
	if err != nil {
		return err
	}
	if _, err := agent.Set(ctx, "trip", trip{"Lisbon", 4}); err != nil { // another writer is faster
		return err
	}
	_, err = agent.Set(ctx, "trip", 0, memoryd.IfRevision(entry.GetRevision()))
	fmt.Println("a lost race:", nameOf(err))
	_, _, err = memoryd.Get[int](ctx, agent, "trip")
	fmt.Println("a wrong type:", nameOf(err))
	_, err = agent.Notes().Get(ctx, "nothing", nil)
	fmt.Println("a missing record:", nameOf(err))
	waiting, cancel := context.WithCancel(ctx)
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err = agent.Fragments().Take(waiting, &memoryd.LeaseFragmentsOptions{WaitDuration: memoryd.Ptr(time.Minute)})
	if errors.Is(err, context.Canceled) {
		fmt.Println("a cancelled call: ended")
	}
	return nil
}

// nameOf returns the name of an error in the contract.
func nameOf(err error) string {
	switch {
	case errors.Is(err, memoryd.ErrInvalidArgument):
		return "InvalidArgument"
	case errors.Is(err, memoryd.ErrRevisionMismatch):
		return "RevisionMismatch"
	case errors.Is(err, memoryd.ErrWrongType):
		return "WrongType"
	case errors.Is(err, memoryd.ErrRecordNotFound):
		return "RecordNotFound"
	}
	return fmt.Sprint(err)
}
