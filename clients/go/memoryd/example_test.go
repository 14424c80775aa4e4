package memoryd_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

var (
	ctx   = context.Background()
	agent *memoryd.Agent
)

func ExampleNewClient() {
	client, err := memoryd.NewClient("127.0.0.1:7600", memoryd.WithOrigin("planner"))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	info, err := client.Server().GetServerInfo(ctx, &memorydv1.GetServerInfoRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.GetVersion())
}

func ExampleUpdate() {
	addOne := func(visits int, found bool) (int, error) { return visits + 1, nil }
	visits, err := memoryd.Update(ctx, agent, "visits", addOne)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(visits)
}

func ExampleGetOrSet() {
	summarise := func(ctx context.Context) (string, error) { return "a summary that took a while", nil }
	summary, err := memoryd.GetOrSet(ctx, agent, "summary", summarise)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary)
}

func ExampleNearGet() {
	cache, err := agent.NearCache(ctx, memoryd.MaxStaleness(2*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	defer cache.Close()
	mood, found, err := memoryd.NearGet[string](ctx, cache, "mood")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mood, found, cache.Staleness())
}

func ExampleError() {
	_, err := agent.Set(ctx, "plan", "mine", memoryd.IfRevision(7))
	var failed *memoryd.Error
	if errors.Is(err, memoryd.ErrRevisionMismatch) && errors.As(err, &failed) {
		actual, _ := failed.Int("actual_revision")
		fmt.Println("another writer was faster, at revision", actual)
	}
}

func ExampleBatch() {
	var batch memoryd.Batch
	batch.Set("table", 7, memoryd.WithTags("booking"))
	batch.Set("time", "19:30", memoryd.WithTags("booking"))
	batch.Remove("greeting")
	written, err := agent.Write(ctx, &batch)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(written.GetRevision())
}

func ExampleTx() {
	tx := agent.Transaction()
	tx.Set("status", "moved")
	note := tx.Add(&memorydv1.Write{Write: &memorydv1.Write_CreateNote{
		CreateNote: &memorydv1.CreateNoteRequest{Draft: &memorydv1.NoteDraft{Title: "Ada", Content: "lives in Lisbon"}},
	}})
	revision, err := tx.Commit(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(revision, note.Result().GetCreateNote().GetNote().GetNoteId())
}

func ExampleAgent_User() {
	ann := agent.User("ann")
	if _, err := ann.Memories().Remember(ctx, "Ann: I moved to Oslo.", nil); err != nil {
		log.Fatal(err)
	}
	best := &memoryd.RecallMemoriesOptions{Limit: 3}
	found, err := ann.Memories().Recall(ctx, "Where does Ann live now?", best) // of Ann's memories
	if err != nil {
		log.Fatal(err)
	}
	for _, match := range found.GetMemories() {
		fmt.Println(match.GetScore(), match.GetMemory().GetContent())
	}
}

func ExampleNotes_Update() {
	changes := memoryd.UpdateNoteChanges{
		Content: memoryd.Ptr("lives in Oslo"),
		Tags:    []string{}, // none from now on
	}
	unchanged := &memoryd.UpdateNoteOptions{Condition: memoryd.IfRevision(3)}
	note, err := agent.Notes().Update(ctx, "n-1", changes, unchanged)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(note.GetTitle(), note.GetContent())
}

func ExampleAgent_Compose() {
	composed, err := agent.Compose(ctx, &memoryd.ComposeContextOptions{
		MaxTokens: memoryd.Ptr[int64](4_000),
		Sections: []memoryd.ContextSection{
			{Text: &memoryd.TextSource{Content: "You are an assistant."}},
			{Notes: &memoryd.NotesSource{}},
			{Memories: &memoryd.MemoriesSource{Query: "Where does Ann live?", Limit: 5}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, message := range composed.GetMessages() {
		fmt.Println(message.GetRole(), message.GetContent())
	}
}

func ExampleScope() {
	book := func() error {
		task, err := agent.CreateScope(ctx, "book a table")
		if err != nil {
			return err
		}
		defer task.Close(ctx)
		if _, err := task.Set(ctx, "table", 7); err != nil {
			return err // Close discards what was set
		}
		_, err = task.Merge(ctx, memoryd.Overwrite)
		return err
	}
	if err := book(); err != nil {
		log.Fatal(err)
	}
}

func ExampleWatch() {
	watch, err := agent.Watch(ctx, memoryd.WithInitialState())
	if err != nil {
		log.Fatal(err)
	}
	defer watch.Close()
	for event, err := range watch.Events() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.GetRevision(), event.GetType())
		switch subject := event.Subject.(type) {
		case *memorydv1.Event_Entry:
			mood, found, err := memoryd.ValueAfter[string](subject.Entry)
			fmt.Println(subject.Entry.GetKey(), mood, found, err)
		case *memorydv1.Event_Scope:
			fmt.Println(subject.Scope.GetName())
		}
	}
}
