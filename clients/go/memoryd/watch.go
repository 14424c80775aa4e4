package memoryd

import (
	"context"
	"iter"
	"sync"
	"time"

	"google.golang.org/grpc"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Watch streams committed events, each once and in order. It resumes by itself when its connection breaks, with no gap
// and no duplicate.
//
// One goroutine at a time may iterate over Events or Messages; a new iteration continues after the last event. All
// other methods are safe for concurrent use. Close the watch, or end its context, to release its stream.
type Watch struct {
	client *Client
	ctx    context.Context
	cancel context.CancelFunc
	stream grpc.ServerStreamingClient[memorydv1.WatchEventsResponse]
	// pending is the message whose events are being delivered; delivered is the number of its events that were.
	pending   *Message
	delivered int
	// failed is the error that ended the watch.
	failed error

	mutex    sync.Mutex
	closed   bool
	progress *watchProgress
}

// Message is one message of a watch.
type Message struct {
	*memorydv1.WatchEventsResponse
	// Restarted is true if the connection broke during the initial state, which is sent again from its beginning:
	// discard what was received so far. Such a message comes from this package, and its response is empty.
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
	watch.settlePending()
	return watch, nil
}

// ResumeToken returns the token with which a later watch continues after the last event that was yielded; see
// [WithResumeToken]. It remains valid after a restart of the daemon. Save it once that event is processed. Within a
// message of many events it stays at the previous message. It is empty until the initial state is complete.
func (w *Watch) ResumeToken() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.progress.resumeToken
}

// Revision returns the agent's revision up to which all events were yielded if the filters name exactly one agent, else
// 0.
func (w *Watch) Revision() int64 {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.progress.revision
}

// InitialStateComplete reports whether the initial state was received completely. It is true from the start if none was
// requested.
func (w *Watch) InitialStateComplete() bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.progress.initialStateComplete
}

// Resumes returns the number of times the watch has reconnected.
func (w *Watch) Resumes() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.progress.resumes
}

// Close ends the watch, from any goroutine. An iteration over it ends without an error.
func (w *Watch) Close() {
	w.mutex.Lock()
	w.closed = true
	w.mutex.Unlock()
	w.cancel()
}

// Events iterates over the events. What an event is about is its Subject, for a type switch:
//
//	switch subject := event.Subject.(type) {
//	case *memorydv1.Event_Entry:
//		value, found, err := memoryd.ValueAfter[string](subject.Entry) // not found: the entry was removed
//	case *memorydv1.Event_Scope:
//		fmt.Println(subject.Scope.GetName())
//	}
//
// Each kind of subject has the ids of the record, the record after the change, which is nil if the change removed it,
// and the one before it (see [WithPrevious]). The subject is nil if the server is newer than this client and has other
// kinds. Getters such as event.GetEntry().GetKey() return zero values for other subjects.
//
// An error ends the iteration: ErrRevisionCompacted if the journal no longer retains the next event, ErrUnavailable if
// the daemon stays unavailable, context.Canceled if the context was cancelled.
func (w *Watch) Events() iter.Seq2[*memorydv1.Event, error] {
	return iterate(w.nextEvent)
}

// Messages iterates over the messages with their phases instead of the events alone. The first is WATCH_PHASE_OPENED.
// Its errors are those of Events.
func (w *Watch) Messages() iter.Seq2[*Message, error] {
	return iterate(w.nextMessage)
}

func (w *Watch) nextEvent() (*memorydv1.Event, error) {
	for w.pending == nil || w.delivered == len(w.pending.GetEvents()) {
		message, err := w.receive()
		if err != nil {
			return nil, err
		}
		w.pending, w.delivered = message, 0
		w.settlePending()
	}
	event := w.pending.GetEvents()[w.delivered]
	w.delivered++
	w.settlePending()
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
	// Events may have delivered a part of the message: the rest of it is left.
	message.Events = message.Events[w.delivered:]
	w.pending, w.delivered = message, len(message.Events)
	w.settlePending()
	w.pending, w.delivered = nil, 0
	return message, nil
}

// settlePending advances the resume token past the pending message once all of its events are delivered. Within the
// message it must not move: a watch that resumed there would miss the rest.
func (w *Watch) settlePending() {
	if w.delivered < len(w.pending.GetEvents()) {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.progress.deliver(w.pending.WatchEventsResponse)
}

// iterate yields what next returns, until it returns an error or the watch is closed.
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
