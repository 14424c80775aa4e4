package memoryd

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestAnAgentThatIsBoundAgainIsTheLastUsersAlone(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent, ctx := daemon.connect(t).Agent("a"), t.Context()
	ada := agent.User("ada")
	for expected, bound := range map[string]*Agent{"bob": ada.User("bob"), "ada": ada, "": ada.User("")} {
		_, _ = bound.Set(ctx, "k", 1)
		if found := requestOf[*memorydv1.SetEntryRequest](t, daemon).GetUserId(); found != expected {
			t.Errorf("it is %q and not %q", found, expected)
		}
	}
}

func TestABoundUserIsThatOfEntriesAndScopesUnlessAnOptionNamesAnother(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	ada, ctx := daemon.connect(t).Agent("a").User("ada"), t.Context()
	for expected, named := range map[string]interface {
		EntryOption
		ScopeOption
	}{"ada": nil, "bob": WithUserID("bob"), "": WithUserID("")} {
		var sets []SetOption
		var entries []EntryOption
		var scopes []ScopeOption
		var defaults []DefaultOption
		if named != nil {
			sets, entries = append(sets, named), append(entries, named)
			scopes, defaults = append(scopes, named), append(defaults, named)
		}
		var batch Batch
		batch.Set("k", 1, sets...)
		batch.Remove("other")
		tx := ada.Transaction()
		tx.Set("k", 1, sets...)
		tx.GetOrSet("k", 1, defaults...)
		tx.CreateScope("task", scopes...)
		_, _ = ada.Set(ctx, "k", 1, sets...)
		set := requestOf[*memorydv1.SetEntryRequest](t, daemon)
		_, _ = Update(ctx, ada, "k", func(int, bool) (int, error) { return 1, nil }, entries...)
		updated := requestOf[*memorydv1.SetEntryRequest](t, daemon)
		_, _ = ada.CreateScope(ctx, "task", scopes...)
		_, _ = ada.Write(ctx, &batch)
		_, _ = tx.Commit(ctx)
		writes := requestOf[*memorydv1.CommitRequest](t, daemon).GetWrites()
		written := requestOf[*memorydv1.BatchWriteEntriesRequest](t, daemon).GetOperations()
		for call, found := range map[string]string{
			"Set":            set.GetUserId(),
			"Update":         updated.GetUserId(),
			"CreateScope":    requestOf[*memorydv1.CreateScopeRequest](t, daemon).GetUserId(),
			"Batch.Set":      written[0].GetSet().GetUserId(),
			"Tx.Set":         writes[0].GetSetEntry().GetUserId(),
			"Tx.GetOrSet":    writes[1].GetGetOrSetEntry().GetUserId(),
			"Tx.CreateScope": writes[2].GetCreateScope().GetUserId(),
		} {
			if found != expected {
				t.Errorf("%s: it is %q and not %q", call, found, expected)
			}
		}
		// The entry that is updated keeps its user, unless the caller names another.
		if paths := updated.GetUpdateMask().GetPaths(); len(paths) != len(entries) {
			t.Errorf("the update changes %v", paths)
		}
	}
}

func TestABatchMayBeWrittenForOneUserAfterAnother(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	var batch Batch
	batch.Set("k", 1)
	for _, user := range []string{"ada", "bob", ""} {
		if _, err := agent.User(user).Attach("s").Write(t.Context(), &batch); err != nil {
			t.Fatal(err)
		}
		operations := requestOf[*memorydv1.BatchWriteEntriesRequest](t, daemon).GetOperations()
		if found := operations[0].GetSet().GetUserId(); found != user {
			t.Errorf("it is %q and not %q", found, user)
		}
	}
}

