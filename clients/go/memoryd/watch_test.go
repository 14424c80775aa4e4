package memoryd

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func beginTestWatch(t *testing.T, daemon *fakeDaemon, options ...WatchOption) *Watch {
	t.Helper()
	watch, err := daemon.connect(t).Agent("a").Watch(t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watch.Close)
	return watch
}

// take returns the revisions of the next events.
func take(t *testing.T, watch *Watch, count int) []int64 {
	t.Helper()
	var revisions []int64
	for event, err := range watch.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if revisions = append(revisions, event.GetRevision()); len(revisions) == count {
			break
		}
	}
	return revisions
}

func TestAWatchYieldsEachEventOnceAcrossConnections(t *testing.T) {
	daemon := startFakeDaemon(t)
	daemon.streams = []fakeStream{
		{messages: []*memorydv1.WatchEventsResponse{message(opened, "t0"), message(live, "t1", 1)}}, // just ends
		{messages: []*memorydv1.WatchEventsResponse{message(opened, "t1"), message(live, "t3", 2, 3)},
			end: status.Error(codes.Canceled, "stopping")},
		{messages: []*memorydv1.WatchEventsResponse{message(opened, "t3"), message(live, "t4", 4)}, stays: true},
	}
	watch := beginTestWatch(t, daemon)
	for i, revision := range take(t, watch, 4) {
		if revision != int64(i+1) {
			t.Errorf("event %d is of revision %d", i, revision)
		}
	}
	if watch.Resumes() != 2 || watch.Revision() != 4 || watch.ResumeToken() != "t4" {
		t.Errorf("resumes %d, revision %d, token %s", watch.Resumes(), watch.Revision(), watch.ResumeToken())
	}
	if daemon.asked[1].GetResumeToken() != "t1" || daemon.asked[2].GetResumeToken() != "t3" {
		t.Errorf("it has asked for %v", daemon.asked)
	}
}

func TestTheTokenAdvancesWithTheLastEventOfAMessage(t *testing.T) {
	daemon := startFakeDaemon(t)
	daemon.streams = []fakeStream{
		{messages: []*memorydv1.WatchEventsResponse{message(opened, "t0"), message(live, "t2", 1, 2)}, stays: true},
	}
	watch := beginTestWatch(t, daemon)
	if watch.ResumeToken() != "t0" {
		t.Errorf("at first it is %s", watch.ResumeToken())
	}
	take(t, watch, 1)
	if watch.ResumeToken() != "t0" {
		t.Errorf("inside of the message it is %s", watch.ResumeToken())
	}
	if second := take(t, watch, 1); second[0] != 2 || watch.ResumeToken() != "t2" {
		t.Errorf("after revision %d it is %s", second[0], watch.ResumeToken())
	}
}

func TestMessagesHavePhasesAndIncludeARestartOfTheInitialState(t *testing.T) {
	daemon := startFakeDaemon(t)
	daemon.streams = []fakeStream{
		{messages: []*memorydv1.WatchEventsResponse{message(opened, ""), message(initialState, "", 1)},
			end: draining()},
		{messages: []*memorydv1.WatchEventsResponse{message(opened, ""), message(initialStateComplete, "t1")}, stays: true},
	}
	watch := beginTestWatch(t, daemon, WithInitialState())
	var phases []string
	for message, err := range watch.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		word := message.GetPhase().String()
		if message.Restarted {
			word = "RESTARTED"
		}
		if phases = append(phases, word); message.GetPhase() == initialStateComplete {
			break
		}
	}
	expected := []string{opened.String(), initialState.String(), "RESTARTED", opened.String(), initialStateComplete.String()}
	for i := range expected {
		if i >= len(phases) || phases[i] != expected[i] {
			t.Fatalf("they are %v", phases)
		}
	}
	if !daemon.asked[1].GetIncludeInitialState() || !watch.InitialStateComplete() || watch.ResumeToken() != "t1" {
		t.Errorf("it has asked for %v; its token is %q", daemon.asked[1], watch.ResumeToken())
	}
}

