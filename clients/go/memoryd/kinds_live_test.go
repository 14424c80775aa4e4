package memoryd_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestANoteIsCreatedChangedListedAndDeleted(t *testing.T) {
	ctx, notes, mustNote := t.Context(), liveAgent(t).Notes(), must[*memorydv1.Note](t)
	note := mustNote(notes.Create(ctx, "Ada", "lives in Lisbon", &memoryd.CreateNoteOptions{
		Tags: []string{"people"}, Importance: memoryd.Ptr(0.8),
	}))
	id := note.GetNoteId()
	if content := mustNote(notes.Get(ctx, id, nil)).GetContent(); content != "lives in Lisbon" {
		t.Errorf("it is %q", content)
	}
	changed := mustNote(notes.Update(ctx, id, memoryd.UpdateNoteChanges{Content: memoryd.Ptr("lives in Oslo")}, nil))
	if changed.GetTitle() != "Ada" || changed.GetContent() != "lives in Oslo" || len(changed.GetTags()) != 1 {
		t.Errorf("it is %v", changed)
	}
	equal(t, titles(t, notes.List(ctx, &memoryd.ListNotesOptions{
		Selection:     memoryd.Selection{AllTags: []string{"people"}},
		NoteCondition: memoryd.NoteCondition{MinImportance: 0.7},
	})), "Ada")
	equal(t, titles(t, notes.List(ctx, &memoryd.ListNotesOptions{
		NoteCondition: memoryd.NoteCondition{Notebooks: []string{"work"}},
	})))
	if !must[bool](t)(notes.Delete(ctx, id, nil)) || must[bool](t)(notes.Delete(ctx, id, nil)) {
		t.Error("only the first call deletes it")
	}
	if _, err := notes.Get(ctx, id, nil); !errors.Is(err, memoryd.ErrRecordNotFound) {
		t.Errorf("the error is %v", err)
	}
}

func TestErasingReturnsTheReceipt(t *testing.T) {
	notes := liveAgent(t).Notes()
	note := must[*memorydv1.Note](t)(notes.Create(t.Context(), "Ada", "a secret", nil))
	receipt := must[*memorydv1.ErasureReceipt](t)(notes.Erase(t.Context(), note.GetNoteId(), nil))
	if len(receipt.GetErased()) == 0 {
		t.Errorf("it is %v", receipt)
	}
}

func TestAConditionRefusesAChangeOfARecordThatHasChanged(t *testing.T) {
	ctx, notes := t.Context(), liveAgent(t).Notes()
	create := &memoryd.CreateNoteOptions{NoteID: "n"}
	note := must[*memorydv1.Note](t)(notes.Create(ctx, "a", "1", create))
	to := func(content string, options memoryd.UpdateNoteOptions) error {
		_, err := notes.Update(ctx, "n", memoryd.UpdateNoteChanges{Content: &content}, &options)
		return err
	}
	unchanged := memoryd.UpdateNoteOptions{Condition: memoryd.IfRevision(note.GetRevision())}
	if err := to("2", unchanged); err != nil {
		t.Error(err)
	}
	if err := to("3", unchanged); !errors.Is(err, memoryd.ErrRevisionMismatch) {
		t.Errorf("the error is %v", err)
	}
	elsewhere := memoryd.UpdateNoteOptions{AgentCondition: memoryd.IfRevision(1)}
	if err := to("4", elsewhere); !errors.Is(err, memoryd.ErrRevisionMismatch) {
		t.Errorf("the error is %v", err)
	}
	if _, err := notes.Create(ctx, "a", "1", create); !errors.Is(err, memoryd.ErrRecordExists) {
		t.Errorf("the error is %v", err)
	}
}

func TestAListingHasTheRecordsOfAllPages(t *testing.T) {
	ctx, memories := t.Context(), liveAgent(t).Memories()
	drafts := make([]memoryd.MemoryDraft, 1_500)
	for i := range drafts {
		drafts[i].Content = fmt.Sprintf("Fact %d stands alone.", i)
	}
	for half := range slices.Chunk(drafts, 750) {
		if _, err := memories.CreateMany(ctx, half, nil); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]bool{}
	for _, memory := range all(t, memories.List(ctx, nil)) {
		found[memory.GetContent()] = true
	}
	if len(found) != len(drafts) {
		t.Errorf("there are %d", len(found))
	}
	for memory, err := range memories.List(ctx, &memoryd.ListMemoriesOptions{WithoutContent: true}) {
		if err != nil || memory.GetContent() != "" {
			t.Errorf("it is %v, %v", memory, err)
		}
		break
	}
}

