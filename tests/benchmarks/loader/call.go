package main

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"sync"
	"time"
)

// A request id that stands for another one in each request: hexadecimal digits, like those of the clients.
const placeholder = "00000000000000000000000000000000"

// Calls are what was measured: those that ended in the time after the warm-up. AllCalls are those with the warm-up.
type calls struct {
	Calls     int     `json:"calls"`
	AllCalls  int     `json:"all_calls"`
	CallsPerS float64 `json:"calls_per_s"`
	P50       float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
	P99       float64 `json:"p99_ms"`
}

// A caller makes calls on one connection, always as many at a time as it has streams.
type caller struct {
	*connection
	body      []byte
	id        []byte
	random    [8]byte
	number    uint64
	measured  time.Time
	end       time.Time
	all       int
	open      int
	durations []float64
}

// call makes calls until the time is over, and waits for those that are still open. All must succeed.
func call(asked plan) (*calls, error) {
	callers := make([]*caller, asked.Connections)
	measured := time.Now().Add(seconds(asked.WarmUpSeconds))
	end := measured.Add(seconds(asked.Seconds))
	for number := range callers {
		connection, err := dial(asked.Address, asked.Path)
		if err != nil {
			return nil, err
		}
		defer connection.socket.Close()
		one := &caller{
			connection: connection, body: framed(asked.Bodies[number%len(asked.Bodies)]), measured: measured, end: end,
		}
		if asked.VariesRequests {
			if err := one.vary(); err != nil {
				return nil, err
			}
		}
		callers[number] = one
	}
	failures := make([]error, len(callers))
	var running sync.WaitGroup
	for number, one := range callers {
		running.Go(func() { failures[number] = one.run(asked.Streams) })
	}
	running.Wait()
	for _, failure := range failures {
		if failure != nil {
			return nil, failure
		}
	}
	return summary(callers, asked.Seconds), nil
}

func summary(callers []*caller, measured float64) *calls {
	result := &calls{}
	var durations []float64
	for _, one := range callers {
		result.AllCalls += one.all
		durations = append(durations, one.durations...)
	}
	slices.Sort(durations)
	result.Calls = len(durations)
	result.CallsPerS = float64(len(durations)) / measured
	result.P50, result.P95, result.P99 = percentile(durations, 50), percentile(durations, 95), percentile(durations, 99)
	return result
}

// vary finds the place of the request id, which is then another one for each request.
func (c *caller) vary() error {
	at := bytes.Index(c.body, []byte(placeholder))
	if at < 0 {
		return errors.New("a request without the placeholder of a request id")
	}
	c.id = c.body[at : at+len(placeholder)]
	_, err := rand.Read(c.random[:])
	return err
}

func (c *caller) run(streams int) error {
	for range streams {
		if err := c.begin(); err != nil {
			return err
		}
	}
	for c.open > 0 {
		if err := c.step(); err != nil {
			return err
		}
	}
	return nil
}

func (c *caller) begin() error {
	if c.id != nil {
		var id [16]byte
		copy(id[:8], c.random[:])
		c.number++
		binary.BigEndian.PutUint64(id[8:], c.number)
		hex.Encode(c.id, id[:])
	}
	c.open++
	began := time.Now()
	return c.start(c.body, &stream{onEnd: func() error {
		now := time.Now()
		c.open--
		c.all++
		if now.After(c.measured) && now.Before(c.end) {
			c.durations = append(c.durations, now.Sub(began).Seconds()*1_000)
		}
		if now.Before(c.end) {
			return c.begin()
		}
		return nil
	}})
}

// percentile returns the smallest of sorted values that this percentage of them does not exceed.
func percentile(sorted []float64, percent float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(int(math.Ceil(float64(len(sorted))*percent/100))-1, 0)]
}
