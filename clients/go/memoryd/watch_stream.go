package memoryd

import (
	"errors"
	"io"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// errClosed ends an iteration without an error.
var errClosed = errors.New("the watch is closed")

// receive returns the next message, and reconnects if necessary. After an error it always returns that error.
func (w *Watch) receive() (*Message, error) {
	for w.failed == nil {
		response, err := w.receiveOnce()
		if err == nil {
			return &Message{WatchEventsResponse: response}, nil
		}
		w.stream = nil
		if w.failed = w.await(err); w.failed != nil {
			break
		}
		if w.progress.restart() {
			return &Message{WatchEventsResponse: &memorydv1.WatchEventsResponse{}, Restarted: true}, nil
		}
	}
	w.cancel()
	return nil, w.failed
}

func (w *Watch) receiveOnce() (*memorydv1.WatchEventsResponse, error) {
	if w.stream == nil {
		stream, err := w.client.events.WatchEvents(w.ctx, w.progress.request())
		if err != nil {
			return nil, err
		}
		w.stream = stream
	}
	response, err := w.stream.Recv()
	if err != nil {
		return nil, err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.progress.receive(response)
	return response, nil
}

// await waits until it is time to reconnect, or returns the error that ends the watch.
func (w *Watch) await(lost error) error {
	caller := w.client.caller
	if caller.ended(w.ctx) == nil {
		failed := failureOf(lost)
		delay, again := w.progress.lose(failed, time.Now())
		if !again {
			return failed
		}
		caller.sleep(w.ctx, delay)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.closed {
		return errClosed
	}
	return caller.ended(w.ctx)
}

// failureOf returns the error of a stream. The end of a stream counts as Unavailable: a watch has no end of its own.
func failureOf(lost error) *Error {
	var failed *Error
	if errors.As(lost, &failed) {
		return failed
	}
	if lost == io.EOF {
		lost = status.Error(codes.Unavailable, "the server ended the watch")
	}
	return errorFrom(status.Convert(lost), "")
}