func TestAMemoryIsRecalledByItsMeaningAndForgotten(t *testing.T) {
	ctx, memories := t.Context(), liveAgent(t).Memories()
	semantic := memorydv1.MemoryType_MEMORY_TYPE_SEMANTIC
	remember := must[*memorydv1.CreateMemoryResponse](t)
	created := remember(memories.Remember(ctx, "Ann lives in Oslo.", &memoryd.CreateMemoryOptions{
		Type:      semantic,
		OccurTime: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		Metadata:  map[string]any{"source": "chat", "turn": 3},
	}))
	id := created.GetMemory().GetMemoryId()
	if outcome := created.GetOutcome(); outcome != memorydv1.CreateMemoryOutcome_CREATE_MEMORY_OUTCOME_CREATED {
		t.Errorf("the outcome is %v", outcome)
	}
	recall := must[*memorydv1.RecallMemoriesResponse](t)
	recalled := recall(memories.Recall(ctx, "Where does Ann live?", &memoryd.RecallMemoriesOptions{
		Limit:           3,
		Selection:       memoryd.Selection{Metadata: []memoryd.MetadataCondition{{Path: "source", Equals: "chat"}}},
		MemoryCondition: memoryd.MemoryCondition{Types: []memorydv1.MemoryType{semantic}},
	}))
	if found := recalled.GetMemories(); len(found) != 1 || found[0].GetMemory().GetMemoryId() != id {
		t.Errorf("it found %v", found)
	}
	update := func(changes memoryd.UpdateMemoryChanges) *memorydv1.Memory {
		return must[*memorydv1.UpdateMemoryResponse](t)(memories.Update(ctx, id, changes, nil)).GetMemory()
	}
	moved := update(memoryd.UpdateMemoryChanges{
		Content: memoryd.Ptr("Ann lives in Rome."), TTL: memoryd.Ptr(time.Minute),
	})
	if moved.GetExpireTime() == nil {
		t.Error("it does not expire")
	}
	if lasting := update(memoryd.UpdateMemoryChanges{ExpireTime: &time.Time{}}); lasting.GetExpireTime() != nil {
		t.Error("it expires")
	}
	if forgotten := must[*memorydv1.ForgetMemoryResponse](t)(memories.Forget(ctx, id, nil)); !forgotten.GetDeleted() {
		t.Error("it is not forgotten")
	}
	if _, err := memories.Get(ctx, id, nil); !errors.Is(err, memoryd.ErrRecordNotFound) {
		t.Errorf("the error is %v", err)
	}
}

func TestManyMemoriesAreReadForgottenAndPurged(t *testing.T) {
	ctx, memories := t.Context(), liveAgent(t).User("ada").Memories()
	must[[]*memorydv1.CreateMemoryResult](t)(memories.CreateMany(ctx, []memoryd.MemoryDraft{
		{MemoryID: "tea", Content: "Ada likes tea."}, {MemoryID: "boat", Content: "Ada owns a boat.", Tags: []string{"things"}},
	}, nil))
	read := must[*memorydv1.BatchGetMemoriesResponse](t)(memories.GetMany(ctx, []string{"tea", "boat", "none"}, nil))
	if found := read.GetMemories(); len(found) != 2 {
		t.Errorf("they are %v", found)
	}
	for _, options := range []*memoryd.BatchForgetMemoriesOptions{
		{MemoryIDs: []string{"tea"}}, {Selection: memoryd.Selection{AllTags: []string{"things"}}},
	} {
		forgotten := must[*memorydv1.BatchForgetMemoriesResponse](t)(memories.ForgetMany(ctx, options))
		if forgotten.GetDeletedCount() != 1 {
			t.Errorf("it is %v", forgotten)
		}
	}
	if restored := must[*memorydv1.Memory](t)(memories.Restore(ctx, "tea", nil)); restored.GetMemoryId() != "tea" {
		t.Errorf("it is %v", restored)
	}
	if !must[bool](t)(memories.Purge(ctx, "tea", &memoryd.PurgeMemoryOptions{BlockReimport: true})) {
		t.Error("it was not there")
	}
	blocked := must[*memorydv1.CreateMemoryResponse](t)(memories.Remember(ctx, "Ada likes tea.", nil))
	if blocked.GetOutcome() != memorydv1.CreateMemoryOutcome_CREATE_MEMORY_OUTCOME_BLOCKED {
		t.Errorf("it is %v", blocked)
	}
}

