package memoryd

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const (
	opened               = memorydv1.WatchPhase_WATCH_PHASE_OPENED
	initialState         = memorydv1.WatchPhase_WATCH_PHASE_INITIAL_STATE
	initialStateComplete = memorydv1.WatchPhase_WATCH_PHASE_INITIAL_STATE_COMPLETE
	live                 = memorydv1.WatchPhase_WATCH_PHASE_LIVE
	progress             = memorydv1.WatchPhase_WATCH_PHASE_PROGRESS
)

func newTestProgress(options ...WatchOption) *watchProgress {
	filter := &memorydv1.EventFilter{AgentIds: []string{"a"}}
	asked := &watchRequest{
		message:   &memorydv1.WatchEventsRequest{Filters: []*memorydv1.EventFilter{filter}},
		outageMax: time.Minute,
	}
	for _, option := range options {
		option.applyWatch(asked)
	}
	progress := newWatchProgress(asked, noon.Add(5*time.Second))
	progress.jitter = func() float64 { return 1 }
	return progress
}

func message(phase memorydv1.WatchPhase, token string, revisions ...int64) *memorydv1.WatchEventsResponse {
	response := &memorydv1.WatchEventsResponse{Phase: phase, ResumeToken: token}
	for _, revision := range revisions {
		response.Events = append(response.Events, &memorydv1.Event{Revision: revision})
		response.Revision = revision
	}
	return response
}

var gone = &Error{Code: codes.Unavailable}

func TestAWatchContinuesAfterTheLastReceivedMessage(t *testing.T) {
	watch := newTestProgress(AfterRevision(7))
	if watch.request().GetAfterRevision() != 7 {
		t.Errorf("it begins with %v", watch.request())
	}
	watch.receive(message(live, "token-1", 8))
	request := watch.request()
	if request.GetResumeToken() != "token-1" || request.GetFilters()[0].GetAgentIds()[0] != "a" {
		t.Errorf("it continues with %v", request)
	}
}

func TestProgressAdvancesTheTokenPastFilteredEvents(t *testing.T) {
	watch := newTestProgress()
	passed := message(progress, "token-9")
	watch.receive(passed)
	watch.deliver(passed)
	if watch.resumeToken != "token-9" {
		t.Errorf("it is %q", watch.resumeToken)
	}
}

func TestATokenFromWithinTheInitialStateIsNotUsed(t *testing.T) {
	watch := newTestProgress(WithInitialState())
	for _, early := range []*memorydv1.WatchEventsResponse{message(opened, "too early"), message(initialState, "", 1)} {
		watch.receive(early)
		watch.deliver(early)
	}
	if !watch.request().GetIncludeInitialState() || watch.resumeToken != "" {
		t.Errorf("it continues with %v, the token is %q", watch.request(), watch.resumeToken)
	}
}

func TestALostConnectionRestartsAnIncompleteInitialState(t *testing.T) {
	watch := newTestProgress(WithInitialState())
	watch.receive(message(opened, ""))
	watch.receive(message(initialState, "", 1))
	if !watch.restart() {
		t.Error("it does not restart")
	}
	if watch.restart() {
		t.Error("it restarts twice")
	}
}

func TestALostConnectionBeforeTheInitialStateIsNoRestart(t *testing.T) {
	watch := newTestProgress(WithInitialState())
	watch.receive(message(opened, ""))
	if watch.restart() {
		t.Error("it restarts")
	}
}

func TestAfterTheInitialStateALostConnectionResumes(t *testing.T) {
	watch := newTestProgress(WithInitialState())
	watch.receive(message(initialState, "", 1))
	watch.receive(message(initialStateComplete, "token-1"))
	if watch.restart() || watch.request().GetResumeToken() != "token-1" || !watch.initialStateComplete {
		t.Errorf("it continues with %v", watch.request())
	}
}

// outage returns how long an unavailable daemon is retried.
func outage(watch *watchProgress, now time.Time) time.Duration {
	began := now
	for {
		delay, again := watch.lose(gone, now)
		if !again {
			return now.Sub(began)
		}
		now = now.Add(delay)
	}
}

func TestAWatchThatNeverOpenedIsGivenUpAfterTheConnectTimeout(t *testing.T) {
	if away := outage(newTestProgress(), noon); away < 2*time.Second || away >= 5*time.Second {
		t.Errorf("it is tried for %v", away)
	}
}