func TestEntriesOfABoundUserAreListedUnlessAnOptionSelectsOthers(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	ada := daemon.connect(t).Agent("a").User("ada")
	for _, each := range []struct {
		options  []ListOption
		users    []string
		allUsers bool
	}{
		{nil, []string{"ada"}, false},
		{[]ListOption{WithKeyPrefix("k")}, []string{"ada"}, false},
		{[]ListOption{AboutUsers("bob")}, []string{"bob"}, false},
		{[]ListOption{AboutAllUsers()}, nil, true},
	} {
		for _, err := range ada.Entries(t.Context(), each.options...) {
			t.Fatal(err)
		}
		filter := requestOf[*memorydv1.ListEntriesRequest](t, daemon).GetFilter()
		if found := filter.GetUserIds(); !slices.Equal(found, each.users) || filter.GetAllUsers() != each.allUsers {
			t.Errorf("it is %v", filter)
		}
	}
}

func TestAWatchOfABoundUserSelectsItUnlessAnOptionSelectsOthers(t *testing.T) {
	for user, options := range map[string][]WatchOption{"ada": nil, "bob": {AboutUsers("bob")}} {
		daemon := startFakeDaemon(t)
		daemon.streams = []fakeStream{{messages: []*memorydv1.WatchEventsResponse{message(opened, "t0")}, stays: true}}
		ada := daemon.connect(t).Agent("a").User("ada")
		all := append(options, OfKinds(memorydv1.RecordKind_RECORD_KIND_ENTRY))
		watch, err := ada.Watch(t.Context(), all...)
		if err != nil {
			t.Fatal(err)
		}
		watch.Close()
		filter := daemon.asked[0].GetFilters()[0]
		if users := filter.GetRecord().GetUserIds(); !slices.Equal(users, []string{user}) || len(filter.GetKinds()) != 1 {
			t.Errorf("it is %v", filter)
		}
	}
}

func TestARequestThatIsAddedToATransactionIsAboutTheBoundUserUnlessItNamesAnother(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	written := &memorydv1.Write{Write: &memorydv1.Write_CreateNote{CreateNote: &memorydv1.CreateNoteRequest{
		Draft: &memorydv1.NoteDraft{Title: "t"},
	}}}
	forBob := proto.CloneOf(written)
	forBob.GetCreateNote().Draft.UserId = "bob"
	tx := daemon.connect(t).Agent("a").User("ada").Transaction()
	tx.Add(written)
	tx.Add(forBob)
	tx.Add(&memorydv1.Write{Write: &memorydv1.Write_UpdateNote{UpdateNote: &memorydv1.UpdateNoteRequest{
		NoteId: "n", Draft: &memorydv1.NoteDraft{Title: "t"},
	}}})
	tx.Add(&memorydv1.Write{Write: &memorydv1.Write_BatchForgetMemories{
		BatchForgetMemories: &memorydv1.BatchForgetMemoriesRequest{Filter: &memorydv1.RecordFilter{AnyTags: []string{"t"}}},
	}})
	tx.Add(&memorydv1.Write{Write: &memorydv1.Write_BatchWriteEntries{BatchWriteEntries: &memorydv1.BatchWriteEntriesRequest{
		Operations: []*memorydv1.EntryOperation{
			{Operation: &memorydv1.EntryOperation_Set{Set: &memorydv1.SetEntryOperation{Key: "k"}}},
			{Operation: &memorydv1.EntryOperation_Remove{Remove: &memorydv1.RemoveEntryOperation{Key: "other"}}},
		},
	}}})
	_, _ = tx.Commit(t.Context())
	writes := requestOf[*memorydv1.CommitRequest](t, daemon).GetWrites()
	found := []string{
		writes[0].GetCreateNote().GetDraft().GetUserId(),
		writes[1].GetCreateNote().GetDraft().GetUserId(),
		writes[2].GetUpdateNote().GetDraft().GetUserId(),
		writes[3].GetBatchForgetMemories().GetFilter().GetUserIds()[0],
		writes[4].GetBatchWriteEntries().GetOperations()[0].GetSet().GetUserId(),
	}
	if expected := []string{"ada", "bob", "", "ada", "ada"}; !slices.Equal(found, expected) {
		t.Errorf("they are %q and not %q", found, expected)
	}
	if written.GetCreateNote().GetDraft().GetUserId() != "" {
		t.Error("the caller's message was changed")
	}
}