func TestMemoriesAreLinked(t *testing.T) {
	ctx, memories, related := t.Context(), liveAgent(t).Memories(), memorydv1.MemoryLinkType_MEMORY_LINK_TYPE_RELATED
	created := must[[]*memorydv1.CreateMemoryResult](t)(memories.CreateMany(ctx, []memoryd.MemoryDraft{
		{Content: "Ann has a boat."}, {Content: "The boat is red.", MemoryID: "red"},
	}, nil))
	boat := created[0].GetMemory().GetMemoryId()
	strong := &memoryd.LinkMemoriesOptions{Strength: memoryd.Ptr(0.9)}
	if _, err := memories.Link(ctx, boat, "red", related, strong); err != nil {
		t.Fatal(err)
	}
	if link := must[*memorydv1.MemoryLink](t)(memories.GetLink(ctx, boat, "red", related, nil)); link.GetStrength() != 0.9 {
		t.Errorf("it is %v", link)
	}
	links := all(t, memories.Links(ctx, &memoryd.ListMemoryLinksOptions{
		MemoryID: boat, MemoryLinkCondition: memoryd.MemoryLinkCondition{MinStrength: 0.5},
	}))
	if len(links) != 1 || links[0].GetToMemoryId() != "red" {
		t.Errorf("they are %v", links)
	}
	if !must[bool](t)(memories.Unlink(ctx, boat, "red", nil)) {
		t.Error("there was no link")
	}
}

func TestAPlanHasStepsOfWhichOneIsCompleted(t *testing.T) {
	ctx, plans := t.Context(), liveAgent(t).Plans()
	plan := must[*memorydv1.Plan](t)(plans.Create(ctx, "Move to Oslo", &memoryd.CreatePlanOptions{
		ConversationID: "c", Steps: []memoryd.PlanStepDraft{{Description: "find a flat"}, {Description: "pack"}},
	}))
	completed := memoryd.UpdatePlanStepChanges{Status: memorydv1.PlanStepStatus_PLAN_STEP_STATUS_COMPLETED.Enum()}
	current := &memoryd.UpdatePlanStepOptions{ConversationID: "c"}
	if _, err := plans.UpdateStep(ctx, plan.GetSteps()[0].GetStepId(), completed, current); err != nil {
		t.Error(err)
	}
	before := &memoryd.AddPlanStepOptions{ConversationID: "c", BeforeStepID: plan.GetSteps()[1].GetStepId()}
	if _, err := plans.AddStep(ctx, "travel", before); err != nil {
		t.Error(err)
	}
	plan = must[*memorydv1.Plan](t)(plans.Get(ctx, &memoryd.GetPlanOptions{ConversationID: "c"}))
	var steps []string
	for _, step := range plan.GetSteps() {
		steps = append(steps, step.GetDescription())
	}
	equal(t, steps, "find a flat", "travel", "pack")
	if _, err := plans.Complete(ctx, &memoryd.CompletePlanOptions{ConversationID: "c"}); err != nil {
		t.Error(err)
	}
}

