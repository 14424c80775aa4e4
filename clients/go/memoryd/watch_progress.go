package memoryd

import (
	"time"

	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const longestWatchDelay = 5 * time.Second

// watchProgress is a watch without its connection: what to ask for, what an answer means, and what to do when it breaks.
type watchProgress struct {
	asked *memorydv1.WatchEventsRequest
	// position is the token after the last message that came; resumeToken that after the last event handed over.
	position             string
	resumeToken          string
	revision             int64
	initialStateComplete bool
	heardInitialState    bool
	opened               bool
	resumes              int

	failures  int
	outageMax time.Duration
	// giveUpAt is when the daemon has been away for too long; zero while it is there.
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

// request returns what to ask the daemon for now: from the start, or after the last message that came.
func (p *watchProgress) request() *memorydv1.WatchEventsRequest {
	request := proto.CloneOf(p.asked)
	if p.position != "" {
		request.Start = &memorydv1.WatchEventsRequest_ResumeToken{ResumeToken: p.position}
	}
	return request
}

// receive notes a message that came.
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

// deliver notes that the watcher has all of the message.
func (p *watchProgress) deliver(message *memorydv1.WatchEventsResponse) {
	if p.initialStateComplete && message.GetResumeToken() != "" {
		p.resumeToken = message.GetResumeToken()
	}
	if message.GetRevision() != 0 {
		p.revision = message.GetRevision()
	}
}

// lose returns after which time to connect again, and whether that is of use.
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

// restart returns whether the watcher must forget what it heard of the initial state, which begins again.
func (p *watchProgress) restart() bool {
	restarts := p.heardInitialState && !p.initialStateComplete
	if restarts {
		p.heardInitialState = false
	}
	return restarts
}
