package memoryd_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func createNote(title string) *memorydv1.Write {
	return &memorydv1.Write{Write: &memorydv1.Write_CreateNote{
		CreateNote: &memorydv1.CreateNoteRequest{Draft: &memorydv1.NoteDraft{Title: title, Content: "Text"}},
	}}
}

func notes(t *testing.T, agent *memoryd.Agent) []*memorydv1.Note {
	t.Helper()
	listed, err := liveClient(t).Notes().ListNotes(t.Context(), &memorydv1.ListNotesRequest{AgentId: agent.AgentID()})
	if err != nil {
		t.Fatal(err)
	}
	return listed.GetNotes()
}

func TestATransactionMakesChangesOfAllKindsAtOneRevision(t *testing.T) {
	agent := liveAgent(t)
	task := must[*memoryd.Scope](t)(agent.CreateScope(t.Context(), "task"))
	set(t, task, "found", 42)
	var stored *memoryd.Written[*memorydv1.SetEntryResponse]
	var given, kept *memoryd.Written[*memorydv1.GetOrSetEntryResponse]
	var removed *memoryd.Written[bool]
	var merged *memoryd.Written[int64]
	var scope *memoryd.Written[*memoryd.Scope]
	var note *memoryd.Written[*memorydv1.WriteResult]
	revision := must[int64](t)(agent.Commit(t.Context(), func(tx *memoryd.Tx) error {
		stored = tx.Set("done", true)
		given, kept = tx.GetOrSet("mood", "curious"), tx.GetOrSet("done", false)
		removed = tx.Remove("nothing")
		merged = tx.Attach(task.ScopeID()).Merge(memoryd.Overwrite)
		scope = tx.CreateScope("next")
		note = tx.Add(createNote("Ada"))
		return nil
	}))
	if !stored.Result().GetCreated() || !given.Result().GetCreated() || kept.Result().GetCreated() || removed.Result() {
		t.Error("the results are not those of the changes")
	}
	created := note.Result().GetCreateNote().GetNote()
	if merged.Result() != 1 || created.GetRevision() != revision || created.GetContent() != "" {
		t.Errorf("they are %v, %v", merged.Result(), created)
	}
	if !get[bool](t, agent, "done") || get[string](t, agent, "mood") != "curious" || get[int](t, agent, "found") != 42 {
		t.Error("the entries are not those of the transaction")
	}
	set(t, scope.Result(), "k", 1)
	if listed := notes(t, agent); len(listed) != 1 || listed[0].GetNoteId() != created.GetNoteId() {
		t.Errorf("they are %v", listed)
	}
	if _, err := task.Contains(t.Context(), "k"); !errors.Is(err, memoryd.ErrScopeDisposed) {
		t.Errorf("it is %v", err)
	}
}

func TestARefusedChangeRefusesAllAndIsNamed(t *testing.T) {
	agent := liveAgent(t)
	set(t, agent, "k", 1)
	_, err := agent.Commit(t.Context(), func(tx *memoryd.Tx) error {
		tx.Add(createNote("Ada"))
		tx.Set("k", 2, memoryd.IfAbsent())
		return nil
	})
	var failed *memoryd.Error
	if !errors.Is(err, memoryd.ErrRecordExists) || !errors.As(err, &failed) {
		t.Fatalf("it is %v", err)
	}
	if index, given := failed.Int("write_index"); !given || index != 1 {
		t.Errorf("it is %v", failed.Metadata)
	}
	if get[int](t, agent, "k") != 1 || len(notes(t, agent)) != 0 {
		t.Error("a part of it was made")
	}
}

func TestATransactionIsRepeatedByItsRequestID(t *testing.T) {
	agent := liveAgent(t)
	ids := map[string]bool{}
	for range 2 {
		var note *memoryd.Written[*memorydv1.WriteResult]
		revision := must[int64](t)(agent.Commit(t.Context(), func(tx *memoryd.Tx) error {
			note = tx.Add(createNote("Ada"))
			return nil
		}, memoryd.WithRequestID("r")))
		ids[note.Result().GetCreateNote().GetNote().GetNoteId()] = true
		if revision != 1 {
			t.Errorf("it is %d", revision)
		}
	}
	if len(ids) != 1 || len(notes(t, agent)) != 1 {
		t.Errorf("they are %v", ids)
	}
}

func TestAConditionOfATransactionIsAboutTheAgent(t *testing.T) {
	agent := liveAgent(t)
	revision := set(t, agent, "k", 1)
	change := func(tx *memoryd.Tx) error { tx.Set("k", 2); return nil }
	must[int64](t)(agent.Commit(t.Context(), change, memoryd.IfRevision(revision)))
	if _, err := agent.Commit(t.Context(), change, memoryd.IfRevision(revision)); !errors.Is(err, memoryd.ErrRevisionMismatch) {
		t.Errorf("it is %v", err)
	}
}

func TestTransactionsOfSeveralWritersLoseNothing(t *testing.T) {
	const writers = 10
	agent := liveAgent(t)
	increment := func() error {
		for {
			entry, _, err := agent.GetEntry(t.Context(), "n")
			if err != nil {
				return err
			}
			count := 0
			if entry != nil {
				if count, err = memoryd.Decode[int](entry); err != nil {
					return err
				}
			}
			_, err = agent.Commit(t.Context(), func(tx *memoryd.Tx) error {
				tx.Set("n", count+1, memoryd.IfRevision(entry.GetRevision()))
				tx.Add(createNote("Ada"))
				return nil
			})
			if !errors.Is(err, memoryd.ErrRevisionMismatch) {
				return err
			}
		}
	}
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			if err := increment(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if count := get[int](t, agent, "n"); count != writers || len(notes(t, agent)) != writers {
		t.Errorf("there are %d", count)
	}
}