func TestTheErrorOfARefusedWatchIsReturnedAtOnce(t *testing.T) {
	daemon := startFakeDaemon(t)
	daemon.streams = []fakeStream{{end: refusal(codes.InvalidArgument, "ERROR_REASON_INVALID_RESUME_TOKEN")}}
	_, err := daemon.connect(t).Agent("a").Watch(t.Context(), WithResumeToken("damaged"))
	if !errors.Is(err, ErrInvalidResumeToken) {
		t.Errorf("it is %v", err)
	}
}

func TestACompactedRevisionEndsAWatchForGood(t *testing.T) {
	daemon := startFakeDaemon(t)
	daemon.streams = []fakeStream{{
		messages: []*memorydv1.WatchEventsResponse{message(opened, "t0")},
		end:      refusal(codes.OutOfRange, "ERROR_REASON_REVISION_COMPACTED"),
	}}
	watch := beginTestWatch(t, daemon)
	for range 2 {
		count := 0
		for event, err := range watch.Events() {
			if count++; event != nil || !errors.Is(err, ErrRevisionCompacted) {
				t.Errorf("it yields %v, %v", event, err)
			}
		}
		if count != 1 {
			t.Errorf("it yields %d times", count)
		}
	}
	if len(daemon.asked) != 1 {
		t.Error("it has connected again")
	}
}

func TestAnOutageBeyondTheMaximumEndsAWatch(t *testing.T) {
	daemon := startFakeDaemon(t)
	daemon.streams = []fakeStream{{
		messages: []*memorydv1.WatchEventsResponse{message(opened, "t0")},
		end:      refusal(codes.Unavailable, "ERROR_REASON_DRAINING", retryAfter(time.Hour)),
	}}
	for _, err := range beginTestWatch(t, daemon).Events() {
		if !errors.Is(err, ErrDraining) {
			t.Errorf("it is %v", err)
		}
	}
}

func staying(t *testing.T) *fakeDaemon {
	daemon := startFakeDaemon(t)
	daemon.streams = []fakeStream{{messages: []*memorydv1.WatchEventsResponse{message(opened, "t0")}, stays: true}}
	return daemon
}

func TestClosingAWatchFromAnotherGoroutineEndsItWithoutAnError(t *testing.T) {
	watch := beginTestWatch(t, staying(t))
	time.AfterFunc(20*time.Millisecond, watch.Close)
	for event, err := range watch.Events() {
		t.Errorf("it yields %v, %v", event, err)
	}
	for event, err := range watch.Events() {
		t.Errorf("after its end it yields %v, %v", event, err)
	}
}

func TestClosingAWatchEndsItsWaitBeforeAReconnection(t *testing.T) {
	daemon := startFakeDaemon(t)
	daemon.streams = []fakeStream{{
		messages: []*memorydv1.WatchEventsResponse{message(opened, "t0")},
		end:      refusal(codes.Unavailable, "ERROR_REASON_DRAINING", retryAfter(time.Hour)),
	}}
	watch := beginTestWatch(t, daemon, WithOutageMax(2*time.Hour))
	time.AfterFunc(20*time.Millisecond, watch.Close)
	for event, err := range watch.Events() {
		t.Errorf("it yields %v, %v", event, err)
	}
}

func TestTheEndOfItsContextIsTheErrorOfAWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	watch, err := staying(t).connect(t).Agent("a").Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	count := 0
	for _, err := range watch.Events() {
		if count++; !errors.Is(err, context.Canceled) {
			t.Errorf("it is %v", err)
		}
	}
	if count != 1 {
		t.Errorf("it yields %d times", count)
	}
}

func TestClosingTheClientIsTheErrorOfItsWatches(t *testing.T) {
	client := staying(t).connect(t)
	watch, err := client.Agent("a").Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { client.Close() })
	for _, err := range watch.Events() {
		if !errors.Is(err, ErrCancelled) {
			t.Errorf("it is %v", err)
		}
	}
}
