//go:build unix

package memoryd_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

const benchCallers = 64

// BenchmarkBatching measures 64 goroutines that each make one call after the other, with batching and without, in µs
// and in the client's processor time per call, and the calls that they are sent as. It needs a daemon at MEMORYD_ADDRESS.
func BenchmarkBatching(b *testing.B) {
	if os.Getenv("MEMORYD_ADDRESS") == "" {
		b.Skip("MEMORYD_ADDRESS is not set")
	}
	value := strings.Repeat("x", 198)
	get := func(agent *memoryd.Agent, key string) error {
		_, _, err := memoryd.Get[string](b.Context(), agent, key)
		return err
	}
	set := func(agent *memoryd.Agent, key string) error {
		_, err := agent.Set(b.Context(), key, value)
		return err
	}
	for _, batching := range []struct {
		name    string
		options []memoryd.Option
	}{
		{"none", nil},
		{"window=0", []memoryd.Option{memoryd.WithBatching(0)}},
		{"window=500µs", []memoryd.Option{memoryd.WithBatching(500 * time.Microsecond)}},
	} {
		for _, callers := range []int{1, benchCallers} {
			name := fmt.Sprintf("callers=%d/batching=%s", callers, batching.name)
			b.Run("get/"+name, func(b *testing.B) { benchCalls(b, callers, batching.options, set, get) })
			b.Run("set/"+name, func(b *testing.B) { benchCalls(b, callers, batching.options, set, set) })
		}
	}
}

func benchCalls(
	b *testing.B, callers int, options []memoryd.Option, prepare, call func(*memoryd.Agent, string) error,
) {
	var calls atomic.Int64
	count := func(
		ctx context.Context, method string, request, reply any,
		conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		calls.Add(1)
		return invoke(ctx, method, request, reply, conn, options...)
	}
	counted := memoryd.WithDialOptions(grpc.WithChainUnaryInterceptor(count))
	client, err := memoryd.NewClient("", append(options, counted)...)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	agent := client.Agent("go-bench-" + rand.Text())
	defer agent.End(b.Context())
	for caller := range callers {
		if err := prepare(agent, fmt.Sprint("key-", caller)); err != nil {
			b.Fatal(err)
		}
	}
	var running sync.WaitGroup
	calls.Store(0)
	before := processorTime(b)
	b.ResetTimer()
	for caller := range callers {
		running.Go(func() {
			key := fmt.Sprint("key-", caller)
			for turn := caller; turn < b.N; turn += callers {
				if err := call(agent, key); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	b.StopTimer()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(calls.Load())/float64(b.N), "calls/op")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/op")
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "processor-µs/op")
}

func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