func TestMessagesAreAppendedReadAndCutOff(t *testing.T) {
	ctx, conversations := t.Context(), liveAgent(t).Conversations()
	user, assistant := memorydv1.MessageRole_MESSAGE_ROLE_USER, memorydv1.MessageRole_MESSAGE_ROLE_ASSISTANT
	appended := must[*memorydv1.AppendMessagesResponse](t)(conversations.Append(ctx, "c", []memoryd.MessageDraft{
		{Role: user, Content: "Hello"},
		{Role: assistant, Parts: []memoryd.MessagePart{
			{Text: "Hi"}, {ToolCall: &memoryd.MessageToolCall{ToolCallID: "1", Name: "clock"}},
		}},
	}, nil))
	if number := appended.GetFirstNumber(); number != 1 {
		t.Errorf("it is %d", number)
	}
	message := must[*memorydv1.Message](t)(conversations.Message(ctx, "c", &memoryd.GetMessageOptions{Number: 2}))
	if parts := message.GetParts(); parts[0].GetText() != "Hi" || parts[1].GetToolCall().GetName() != "clock" {
		t.Errorf("they are %v", parts)
	}
	from := &memoryd.TruncateMessagesOptions{FromNumber: 2}
	cut := must[*memorydv1.TruncateMessagesResponse](t)(conversations.Truncate(ctx, "c", from))
	if number := cut.GetDeletedMessageCount(); number != 1 {
		t.Errorf("it is %d", number)
	}
	left := all(t, conversations.Messages(ctx, "c", &memoryd.ListMessagesOptions{
		MessageCondition: memoryd.MessageCondition{Roles: []memorydv1.MessageRole{user}},
	}))
	if len(left) != 1 || left[0].GetRole() != user {
		t.Errorf("they are %v", left)
	}
	for _, strategy := range []memoryd.CompactMessagesOptions{
		{KeepImportant: &memoryd.CompactionKeepImportant{MinImportance: memoryd.Ptr(0.9)}}, {DropOldest: true},
	} {
		if _, err := conversations.Compact(ctx, "c", 10, &strategy); err != nil {
			t.Error(err)
		}
	}
}

func TestAConversationOfAUserIsCreatedChangedListedAndDeleted(t *testing.T) {
	ctx, conversations := t.Context(), liveAgent(t).User("ada").Conversations()
	create := &memoryd.CreateConversationOptions{ConversationID: "c", Title: "Boats"}
	must[*memorydv1.Conversation](t)(conversations.Create(ctx, create))
	renamed := memoryd.UpdateConversationChanges{Title: memoryd.Ptr("Ships")}
	must[*memorydv1.Conversation](t)(conversations.Update(ctx, "c", renamed, nil))
	listed := all(t, conversations.List(ctx, nil))
	if len(listed) != 1 || listed[0].GetTitle() != "Ships" || listed[0].GetUserId() != "ada" {
		t.Errorf("they are %v", listed)
	}
	erase := &memoryd.DeleteConversationOptions{Erase: true}
	deleted := must[*memorydv1.DeleteConversationResponse](t)(conversations.Delete(ctx, "c", erase))
	if deleted.GetReceipt() == nil {
		t.Errorf("it is %v", deleted)
	}
}

func TestADocumentIsSearchedInChunks(t *testing.T) {
	ctx, documents, mustDocument := t.Context(), liveAgent(t).Documents(), must[*memorydv1.Document](t)
	id := mustDocument(documents.Create(ctx, &memoryd.CreateDocumentOptions{
		Title: "Boats", Text: "A boat floats.\n\nA car drives.",
	})).GetDocumentId()
	best := &memoryd.SearchDocumentsOptions{Limit: 1}
	found := must[*memorydv1.SearchDocumentsResponse](t)(documents.Search(ctx, "What floats?", best)).GetChunks()
	if len(found) != 1 || found[0].GetChunk().GetDocumentId() != id {
		t.Errorf("it found %v", found)
	}
	retitled := memoryd.UpdateDocumentChanges{Title: memoryd.Ptr("Ships")}
	mustDocument(documents.Update(ctx, id, retitled, &memoryd.UpdateDocumentOptions{Text: "A ship floats."}))
	if title := mustDocument(documents.Get(ctx, id, nil)).GetTitle(); title != "Ships" {
		t.Errorf("it is %q", title)
	}
	chunks := all(t, documents.Chunks(ctx, id, &memoryd.ListDocumentChunksOptions{WithoutContent: true}))
	if len(chunks) != 1 || chunks[0].GetText() != "" {
		t.Errorf("they are %v", chunks)
	}
	if listed := all(t, documents.List(ctx, nil)); len(listed) != 1 {
		t.Errorf("they are %v", listed)
	}
	chunk := must[*memorydv1.DocumentChunk](t)(documents.Chunk(ctx, id, 1, nil))
	if !strings.Contains(chunk.GetText(), "ship") {
		t.Errorf("it is %v", chunk)
	}
}

