package memoryd

import (
	"errors"
	"math"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestATransactionSendsItsChangesInTheirOrder(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	_, err := agent.Commit(t.Context(), func(tx *Tx) error {
		tx.Set("k", 1, WithTags("x"), IfRevision(7))
		tx.GetOrSet("d", "v", WithUserID("ann"), WithImportance(0.7), LocalOnly())
		tx.Remove("k", IfPresent())
		tx.Clear()
		tx.CreateScope("task", WithUserID("ann"), IfAbsent())
		scope := tx.Attach("s")
		scope.Set("k", 2)
		scope.CreateScope("step")
		scope.Merge(KeepParent)
		scope.Dispose()
		tx.Add(&memorydv1.Write{Write: &memorydv1.Write_DeleteNote{DeleteNote: &memorydv1.DeleteNoteRequest{NoteId: "n"}}})
		if tx.Len() != 10 {
			t.Errorf("there are %d", tx.Len())
		}
		return nil
	}, IfRevision(3), WithRequestID("r"))
	// The response of the recording daemon has no results.
	if !errors.Is(err, ErrInternal) {
		t.Errorf("it is %v", err)
	}
	keep, half := false, 0.7
	expected := &memorydv1.CommitRequest{
		AgentId: "a", RequestId: "r", AgentPrecondition: IfRevision(3).message,
		Writes: []*memorydv1.Write{
			{Write: &memorydv1.Write_SetEntry{SetEntry: &memorydv1.SetEntryRequest{
				Key: "k", Content: &memorydv1.SetEntryRequest_ValueJson{ValueJson: "1"}, Tags: []string{"x"},
				Precondition: IfRevision(7).message,
			}}},
			{Write: &memorydv1.Write_GetOrSetEntry{GetOrSetEntry: &memorydv1.GetOrSetEntryRequest{
				Key: "d", Content: &memorydv1.GetOrSetEntryRequest_ValueJson{ValueJson: `"v"`}, UserId: "ann",
				Importance: &half, LocalOnly: true,
			}}},
			{Write: &memorydv1.Write_RemoveEntry{RemoveEntry: &memorydv1.RemoveEntryRequest{
				Key: "k", Precondition: IfPresent().message,
			}}},
			{Write: &memorydv1.Write_ClearEntries{ClearEntries: &memorydv1.ClearEntriesRequest{}}},
			{Write: &memorydv1.Write_CreateScope{CreateScope: &memorydv1.CreateScopeRequest{
				Name: "task", UserId: "ann", Precondition: IfAbsent().message,
			}}},
			{Write: &memorydv1.Write_SetEntry{SetEntry: &memorydv1.SetEntryRequest{
				ScopeId: "s", Key: "k", Content: &memorydv1.SetEntryRequest_ValueJson{ValueJson: "2"},
			}}},
			{Write: &memorydv1.Write_CreateScope{CreateScope: &memorydv1.CreateScopeRequest{Name: "step", ParentScopeId: "s"}}},
			{Write: &memorydv1.Write_MergeScope{MergeScope: &memorydv1.MergeScopeRequest{
				ScopeId: "s", Overwrite: &keep, Dispose: true,
			}}},
			{Write: &memorydv1.Write_DisposeScope{DisposeScope: &memorydv1.DisposeScopeRequest{ScopeId: "s"}}},
			{Write: &memorydv1.Write_DeleteNote{DeleteNote: &memorydv1.DeleteNoteRequest{NoteId: "n"}}},
		},
	}
	if found := requestOf[*memorydv1.CommitRequest](t, daemon); !proto.Equal(found, expected) {
		t.Errorf("it is %v", found)
	}
}

func TestAResultIsThereAfterTheCommit(t *testing.T) {
	daemon := startRecordingDaemon(t, map[string]proto.Message{"Commit": &memorydv1.CommitResponse{
		Revision: 3,
		Results: []*memorydv1.WriteResult{
			{Result: &memorydv1.WriteResult_SetEntry{SetEntry: &memorydv1.SetEntryResponse{Created: true}}},
			{Result: &memorydv1.WriteResult_CreateScope{CreateScope: &memorydv1.CreateScopeResponse{
				Scope: &memorydv1.Scope{ScopeId: "s"},
			}}},
			{Result: &memorydv1.WriteResult_DeleteNote{DeleteNote: &memorydv1.DeleteNoteResponse{Revision: 3}}},
		},
	}})
	agent := daemon.connect(t).Agent("a")
	var stored *Written[*memorydv1.SetEntryResponse]
	var scope *Written[*Scope]
	var deleted *Written[*memorydv1.WriteResult]
	revision, err := agent.Commit(t.Context(), func(tx *Tx) error {
		stored, scope = tx.Set("k", 1), tx.CreateScope("task")
		deleted = tx.Add(&memorydv1.Write{Write: &memorydv1.Write_DeleteNote{DeleteNote: &memorydv1.DeleteNoteRequest{}}})
		if stored.Committed() {
			t.Error("it is committed too early")
		}
		return nil
	})
	if err != nil || revision != 3 {
		t.Fatalf("it is %d, %v", revision, err)
	}
	if !stored.Committed() || !stored.Result().GetCreated() || deleted.Result().GetDeleteNote().GetRevision() != 3 {
		t.Errorf("they are %v, %v", stored.Result(), deleted.Result())
	}
	if found := scope.Result(); found.AgentID() != "a" || found.ScopeID() != "s" {
		t.Errorf("the scope is %q of %q", found.ScopeID(), found.AgentID())
	}
	if requestOf[*memorydv1.CommitRequest](t, daemon).GetRequestId() == "" {
		t.Error("it has no request id")
	}
}

func TestATransactionThatFailsOrIsEmptyIsNotSent(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	failure := errors.New("no")
	for name, each := range map[string]struct {
		collect  func(*Tx) error
		expected error
	}{
		"failed": {func(tx *Tx) error { tx.Set("k", 1); return failure }, failure},
		"empty":  {func(*Tx) error { return nil }, nil},
		"not a value": {func(tx *Tx) error {
			tx.Set("k", 1)
			tx.Set("n", math.NaN())
			tx.GetOrSet("n", func() {})
			return nil
		}, ErrUnsupportedValue},
		"not a default": {func(tx *Tx) error {
			tx.GetOrSet("n", 1, WithMetadata(map[string]any{"n": math.NaN()}))
			return nil
		}, ErrUnsupportedValue},
	} {
		revision, err := agent.Commit(t.Context(), each.collect, IfRevision(7))
		if revision != 0 || !errors.Is(err, each.expected) {
			t.Errorf("%s: it is %d, %v", name, revision, err)
		}
	}
	if request, sent := lastRequestOf[*memorydv1.CommitRequest](daemon); sent {
		t.Errorf("it is sent: %v", request)
	}
}

func TestARefusedTransactionHasNoResults(t *testing.T) {
	daemon := startFakeDaemon(t, refusal(codes.AlreadyExists, "ERROR_REASON_RECORD_EXISTS"))
	var stored *Written[*memorydv1.SetEntryResponse]
	_, err := daemon.connect(t).Agent("a").Commit(t.Context(), func(tx *Tx) error {
		stored = tx.Set("k", 1)
		return nil
	})
	if !errors.Is(err, ErrRecordExists) || stored.Committed() {
		t.Errorf("it is %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("there is a result")
		}
	}()
	stored.Result()
}

func TestAChangeMayBeUsedAgainAfterItWasAdded(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	request := &memorydv1.DeleteNoteRequest{NoteId: "n"}
	_, _ = daemon.connect(t).Agent("a").Commit(t.Context(), func(tx *Tx) error {
		tx.Add(&memorydv1.Write{Write: &memorydv1.Write_DeleteNote{DeleteNote: request}})
		request.NoteId = "other"
		return nil
	})
	if found := requestOf[*memorydv1.CommitRequest](t, daemon).GetWrites()[0].GetDeleteNote().GetNoteId(); found != "n" {
		t.Errorf("it is %q", found)
	}
}

func TestARetryOfATransactionHasItsRequestID(t *testing.T) {
	daemon := startFakeDaemon(t, refusal(codes.Unavailable, "ERROR_REASON_DRAINING"))
	_, err := daemon.connect(t).Agent("a").Commit(t.Context(), func(tx *Tx) error {
		tx.Clear()
		return nil
	})
	if err != nil || len(daemon.commits) != 2 || !proto.Equal(daemon.commits[0], daemon.commits[1]) {
		t.Errorf("they are %v, %v", daemon.commits, err)
	}
}
