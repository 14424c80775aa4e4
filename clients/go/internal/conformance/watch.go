package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// watch is an open WatchEvents stream, with the events that were received but not compared yet.
type watch struct {
	stream grpc.ServerStreamingClient[memorydv1.WatchEventsResponse]
	cancel context.CancelFunc
	events []any
}

func (p *player) watch(step step) error {
	filled, err := p.variables.fill(step.Request)
	if err != nil {
		return err
	}
	request := &memorydv1.WatchEventsRequest{}
	if err := read(request, filled); err != nil {
		return err
	}
	opened, err := p.stubs.watch(request)
	if err != nil || step.Error != nil {
		return p.expectRefusal(step.Error, err)
	}
	p.watches[step.Watch] = opened
	return nil
}

func (p *player) events(step step) error {
	watch, known := p.watches[step.Events]
	if !known {
		return errors.New("there is no such watch")
	}
	for _, event := range step.Expect {
		if err := unknownField(event, (*memorydv1.Event)(nil).ProtoReflect().Descriptor()); err != nil {
			return err
		}
	}
	came, err := watch.take(len(step.Expect))
	if err != nil {
		return err
	}
	return p.expect(step.Expect, came)
}

// watch opens a watch, and waits for its first message.
func (s *stubs) watch(request *memorydv1.WatchEventsRequest) (*watch, error) {
	ctx, cancel := context.WithCancel(context.Background())
	stream, err := s.events.WatchEvents(ctx, request)
	if err != nil {
		cancel()
		return nil, err
	}
	opened := &watch{stream: stream, cancel: cancel}
	message, err := opened.receive()
	if err != nil {
		return nil, err
	}
	if message.GetPhase() != memorydv1.WatchPhase_WATCH_PHASE_OPENED {
		return nil, fmt.Errorf("the first message is %s", message.GetPhase())
	}
	return opened, nil
}

// take returns the next count events, or an error if they do not arrive in time.
func (w *watch) take(count int) ([]any, error) {
	for len(w.events) < count {
		message, err := w.receive()
		if err != nil {
			return nil, fmt.Errorf("%d of %d events received: %w", len(w.events), count, err)
		}
		for _, event := range message.GetEvents() {
			value, err := written(event)
			if err != nil {
				return nil, err
			}
			w.events = append(w.events, value)
		}
	}
	taken := w.events[:count]
	w.events = w.events[count:]
	return taken, nil
}

func (w *watch) receive() (*memorydv1.WatchEventsResponse, error) {
	overdue := time.AfterFunc(patience, w.cancel)
	defer overdue.Stop()
	message, err := w.stream.Recv()
	if err != nil {
		w.cancel()
	}
	return message, err
}
