// First_steps shows the main operations of the client in order.
//
// It needs a running daemon, at MEMORYD_ADDRESS or 127.0.0.1:7600: go run ./examples/first_steps.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// User is the person that the agent talks to.
type User struct {
	Name  string   `json:"name"`
	Likes []string `json:"likes,omitempty"`
}

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	for _, step := range []func(context.Context) error{reset, firstSteps, end} {
		if err := step(ctx); err != nil {
			log.Fatalln("first steps:", err)
		}
	}
}

// [first steps]

func firstSteps(ctx context.Context) error {
	client, err := memoryd.NewClient("", memoryd.WithOrigin("first-steps"))
	if err != nil {
		return err
	}
	defer client.Close()
	agent := client.Agent("first-steps")
	watch, err := agent.Watch(ctx) // no commit after this is missed
	if err != nil {
		return err
	}
	defer watch.Close()

	if _, err := agent.Set(ctx, "user", User{"Ada", []string{"chess", "tea"}}); err != nil {
		return err
	}
	user, found, err := memoryd.Get[User](ctx, agent, "user") // found is false for a missing key
	if err != nil {
		return err
	}
	fmt.Println("user:", user, found)

	// No concurrent update is lost, and only one of all callers runs its factory.
	visits, err := memoryd.Update(ctx, agent, "visits", func(n int, found bool) (int, error) { return n + 1, nil })
	if err != nil {
		return err
	}
	greeting, err := memoryd.GetOrSet(ctx, agent, "greeting", func(context.Context) (string, error) {
		return "Good morning, Ada", nil
	})
	if err != nil {
		return err
	}
	fmt.Println("visits:", visits, "greeting:", greeting)

	if err := bookTable(ctx, agent); err != nil {
		return err
	}
	for event, err := range watch.Events() {
		if err != nil {
			return err
		}
		switch subject := event.Subject.(type) {
		case *memorydv1.Event_Entry:
			fmt.Println(event.GetRevision(), event.GetType(), subject.Entry.GetKey())
		case *memorydv1.Event_Scope:
			fmt.Println(event.GetRevision(), event.GetType(), subject.Scope.GetName())
		}
		if event.GetType() == memorydv1.EventType_EVENT_TYPE_SCOPE_DISPOSED {
			break
		}
	}
	return nil
}

func bookTable(ctx context.Context, agent *memoryd.Agent) error {
	task, err := agent.CreateScope(ctx, "book a table")
	if err != nil {
		return err
	}
	defer task.Close(ctx) // disposes the scope with its entries, unless they were merged
	if _, err := task.Set(ctx, "table", 7); err != nil {
		return err
	}
	visits, _, err := memoryd.Get[int](ctx, task, "visits") // falls back to the agent's root scope
	if err != nil {
		return err
	}
	fmt.Println("in the task, visits:", visits)
	_, err = task.Merge(ctx, memoryd.Overwrite)
	return err
}

// [end]

func reset(ctx context.Context) error {
	client, err := memoryd.NewClient("")
	if err != nil {
		return err
	}
	defer client.Close()
	server, err := client.Server().GetServerInfo(ctx, &memorydv1.GetServerInfoRequest{})
	if err != nil {
		return err
	}
	fmt.Printf("memoryd %s at %s\n", server.GetVersion(), client.Target())
	ended, err := client.Agent("first-steps").End(ctx)
	if err != nil {
		return err
	}
	fmt.Println("an earlier agent ended:", ended.GetDeleted())
	return nil
}

func end(ctx context.Context) error {
	client, err := memoryd.NewClient("")
	if err != nil {
		return err
	}
	defer client.Close()
	agent := client.Agent("first-steps")
	response, err := client.Agents().GetAgentStats(ctx, &memorydv1.GetAgentStatsRequest{AgentId: agent.AgentID()})
	if err != nil {
		return err
	}
	fmt.Println("bytes used:", response.GetStats().GetStorageBytes())
	ended, err := agent.End(ctx)
	removed := memoryd.CountsByKind(ended.GetCleared())
	fmt.Println("entries removed:", removed[memorydv1.RecordKind_RECORD_KIND_ENTRY])
	return err
}
