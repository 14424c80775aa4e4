package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func nearCache(ctx context.Context, agent *memoryd.Agent) error {
	// A copy in this process: a read makes no call, and has the client's own writes at once.
	near, err := agent.NearCache(ctx)
	if err != nil {
		return err
	}
	defer near.Close()
	for _, planned := range []trip{{"Lisbon", 4}, {"Porto", 2}} {
		if _, err := agent.Set(ctx, "trip", planned); err != nil {
			return err
		}
		read, _, err := memoryd.NearGet[trip](ctx, near, "trip")
		if err != nil {
			return err
		}
		fmt.Println("near cache:", read.City)
	}
	return nil
}

func records(ctx context.Context, agent *memoryd.Agent) error {
	for _, part := range []func(context.Context, *memoryd.Agent) error{memories, notes, plan, document} {
		if err := part(ctx, agent); err != nil {
			return err
		}
	}
	return nil
}

func memories(ctx context.Context, agent *memoryd.Agent) error {
	important := &memoryd.CreateMemoryOptions{Importance: memoryd.Ptr(0.8)}
	if _, err := agent.Memories().Remember(ctx, "Ada likes the window seat on trains.", important); err != nil {
		return err
	}
	if _, err := agent.Memories().Remember(ctx, "Ada's sister lives in Oslo.", nil); err != nil {
		return err
	}
	limit := &memoryd.RecallMemoriesOptions{Limit: 1}
	found, err := agent.Memories().Recall(ctx, "Which seat does Ada like?", limit)
	for _, match := range found.GetMemories() {
		fmt.Println("recalled:", match.GetMemory().GetContent())
	}
	return err
}

func notes(ctx context.Context, agent *memoryd.Agent) error {
	if _, err := agent.Notes().Create(ctx, "Budget", "200 euros for one journey.", nil); err != nil {
		return err
	}
	var titles []string
	for note, err := range agent.Notes().List(ctx, nil) {
		if err != nil {
			return err
		}
		titles = append(titles, note.GetTitle())
	}
	fmt.Println("notes:", strings.Join(titles, ", "))
	return nil
}

func plan(ctx context.Context, agent *memoryd.Agent) error {
	created, err := agent.Plans().Create(ctx, "Travel to Porto", &memoryd.CreatePlanOptions{
		ConversationID: "porto",
		Steps:          []memoryd.PlanStepDraft{{Description: "book a train"}, {Description: "pack"}},
	})
	if err != nil {
		return err
	}
	completed := memoryd.UpdatePlanStepChanges{Status: memoryd.Ptr(memorydv1.PlanStepStatus_PLAN_STEP_STATUS_COMPLETED)}
	ofPorto := &memoryd.UpdatePlanStepOptions{ConversationID: "porto"}
	if _, err := agent.Plans().UpdateStep(ctx, created.GetSteps()[0].GetStepId(), completed, ofPorto); err != nil {
		return err
	}
	current, err := agent.Plans().Get(ctx, &memoryd.GetPlanOptions{ConversationID: "porto"})
	if err != nil {
		return err
	}
	var done []string
	for _, step := range current.GetSteps() {
		if step.GetStatus() == *completed.Status {
			done = append(done, step.GetDescription())
		}
	}
	fmt.Printf("plan: %d of %d steps completed, %s\n", len(done), len(current.GetSteps()), strings.Join(done, ", "))
	return nil
}

func document(ctx context.Context, agent *memoryd.Agent) error {
	file := strings.NewReader("A passport. A towel. A book.") // any io.Reader, such as a file
	list, err := agent.Documents().Upload(ctx, file, &memoryd.UploadDocumentOptions{
		CreateDocumentOptions: memoryd.CreateDocumentOptions{Title: "Packing list", MediaType: "text/plain"},
		Progress:              func(sentBytes int64) { fmt.Printf("uploaded: %d bytes\n", sentBytes) },
	})
	if err != nil {
		return err
	}
	found, err := agent.Documents().Search(ctx, "towel", nil)
	if err != nil {
		return err
	}
	fmt.Printf("document: %s, found in %d chunk\n", list.GetTitle(), len(found.GetChunks()))
	return nil
}

func fragments(ctx context.Context, agent *memoryd.Agent) error {
	for _, content := range []string{"The train is late.", "Ada is hungry."} {
		if _, err := agent.Fragments().Create(ctx, content, nil); err != nil {
			return err
		}
	}
	if _, err := agent.Fragments().Flush(ctx, nil); err != nil {
		return err
	}
	seen := map[string]bool{} // by content, since a fragment may be delivered again
	both := make(chan struct{})
	finish := sync.OnceFunc(func() { close(both) })
	consumer := agent.Fragments().OnFlush(ctx, func(_ context.Context, delivered []*memorydv1.Fragment) error {
		for _, fragment := range delivered {
			seen[fragment.GetContent()] = true
		}
		if len(seen) == 2 {
			finish()
		}
		return nil
	}, nil)
	<-both
	if err := consumer.Close(); err != nil {
		return err
	}
	var contents []string
	for content := range seen {
		contents = append(contents, content)
	}
	slices.Sort(contents)
	fmt.Println("consumed:", strings.Join(contents, " "))
	return nil
}

func compose(ctx context.Context, agent *memoryd.Agent) error {
	message := memoryd.MessageDraft{
		Role: memorydv1.MessageRole_MESSAGE_ROLE_USER, Content: "Please book a seat for me.",
	}
	if _, err := agent.Conversations().Append(ctx, "porto", []memoryd.MessageDraft{message}, nil); err != nil {
		return err
	}
	prompt, err := agent.Compose(ctx, &memoryd.ComposeContextOptions{
		ConversationID: "porto",
		MaxTokens:      memoryd.Ptr[int64](4_000),
		Sections: []memoryd.ContextSection{
			{Text: &memoryd.TextSource{Content: "You book journeys."}},
			{Notes: &memoryd.NotesSource{}},
			{Plan: &memoryd.PlanSource{}},
			{Memories: &memoryd.MemoriesSource{Limit: 1}},
			{Messages: &memoryd.MessagesSource{}},
		},
	})
	for _, each := range prompt.GetMessages() {
		role := strings.ToLower(strings.TrimPrefix(each.GetRole().String(), "MESSAGE_ROLE_"))
		fmt.Printf("composed: %s, %s\n", role, each.GetSection())
	}
	return err
}
