package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"
)

// An event carries the time at which it was written, in nanoseconds since the Unix epoch; the last one carries the end.
const (
	mark       = "written:"
	markDigits = 19
	end        = "the end"
)

// Seen is what the watchers saw. EndNs is when the last of them had the end; SpreadsMs has, for each event, the time
// from its writing until the last of them had it. Incomplete is the number of watchers that did not see each event once.
type seen struct {
	P50        float64   `json:"p50_ms"`
	P95        float64   `json:"p95_ms"`
	P99        float64   `json:"p99_ms"`
	SpreadsMs  []float64 `json:"spreads_ms"`
	EndNs      int64     `json:"end_ns"`
	Incomplete int       `json:"incomplete"`
}

type watcher struct {
	hasOpened bool
	hasEnded  bool
	events    int
	// In the order in which the events came, which is that of the writes when these are one after the other.
	writtenNs []int64
	lagsMs    []float64
}

type watchers struct {
	expected int
	opened   chan struct{}
	endNs    int64
	all      []*watcher
}

// watch opens streams, those of one connection after those of another, prints "ready" when each has had its first
// message, and reads until each has seen the end.
func watch(asked plan) (*seen, error) {
	ended := make(chan error, asked.Connections)
	connections := make([]*watchers, asked.Connections)
	for number := range connections {
		connection, err := dial(asked.Address, asked.Path)
		if err != nil {
			return nil, err
		}
		defer connection.socket.Close()
		one := &watchers{expected: asked.Events, opened: make(chan struct{})}
		connections[number] = one
		go func() { ended <- one.run(connection, framed(asked.Bodies[0]), asked.Streams) }()
		select {
		case <-one.opened:
		case err := <-ended:
			return nil, err
		}
	}
	fmt.Println("ready")
	for range connections {
		if err := <-ended; err != nil {
			return nil, err
		}
	}
	return summed(connections), nil
}

// hold opens connections, makes one call on each, prints "ready", and keeps them until its input ends.
func hold(asked plan) error {
	for range asked.Connections {
		connection, err := dial(asked.Address, asked.Path)
		if err != nil {
			return err
		}
		defer connection.socket.Close()
		hasEnded := false
		if err := connection.start(framed(asked.Bodies[0]), &stream{onEnd: func() error {
			hasEnded = true
			return nil
		}}); err != nil {
			return err
		}
		for !hasEnded {
			if err := connection.step(); err != nil {
				return err
			}
		}
		// The server's last settings are acknowledged, as any client does.
		if err := connection.writer.Flush(); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func (w *watchers) run(connection *connection, body []byte, streams int) error {
	unopened, open := streams, streams
	for range streams {
		one := &watcher{}
		w.all = append(w.all, one)
		err := connection.start(body, &stream{
			onMessage: func(message []byte) error {
				if !one.hasOpened {
					one.hasOpened = true
					if unopened--; unopened == 0 {
						close(w.opened)
					}
				}
				if one.see(message) {
					open--
					w.endNs = time.Now().UnixNano()
				}
				return nil
			},
			onEnd: func() error { return errors.New("a watch ended before the end") },
		})
		if err != nil {
			return err
		}
	}
	for open > 0 {
		if err := connection.step(); err != nil {
			return err
		}
	}
	return nil
}

// see notes the events of a message, and returns true when the end is in it.
func (w *watcher) see(message []byte) bool {
	now := time.Now().UnixNano()
	rest := message
	for {
		at := bytes.Index(rest, []byte(mark))
		if at < 0 || len(rest) < at+len(mark)+markDigits {
			break
		}
		rest = rest[at+len(mark):]
		written, err := strconv.ParseInt(string(rest[:markDigits]), 10, 64)
		if err != nil {
			continue
		}
		w.events++
		w.writtenNs = append(w.writtenNs, written)
		w.lagsMs = append(w.lagsMs, float64(now-written)/1e6)
	}
	if w.hasEnded || !bytes.Contains(rest, []byte(end)) {
		return false
	}
	w.hasEnded = true
	return true
}

func summed(connections []*watchers) *seen {
	result := &seen{}
	var lags []float64
	last := map[int64]float64{}
	for _, each := range connections {
		result.EndNs = max(result.EndNs, each.endNs)
		for _, one := range each.all {
			distinct := map[int64]bool{}
			for number, written := range one.writtenNs {
				distinct[written] = true
				last[written] = max(last[written], one.lagsMs[number])
			}
			if one.events != each.expected || len(distinct) != each.expected {
				result.Incomplete++
			}
			lags = append(lags, one.lagsMs...)
		}
	}
	for _, spread := range last {
		result.SpreadsMs = append(result.SpreadsMs, spread)
	}
	slices.Sort(lags)
	result.P50, result.P95, result.P99 = percentile(lags, 50), percentile(lags, 95), percentile(lags, 99)
	return result
}
