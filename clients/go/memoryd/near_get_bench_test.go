package memoryd

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

type benchUser struct {
	Name  string   `json:"name"`
	Likes []string `json:"likes"`
}

// benchCopy is a copy with 10,000 entries, which is current.
func benchCopy(b *testing.B) *nearCopy {
	mirror := newMirror(math.MaxInt64, wallClock)
	mirror.isComplete = true
	events := []*memorydv1.Event{
		entrySet("", "text", `"a mood of some length"`, nil),
		entrySet("", "number", "42", nil),
		entrySet("", "user", `{"name":"Ada","likes":["chess","tea"]}`, nil),
		scopeChanged(memorydv1.EventType_EVENT_TYPE_SCOPE_CREATED, "s", ""),
	}
	for i := range 10_000 {
		events = append(events, entrySet("", fmt.Sprint("key-", i), "1", nil))
	}
	if err := mirror.apply(&memorydv1.WatchEventsResponse{Phase: live, Revision: 1, Events: events}); err != nil {
		b.Fatal(err)
	}
	settings := nearSettings{staleness: unbounded}
	return &nearCopy{mirror: mirror, settings: settings, freshUntil: unbounded}
}

// BenchmarkNearGet measures reads from a near cache, by one goroutine and by eight at a time.
func BenchmarkNearGet(b *testing.B) {
	copy := benchCopy(b)
	root, scope := &NearMemory{copy, &workingMemory{}}, &NearMemory{copy, &workingMemory{scopeID: "s"}}
	for _, each := range []struct {
		name string
		read func() (bool, error)
	}{
		{"string", reading[string](b, root, "text")},
		{"int", reading[int](b, root, "number")},
		{"any", reading[any](b, root, "text")},
		{"inherited", reading[string](b, scope, "text")},
		{"missing", reading[string](b, root, "none")},
		{"struct", reading[benchUser](b, root, "user")},
		{"raw", reading[json.RawMessage](b, root, "user")},
		{"json", func() (bool, error) {
			_, found, err := root.GetJSON(b.Context(), "user")
			return found, err
		}},
	} {
		for _, goroutines := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/%d", each.name, goroutines), func(b *testing.B) {
				b.ReportAllocs()
				var all sync.WaitGroup
				for range goroutines {
					all.Go(func() {
						for range b.N / goroutines {
							if found, err := each.read(); err != nil || found == (each.name == "missing") {
								b.Errorf("found %v, %v", found, err)
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "cores")
			})
		}
	}
}

func reading[T any](b *testing.B, m NearReader, key string) func() (bool, error) {
	ctx := b.Context()
	return func() (bool, error) {
		_, found, err := NearGet[T](ctx, m, key)
		return found, err
	}
}
