package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

// listener collects the events of a watch in a goroutine.
type listener struct {
	watch *memoryd.Watch
	ended chan struct{}

	mutex   sync.Mutex
	changed chan struct{} // closed with the next change
	events  []answers
	token   string // after the last of the events
	failed  error
}

func (d *driver) watch(ctx context.Context, agent *memoryd.Agent, asked command) (answers, error) {
	options := []memoryd.WatchOption{memoryd.WithKeyPrefix(asked.KeyPrefix)}
	if asked.InitialState {
		options = append(options, memoryd.WithInitialState())
	}
	if asked.ResumeToken != "" {
		options = append(options, memoryd.WithResumeToken(asked.ResumeToken))
	}
	if asked.OutageMaxS != nil {
		options = append(options, memoryd.WithOutageMax(seconds(*asked.OutageMaxS)))
	}
	watch, err := agent.Watch(ctx, options...)
	if err != nil {
		return nil, err
	}
	listener := &listener{
		watch:   watch,
		ended:   make(chan struct{}),
		changed: make(chan struct{}),
		events:  []answers{},
		token:   watch.ResumeToken(),
	}
	d.watches[asked.Name] = listener
	go listener.listen()
	return answers{}, nil
}

func (d *driver) watched(asked command) (answers, error) {
	listener, known := d.watches[asked.Name]
	if !known {
		return nil, fmt.Errorf("there is no watch %q", asked.Name)
	}
	var timeout time.Duration
	if asked.TimeoutS != nil {
		timeout = seconds(*asked.TimeoutS)
	}
	return listener.await(asked.Count, timeout)
}

func (d *driver) unwatch(asked command) (answers, error) {
	listener, known := d.watches[asked.Name]
	if !known {
		return nil, fmt.Errorf("there is no watch %q", asked.Name)
	}
	listener.close()
	delete(d.watches, asked.Name)
	return answers{}, nil
}

func (l *listener) listen() {
	defer close(l.ended)
	for event, err := range l.watch.Events() {
		l.mutex.Lock()
		if err != nil {
			l.failed = err
		} else {
			l.token = l.watch.ResumeToken()
			l.events = append(l.events, answers{
				"revision": event.GetRevision(),
				"index":    event.GetIndex(),
				"type":     event.GetType().String(),
				"key":      event.GetEntry().GetKey(),
			})
		}
		close(l.changed)
		l.changed = make(chan struct{})
		l.mutex.Unlock()
	}
}

// await waits until count events were received, the watch failed, or the timeout passed.
func (l *listener) await(count int, timeout time.Duration) (answers, error) {
	overdue := time.After(timeout)
	for over := false; ; {
		l.mutex.Lock()
		changed, failed := l.changed, l.failed
		reply := answers{"events": l.events, "resumes": l.watch.Resumes(), "resume_token": l.token}
		enough := len(l.events) >= count
		l.mutex.Unlock()
		if failed != nil {
			return nil, failed
		}
		if enough || over {
			return reply, nil
		}
		select {
		case <-changed:
		case <-overdue:
			over = true
		}
	}
}

func (l *listener) close() {
	l.watch.Close()
	<-l.ended
}
