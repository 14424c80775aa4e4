package memoryd

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const setEntryMethod = "/memoryd.v1.WorkingMemoryService/SetEntry"

// testCopy is a copy of the agent "a" at revision 5, without a watch, that serves stale reads.
func testCopy(t *testing.T) (*nearCopies, *nearCopy) {
	t.Helper()
	mirror := testMirror(math.MaxInt64, new(int64))
	applied(t, mirror, 5, entrySet("", "k", "1", nil))
	ctx, cancel := context.WithCancel(t.Context())
	copy := &nearCopy{
		agentID: "a", settings: nearSettings{staleness: unbounded, whenStale: Serve}, mirror: mirror, ctx: ctx, cancel: cancel,
	}
	copy.freshFrom(time.Since(started))
	copies := &nearCopies{}
	copies.enter(copy)
	return copies, copy
}

func liveMessage(revision int64) *memorydv1.WatchEventsResponse {
	return &memorydv1.WatchEventsResponse{Phase: live, Revision: revision}
}

func stored(revision int64) *memorydv1.SetEntryResponse {
	return &memorydv1.SetEntryResponse{Revision: revision}
}

func serves(t *testing.T, copy *nearCopy) bool {
	t.Helper()
	serves, err := copy.mayServe()
	if err != nil {
		t.Fatal(err)
	}
	return serves
}