func TestAnOpenWatchIsGivenUpAfterTheMaximumOutage(t *testing.T) {
	watch := newTestProgress()
	watch.receive(message(opened, "token-1"))
	later := noon.Add(time.Hour)
	if away := outage(watch, later); away < 50*time.Second || away >= time.Minute {
		t.Errorf("it is tried for %v", away)
	}
}

func TestEachMessageEndsAnOutage(t *testing.T) {
	watch := newTestProgress()
	now := noon
	for range 21 {
		watch.receive(message(opened, "token-1"))
		delay, again := watch.lose(gone, now)
		if !again || delay != firstDelay {
			t.Fatalf("again %v after %v", again, delay)
		}
		now = now.Add(50 * time.Second)
	}
	if watch.resumes != 20 {
		t.Errorf("it has resumed %d times", watch.resumes)
	}
}

func TestTheWaitBeforeAReconnectionIsTheGreaterOfBackoffAndRetryDelay(t *testing.T) {
	watch := newTestProgress(WithOutageMax(time.Hour))
	watch.receive(message(opened, "token-1"))
	soon := &Error{Code: codes.Unavailable, RetryDelay: time.Millisecond}
	if delay, _ := watch.lose(soon, noon); delay != firstDelay {
		t.Errorf("it is %v after the first failure", delay)
	}
	late := &Error{Code: codes.Unavailable, RetryDelay: 7 * time.Second}
	if delay, _ := watch.lose(late, noon); delay != 7*time.Second {
		t.Errorf("it is %v although the daemon said 7 s", delay)
	}
	for range 20 {
		if delay, _ := watch.lose(gone, noon); delay > longestWatchDelay {
			t.Errorf("it is %v", delay)
		}
	}
}

func TestAWatchReconnectsOnlyAfterUnavailableAndCancelled(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		_, again := newTestProgress().lose(&Error{Code: code}, noon)
		if expected := code == codes.Unavailable || code == codes.Canceled; again != expected {
			t.Errorf("%v leaves it alive: %v", code, again)
		}
	}
}

func TestFilterOptionsNarrowEveryFilterDown(t *testing.T) {
	filters := []*memorydv1.EventFilter{{AgentIds: []string{"a"}}, {AgentIds: []string{"b"}}}
	asked := &watchRequest{message: &memorydv1.WatchEventsRequest{Filters: filters}}
	for _, option := range []WatchOption{
		WithKeyPrefix("u"),
		OfEvents(memorydv1.EventType_EVENT_TYPE_ENTRY_SET),
		OfKinds(memorydv1.RecordKind_RECORD_KIND_ENTRY),
		OfCauses(memorydv1.EventCause_EVENT_CAUSE_REQUEST),
		InConversations("c", ""),
		AboutUsers("ann"),
	} {
		option.applyWatch(asked)
	}
	for i, agentID := range []string{"a", "b"} {
		expected := &memorydv1.EventFilter{
			AgentIds:   []string{agentID},
			KeyPrefix:  "u",
			EventTypes: []memorydv1.EventType{memorydv1.EventType_EVENT_TYPE_ENTRY_SET},
			Kinds:      []memorydv1.RecordKind{memorydv1.RecordKind_RECORD_KIND_ENTRY},
			Causes:     []memorydv1.EventCause{memorydv1.EventCause_EVENT_CAUSE_REQUEST},
			Record:     &memorydv1.RecordFilter{ConversationIds: []string{"c", ""}, UserIds: []string{"ann"}},
		}
		if filter := asked.message.GetFilters()[i]; !proto.Equal(filter, expected) {
			t.Errorf("it is %v", filter)
		}
	}
}

func TestAFilterOptionOfAWatchOfAllEventsAddsAFilter(t *testing.T) {
	asked := &watchRequest{message: &memorydv1.WatchEventsRequest{}}
	WithKeyPrefix("u").applyWatch(asked)
	OfKinds(memorydv1.RecordKind_RECORD_KIND_NOTE).applyWatch(asked)
	filters := asked.message.GetFilters()
	if len(filters) != 1 || filters[0].GetKeyPrefix() != "u" || len(filters[0].GetKinds()) != 1 {
		t.Errorf("they are %v", filters)
	}
}

func TestOptionsSelectHowMuchEventsContain(t *testing.T) {
	asked := &watchRequest{message: &memorydv1.WatchEventsRequest{}}
	WithoutContent().applyWatch(asked)
	WithPrevious().applyWatch(asked)
	if asked.message.GetView() != memorydv1.RecordView_RECORD_VIEW_WITHOUT_CONTENT || !asked.message.GetIncludePrevious() {
		t.Errorf("it is %v", asked.message)
	}
}
