package memoryd

import (
	"time"

	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const longestWatchDelay = 5 * time.Second

// watchProgress is the state of a watch across its connections. It builds requests, processes messages, and decides
// whether to reconnect. It does no I/O.
type watchProgress struct {
	asked *memorydv1.WatchEventsRequest
	// position is the token after the last message that was received, where a reconnection continues. resumeToken is
	// the one after the last message whose events were all delivered, where another watch would continue.
	position             string
	resumeToken          string
	revision             int64
	initialStateComplete bool
	heardInitialState    bool
	opened               bool
	resumes              int

	failures  int
	outageMax time.Duration
	// giveUpAt is the time at which an outage has lasted too long; zero while there is none.
	giveUpAt time.Time
	jitter   func() float64
}

func newWatchProgress(asked *watchRequest, giveUpAt time.Time) *watchProgress {
	return &watchProgress{
		asked:                asked.message,
		position:             asked.message.GetResumeToken(),
		resumeToken:          asked.message.GetResumeToken(),
		initialStateComplete: !asked.message.GetIncludeInitialState(),
		outageMax:            asked.outageMax,
		giveUpAt:             giveUpAt,
		jitter:               jitter,
	}
}

// request returns the request for the next connection: from the start, or after the last message that was received.
func (p *watchProgress) request() *memorydv1.WatchEventsRequest {
	request := proto.CloneOf(p.asked)
	if p.position != "" {
		request.Start = &memorydv1.WatchEventsRequest_ResumeToken{ResumeToken: p.position}
	}
	return request
}

// receive processes a message from the daemon.
func (p *watchProgress) receive(message *memorydv1.WatchEventsResponse) {
	p.failures = 0
	p.giveUpAt = time.Time{}
	switch message.GetPhase() {
	case memorydv1.WatchPhase_WATCH_PHASE_OPENED:
		if p.opened {
			p.resumes++
		}
		p.opened = true
	case memorydv1.WatchPhase_WATCH_PHASE_INITIAL_STATE:
		p.heardInitialState = true
	case memorydv1.WatchPhase_WATCH_PHASE_INITIAL_STATE_COMPLETE:
		p.initialStateComplete = true
	}
	// A token from before the end of the initial state would resume without the rest of it.
	if p.initialStateComplete && message.GetResumeToken() != "" {
		p.position = message.GetResumeToken()
	}
}

// deliver advances the resume token past a message whose events were all delivered.
func (p *watchProgress) deliver(message *memorydv1.WatchEventsResponse) {
	if p.initialStateComplete && message.GetResumeToken() != "" {
		p.resumeToken = message.GetResumeToken()
	}
	if message.GetRevision() != 0 {
		p.revision = message.GetRevision()
	}
}

// lose returns the delay before the next connection, and whether to make one.
func (p *watchProgress) lose(failed *Error, now time.Time) (time.Duration, bool) {
	if !failed.mayPass() {
		return 0, false
	}
	if p.giveUpAt.IsZero() {
		p.giveUpAt = now.Add(p.outageMax)
	}
	p.failures++
	delay := max(failed.RetryDelay, backoffAfter(p.failures, longestWatchDelay, p.jitter()))
	return delay, now.Add(delay).Before(p.giveUpAt)
}

// restart reports whether the initial state begins again, so that the watcher must discard the part that it received.
func (p *watchProgress) restart() bool {
	restarts := p.heardInitialState && !p.initialStateComplete
	if restarts {
		p.heardInitialState = false
	}
	return restarts
}