// givenUp is the context of writes that do not wait.
func givenUp(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestAWriteWaitsUntilANearCacheHasIt(t *testing.T) {
	copies, copy := testCopy(t)
	write, done := copies.begin(setEntryMethod, &memorydv1.SetEntryRequest{AgentId: "a"}), make(chan struct{})
	go func() {
		defer close(done)
		write.end(t.Context(), stored(6))
	}()
	for { // until it waits
		copy.mutex.RLock()
		waits := copy.changed != nil
		copy.mutex.RUnlock()
		if waits {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := copy.apply(liveMessage(6)); err != nil {
		t.Fatal(err)
	}
	<-done
	if !serves(t, copy) {
		t.Error("it asks the daemon, although it has the write")
	}
}

func TestReadsAskTheDaemonWhileAWriteIsOwed(t *testing.T) {
	_, copy := testCopy(t)
	copy.see(givenUp(t), mark{7, 0})
	copy.see(givenUp(t), mark{6, 0})
	for revision := int64(5); revision < 8; revision++ {
		if err := copy.apply(liveMessage(revision)); err != nil {
			t.Fatal(err)
		}
		if found := serves(t, copy); found != (revision == 7) {
			t.Errorf("at revision %d it serves reads: %v", revision, found)
		}
	}
}

func TestOtherCallsDoNotConcernANearCache(t *testing.T) {
	copies, copy := testCopy(t)
	for method, request := range map[string]any{
		setEntryMethod: &memorydv1.SetEntryRequest{AgentId: "b"},
		"/memoryd.v1.WorkingMemoryService/GetEntry":  &memorydv1.GetEntryRequest{AgentId: "a"},
		"/memoryd.v1.ServerService/GetServerInfo":    &memorydv1.GetServerInfoRequest{},
		"/memoryd.v1.WorkingMemoryService/MergeItem": "no message",
	} {
		write := copies.begin(method, request)
		write.end(givenUp(t), stored(9))
		if !serves(t, copy) {
			t.Errorf("after %s it asks the daemon", method)
		}
	}
	write := copies.begin(setEntryMethod, &memorydv1.SetEntryRequest{AgentId: "a"})
	write.end(givenUp(t), &memorydv1.SetEntryResponse{})
	if !serves(t, copy) {
		t.Error("after a write without a revision it asks the daemon")
	}
	copies.exit(copy)
	if write := copies.begin(setEntryMethod, &memorydv1.SetEntryRequest{AgentId: "a"}); len(write.copies()) > 0 {
		t.Error("a write concerns it after its end")
	}
}

func TestAWriteThatBeganBeforeANearCacheConcernsIt(t *testing.T) {
	for revision, serving := range map[int64]bool{4: true, 5: true, 6: false} {
		copies, copy := testCopy(t)
		copies.exit(copy)
		write := copies.begin(setEntryMethod, &memorydv1.SetEntryRequest{AgentId: "a"})
		copies.enter(copy)
		write.end(givenUp(t), stored(revision))
		if found := serves(t, copy); found != serving {
			t.Errorf("it has revision 5, and after a write of revision %d it serves reads: %v", revision, found)
		}
	}
}

func TestARestoreConcernsTheAgentThatItChangesOrAll(t *testing.T) {
	for name, each := range map[string]struct {
		request  *memorydv1.RestoreSnapshotRequest
		concerns bool
	}{
		"all agents":    {&memorydv1.RestoreSnapshotRequest{}, true},
		"nothing":       {&memorydv1.RestoreSnapshotRequest{DryRun: true}, false},
		"nothing of it": {&memorydv1.RestoreSnapshotRequest{DryRun: true, AgentId: "a"}, false},
		"the agent":     {&memorydv1.RestoreSnapshotRequest{AgentId: "a"}, true},
		"another one":   {&memorydv1.RestoreSnapshotRequest{AgentId: "b"}, false},
		"its clone":     {&memorydv1.RestoreSnapshotRequest{AgentId: "b", AsAgentId: "a"}, true},
		"a clone of it": {&memorydv1.RestoreSnapshotRequest{AgentId: "a", AsAgentId: "b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			copies, copy := testCopy(t)
			response := &memorydv1.RestoreSnapshotResponse{}
			if changedAgent(each.request) != "" {
				response.Revision = 9
			}
			copies.begin("/memoryd.v1.SnapshotService/RestoreSnapshot", each.request).end(givenUp(t), response)
			if serves(t, copy) == each.concerns {
				t.Errorf("it serves reads: %v", !each.concerns)
			}
			copy.proved(time.Since(started) + 1)
			if !serves(t, copy) {
				t.Error("it asks the daemon after a proof")
			}
		})
	}
}

func TestAWriteAtALowerRevisionIsOwedUntilAProofOrAnotherLoad(t *testing.T) {
	for name, settle := range map[string]func(*nearCopy){
		// A request was repeated, whose first response is returned again.
		"proof": func(copy *nearCopy) { copy.proved(time.Since(started) + 1) },
		// The store is another one.
		"load": func(copy *nearCopy) {
			other := testMirror(math.MaxInt64, new(int64))
			other.revision = 3
			copy.replace(other, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			copies, copy := testCopy(t)
			write := copies.begin(setEntryMethod, &memorydv1.SetEntryRequest{AgentId: "a"})
			write.end(t.Context(), stored(3))
			if serves(t, copy) {
				t.Error("it serves reads")
			}
			if _, isNeeded := copy.beforeProof(); !isNeeded {
				t.Error("it does not find out what the revision means")
			}
			if settle(copy); !serves(t, copy) {
				t.Error("it asks the daemon for ever")
			}
		})
	}
}

func TestWritesDoNotWaitForANearCacheThatHasFailed(t *testing.T) {
	_, copy := testCopy(t)
	copy.fail(ErrPermissionDenied)
	copy.see(t.Context(), mark{6, 0})
	if serves(t, copy) {
		t.Error("it serves reads without the write")
	}
	_, copy = testCopy(t)
	copy.fail(ErrCacheFull)
	copy.see(t.Context(), mark{6, 0})
	if serves(t, copy) || copy.mirror.sizeBytes > 0 {
		t.Error("it serves reads without records, or keeps them")
	}
}

func TestErrorsOfAWatchThatMayBeginAgain(t *testing.T) {
	for _, err := range []error{ErrInvalidResumeToken, ErrForeignResumeToken, ErrRevisionInFuture, ErrUnavailable, ErrHistoryLost} {
		if !beginsAgain(err) {
			t.Errorf("it ends with %v", err)
		}
	}
	for _, err := range []error{ErrPermissionDenied, ErrUnimplemented, ErrInvalidArgument, ErrCacheFull} {
		if beginsAgain(err) {
			t.Errorf("it begins again after %v", err)
		}
	}
	_, copy := testCopy(t)
	copy.settings.whenStale = Refuse
	copy.fail(ErrPermissionDenied)
	copy.see(givenUp(t), mark{6, 0})
	if _, err := copy.mayServe(); !errors.Is(err, ErrStaleRead) || !errors.Is(err, ErrPermissionDenied) {
		t.Errorf("the error of its reads is %v", err)
	}
}
