package memoryd

import (
	"context"
	"iter"
	"sync"
	"time"

	"google.golang.org/grpc"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Watch tells committed events, each once and in order, across as many connections as it takes. It goes on by itself when
// its connection breaks, with no gap and no duplicate.
//
// One goroutine iterates over Events or Messages; iterating again goes on after the last event. All else is safe for
// concurrent use. Close the watch, or end its context, to let its connection go.
type Watch struct {
	client *Client
	ctx    context.Context
	cancel context.CancelFunc
	stream grpc.ServerStreamingClient[memorydv1.WatchEventsResponse]
	// pending is a message that was not handed over whole yet; told is how many of its events were.
	pending *Message
	told    int
	// failed is what ended the watch.
	failed error

	mutex    sync.Mutex
	closed   bool
	progress *watchProgress
}

// Message is one message of a watch.
type Message struct {
	*memorydv1.WatchEventsResponse
	// Restarted says that the connection broke during the initial state, which is told again from its beginning: forget
	// what was told so far. Such a message comes from this package, and the response in it is empty.
	Restarted bool
}

func (c *Client) beginWatch(ctx context.Context, asked *watchRequest) (*Watch, error) {
	ctx, cancel := context.WithCancel(ctx)
	watch := &Watch{
		client:   c,
		ctx:      ctx,
		cancel:   cancel,
		progress: newWatchProgress(asked, time.Now().Add(c.caller.connectTimeout)),
	}
	opened, err := watch.receive()
	if err != nil {
		return nil, err
	}
	watch.pending = opened
	watch.tell()
	return watch, nil
}

// ResumeToken continues after the last event that was told, for [WithResumeToken] later on, also after a restart of the
// daemon. Keep it once that event is dealt with. Inside a message of many events it stays at the message before. It is
// empty until the initial state is complete.
func (w *Watch) ResumeToken() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.progress.resumeToken
}

// Revision is the agent's revision up to which all was told, when the filters name exactly one agent, else 0.
func (w *Watch) Revision() int64 {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.progress.revision
}

// InitialStateComplete is whether what was there at the start has come; true from the start when it was not asked for.
func (w *Watch) InitialStateComplete() bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.progress.initialStateComplete
}

// Resumes is how often the watch has connected again.
func (w *Watch) Resumes() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.progress.resumes
}

// Close ends the watch, from any goroutine. Who iterates over it sees its end, without an error.
func (w *Watch) Close() {
	w.mutex.Lock()
	w.closed = true
	w.mutex.Unlock()
	w.cancel()
}

// Events iterates over the events. An error is the last thing that it tells: ErrRevisionCompacted when the journal no
// longer has what comes next, ErrUnavailable when the daemon stays away, context.Canceled when ctx has ended.
func (w *Watch) Events() iter.Seq2[*memorydv1.Event, error] {
	return iterate(w.nextEvent)
}

// Messages iterates over the messages with their phases instead of the events alone. The first is WATCH_PHASE_OPENED.
// Its errors are those of Events.
func (w *Watch) Messages() iter.Seq2[*Message, error] {
	return iterate(w.nextMessage)
}

func (w *Watch) nextEvent() (*memorydv1.Event, error) {
	for w.pending == nil || w.told == len(w.pending.GetEvents()) {
		message, err := w.receive()
		if err != nil {
			return nil, err
		}
		w.pending, w.told = message, 0
		w.tell()
	}
	event := w.pending.GetEvents()[w.told]
	w.told++
	w.tell()
	return event, nil
}

func (w *Watch) nextMessage() (*Message, error) {
	message := w.pending
	if message == nil {
		var err error
		if message, err = w.receive(); err != nil {
			return nil, err
		}
	}
	message.Events = message.Events[w.told:]
	w.pending, w.told = message, len(message.Events)
	w.tell()
	w.pending, w.told = nil, 0
	return message, nil
}

// tell notes that the watcher has the pending message, once that is so.
func (w *Watch) tell() {
	if w.told < len(w.pending.GetEvents()) {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.progress.deliver(w.pending.WatchEventsResponse)
}

// iterate tells what next returns, until that is an error or the end.
func iterate[T any](next func() (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			item, err := next()
			if err == errClosed {
				return
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}
