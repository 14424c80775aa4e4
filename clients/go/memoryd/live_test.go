package memoryd_test

import (
	"crypto/rand"
	"os"
	"testing"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

// liveClient returns a client of the daemon at MEMORYD_ADDRESS. Without one the test is skipped, or fails in CI.
func liveClient(t *testing.T, options ...memoryd.Option) *memoryd.Client {
	t.Helper()
	address := os.Getenv("MEMORYD_ADDRESS")
	if address == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("MEMORYD_ADDRESS is not set")
		}
		t.Skip("MEMORYD_ADDRESS is not set: start a daemon for this test")
	}
	client, err := memoryd.NewClient(address, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// liveAgent returns an agent that no other test uses.
func liveAgent(t *testing.T) *memoryd.Agent {
	t.Helper()
	return liveClient(t).Agent("go-" + rand.Text())
}

// must returns a function that returns the value of a call, or fails the test if the call failed.
func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// get returns the value under a key, and fails the test if there is none.
func get[T any](t *testing.T, m memoryd.WorkingMemory, key string, options ...memoryd.ReadOption) T {
	t.Helper()
	value, found, err := memoryd.Get[T](t.Context(), m, key, options...)
	if err != nil || !found {
		t.Fatalf("%s: found %v, %v", key, found, err)
	}
	return value
}

func set(t *testing.T, m memoryd.WorkingMemory, key string, value any, options ...memoryd.SetOption) int64 {
	t.Helper()
	stored, err := m.Set(t.Context(), key, value, options...)
	if err != nil {
		t.Fatal(err)
	}
	return stored.GetRevision()
}