func TestFragmentsAreConsumedWithALease(t *testing.T) {
	ctx, fragments := t.Context(), liveAgent(t).Fragments()
	_, err := fragments.Create(ctx, "heard something", &memoryd.CreateFragmentOptions{
		Type: "speech", TTL: time.Minute, Sources: []map[string]any{{"name": "ear"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if number := must[int64](t)(fragments.Flush(ctx, nil)); number != 1 {
		t.Errorf("%d are flushed", number)
	}
	taken := must[*memorydv1.LeaseFragmentsResponse](t)(fragments.Take(ctx, &memoryd.LeaseFragmentsOptions{
		Limit: 10, LeaseDuration: 30 * time.Second,
	}))
	if found := taken.GetFragments(); len(found) != 1 || found[0].GetContent() != "heard something" {
		t.Errorf("they are %v", found)
	}
	if number := must[int64](t)(fragments.Acknowledge(ctx, taken.GetLeaseToken(), nil)); number != 1 {
		t.Errorf("%d are acknowledged", number)
	}
	if left := must[*memorydv1.CountFragmentsResponse](t)(fragments.Count(ctx, nil)); left.GetFragmentCount() != 0 {
		t.Errorf("%v are left", left)
	}
}

func TestEntitiesAreKeptInTheWindowOfTheirConversation(t *testing.T) {
	ctx, entities := t.Context(), liveAgent(t).Entities()
	page := memoryd.Entity{
		Type: "page", EntityID: "p1", Name: "Home", LastAccessTime: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
	}
	if _, err := entities.Add(ctx, "c", []memoryd.Entity{page}, &memoryd.AddEntitiesOptions{WindowSize: 3}); err != nil {
		t.Fatal(err)
	}
	_, err := entities.Extract(ctx, "c", "get_page", &memoryd.ExtractEntitiesOptions{
		Result: map[string]any{"page": map[string]any{"id": "p2", "name": "About"}},
	})
	if err != nil {
		t.Error(err)
	}
	window := must[*memorydv1.EntityWindow](t)(entities.Get(ctx, "c", nil))
	if !slices.ContainsFunc(window.GetEntities(), func(each *memorydv1.Entity) bool { return each.GetEntityId() == "p1" }) {
		t.Errorf("it is %v", window)
	}
	if _, err := entities.Clear(ctx, &memoryd.ClearEntitiesOptions{ConversationID: memoryd.Ptr("c")}); err != nil {
		t.Error(err)
	}
}

func TestAContextIsComposedOfSections(t *testing.T) {
	ctx, agent := t.Context(), liveAgent(t)
	set(t, agent, "city", "Oslo")
	must[*memorydv1.Note](t)(agent.Notes().Create(ctx, "Tone", "Be brief.", nil))
	composed := must[*memorydv1.ComposeContextResponse](t)(agent.Compose(ctx, &memoryd.ComposeContextOptions{
		MaxTokens: memoryd.Ptr[int64](2_000),
		Sections: []memoryd.ContextSection{
			{Text: &memoryd.TextSource{Content: "You are an assistant."}},
			{Notes: &memoryd.NotesSource{}},
			{Entries: &memoryd.EntriesSource{Filter: &memoryd.RecordFilter{
				Entry: &memoryd.EntryCondition{KeyPrefixes: []string{"c"}},
			}}},
		},
	}))
	text := textOf(composed)
	for _, part := range []string{"You are an assistant.", "Be brief.", "city"} {
		_, behind, found := strings.Cut(text, part)
		if !found {
			t.Errorf("there is no %q in %q", part, text)
		}
		text = behind
	}
}

func TestABoundUserIsThatOfAllThatIsWrittenAndRead(t *testing.T) {
	ctx, agent := t.Context(), liveAgent(t)
	ada := agent.User("ada")
	set(t, ada, "color", "red")
	var batch memoryd.Batch
	batch.Set("size", 3)
	must[*memorydv1.BatchWriteEntriesResponse](t)(ada.Write(ctx, &batch))
	tx := ada.Transaction()
	tx.Set("shape", "round")
	must[int64](t)(tx.Commit(ctx))
	equal(t, keys(t, ada), "color", "shape", "size")
	equal(t, keys(t, agent))

	must[*memorydv1.Note](t)(ada.Notes().Create(ctx, "Ada's", "note", nil))
	must[*memorydv1.Note](t)(agent.Notes().Create(ctx, "nobody's", "note", nil))
	listed := func(selection memoryd.Selection) []string {
		return titles(t, ada.Notes().List(ctx, &memoryd.ListNotesOptions{Selection: selection}))
	}
	equal(t, titles(t, ada.Notes().List(ctx, nil)), "Ada's")
	equal(t, listed(memoryd.Selection{AllUsers: true}), "Ada's", "nobody's")
	equal(t, listed(memoryd.Selection{UserIDs: []string{""}}), "nobody's")

	drafts := []memoryd.MemoryDraft{{Content: "Ada likes tea."}, {Content: "Bob likes beer.", UserID: "bob"}}
	must[[]*memorydv1.CreateMemoryResult](t)(ada.Memories().CreateMany(ctx, drafts, nil))
	recalled := must[*memorydv1.RecallMemoriesResponse](t)(ada.Memories().Recall(ctx, "Who likes what?", nil)).GetMemories()
	if len(recalled) != 1 || recalled[0].GetMemory().GetUserId() != "ada" {
		t.Errorf("they are %v", recalled)
	}
	composed := must[*memorydv1.ComposeContextResponse](t)(ada.Compose(ctx, &memoryd.ComposeContextOptions{
		Sections: []memoryd.ContextSection{{Notes: &memoryd.NotesSource{}}},
	}))
	if text := textOf(composed); !strings.Contains(text, "Ada's") || strings.Contains(text, "nobody's") {
		t.Errorf("it is %q", text)
	}
	said := []memoryd.MessageDraft{{Role: memorydv1.MessageRole_MESSAGE_ROLE_USER, Content: "Hello"}}
	must[*memorydv1.AppendMessagesResponse](t)(ada.Conversations().Append(ctx, "c", said, nil))
	if messages := all(t, ada.Conversations().Messages(ctx, "c", nil)); len(messages) != 1 {
		t.Errorf("they are %v", messages)
	}
	addOne := func(visits int, _ bool) (int, error) { return visits + 1, nil }
	if visits := must[int](t)(memoryd.Update(ctx, ada, "visits", addOne)); visits != 1 {
		t.Errorf("it is %d", visits)
	}
	if entry, _, err := agent.GetEntry(ctx, "visits"); err != nil || entry.GetUserId() != "ada" {
		t.Errorf("it is %v, %v", entry, err)
	}
}

func TestABoundUserIsThatOfAScopeAndOfAWatch(t *testing.T) {
	ctx, agent := t.Context(), liveAgent(t)
	ada := agent.User("ada")
	watch := must[*memoryd.Watch](t)(ada.Watch(ctx, memoryd.OfKinds(memorydv1.RecordKind_RECORD_KIND_ENTRY)))
	defer watch.Close()
	task := must[*memoryd.Scope](t)(ada.CreateScope(ctx, "task"))
	set(t, agent, "nobody's", 1)
	set(t, task, "Ada's", 1)
	for event, err := range watch.Events() {
		if err != nil || event.GetEntry().GetKey() != "Ada's" {
			t.Errorf("it is %v, %v", event, err)
		}
		break
	}
	made := must[string](t)(memoryd.GetOrSet(ctx, ada.Attach(task.ScopeID()), "made", func(context.Context) (string, error) {
		return "once", nil
	}))
	entry, _, err := task.GetEntry(ctx, "made")
	if made != "once" || err != nil || entry.GetUserId() != "ada" {
		t.Errorf("it is %v, %v", entry, err)
	}
}

// all returns the records of a listing.
func all[T any](t *testing.T, listing iter.Seq2[T, error]) (records []T) {
	t.Helper()
	for record, err := range listing {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}

func titles(t *testing.T, notes iter.Seq2[*memorydv1.Note, error]) (found []string) {
	t.Helper()
	for _, note := range all(t, notes) {
		found = append(found, note.GetTitle())
	}
	return found
}

func keys(t *testing.T, agent *memoryd.Agent) (found []string) {
	t.Helper()
	for _, entry := range all(t, agent.Entries(t.Context())) {
		found = append(found, entry.GetKey())
	}
	return found
}

func textOf(composed *memorydv1.ComposeContextResponse) string {
	var text strings.Builder
	for _, message := range composed.GetMessages() {
		text.WriteString(message.GetContent())
	}
	return text.String()
}

func equal(t *testing.T, found []string, expected ...string) {
	t.Helper()
	if !slices.Equal(found, expected) {
		t.Errorf("it is %q and not %q", found, expected)
	}
}
