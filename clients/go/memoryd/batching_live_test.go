package memoryd_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// window is long enough for the calls of a test to be made within it.
const window = 100 * time.Millisecond

func batchingAgent(t *testing.T) *memoryd.Agent {
	t.Helper()
	return liveClient(t, memoryd.WithBatching(window)).Agent("go-" + rand.Text())
}

// together makes calls at the same time.
func together(calls ...func()) {
	var running sync.WaitGroup
	for _, call := range calls {
		running.Go(call)
	}
	running.Wait()
}

// varying are the fields that differ between any two calls.
var varying = map[protoreflect.Name]bool{
	"revision": true, "entry_id": true, "create_time": true, "update_time": true, "expire_time": true,
	"access_count": true, "last_access_time": true,
}

// outcomeOf returns a text of what a call returns, without what differs between any two calls.
func outcomeOf(result any, err error) string {
	var failed *memoryd.Error
	if errors.As(err, &failed) {
		return fmt.Sprint(err, failed.Reason, failed.Fields, len(failed.Metadata))
	}
	if message, isMessage := result.(proto.Message); isMessage && message.ProtoReflect().IsValid() {
		return fmt.Sprint(withoutVarying(message), err)
	}
	return fmt.Sprint(result, err)
}

func withoutVarying(message proto.Message) proto.Message {
	plain := proto.Clone(message).ProtoReflect()
	plain.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case varying[field.Name()]:
			plain.Clear(field)
		case field.Message() != nil && !field.IsList() && !field.IsMap():
			plain.Set(field, protoreflect.ValueOfMessage(withoutVarying(value.Message().Interface()).ProtoReflect()))
		}
		return true
	})
	return plain.Interface()
}

func TestEachCallHasTheResultAndTheErrorThatItHasByItself(t *testing.T) {
	var found [2][]string
	for i, options := range [][]memoryd.Option{nil, {memoryd.WithBatching(window)}} {
		ctx, agent := t.Context(), liveClient(t, options...).Agent("go-"+rand.Text())
		set(t, agent, "before", 0)
		set(t, agent, "kept", map[string]int{"a": 1})
		scope := must[*memoryd.Scope](t)(agent.CreateScope(ctx, "task"))
		gone := must[*memoryd.Scope](t)(agent.CreateScope(ctx, "gone"))
		if err := gone.Close(ctx); err != nil {
			t.Fatal(err)
		}
		ended, end := context.WithCancel(ctx)
		end()
		sets := func(m memoryd.WorkingMemory, key string, value any, options ...memoryd.SetOption) func() string {
			return func() string {
				stored, err := m.Set(ctx, key, value, options...)
				return outcomeOf(stored, err)
			}
		}
		removes := func(key string, options ...memoryd.ChangeOption) func() string {
			return func() string {
				removed, err := agent.Remove(ctx, key, options...)
				return outcomeOf(removed, err)
			}
		}
		gets := func(m memoryd.WorkingMemory, key string, options ...memoryd.ReadOption) func() string {
			return func() string {
				entry, isFound, err := m.GetEntry(ctx, key, options...)
				return fmt.Sprint(isFound, outcomeOf(entry, err))
			}
		}
		writes := []func() string{
			sets(agent, "a", 1),
			sets(agent, "k", []int{1}, memoryd.WithTags("t"), memoryd.WithUserID("ann"), memoryd.WithTTL(time.Hour)),
			sets(agent, "", 1),
			sets(agent, "large", strings.Repeat("v", 2<<20)),
			sets(agent, "importance", 1, memoryd.WithImportance(2)),
			sets(agent, "invalid \xff", 1),
			sets(agent, "function", func() {}),
			sets(agent, "metadata", 1, memoryd.WithMetadata(map[string]any{"a": "\xff"})),
			sets(agent, "new", 3, memoryd.IfAbsent()),
			sets(scope, "s", 1),
			sets(gone, "s", 1),
			removes("before"), removes("none"), removes(""), removes("kept", memoryd.IfRevision(1_000_000)),
			func() string {
				stored, err := agent.Set(ended, "ended", 1)
				return outcomeOf(stored, err)
			},
		}
		reads := []func() string{
			gets(agent, "k"), gets(agent, "none"), gets(agent, "kept"), gets(agent, "kept"), gets(agent, " "),
			gets(agent, "ended"), gets(agent, "k", memoryd.WithMinRevision(1_000_000)),
			gets(scope, "kept"), gets(scope, "kept", memoryd.LocalOnly()), gets(scope, "s"), gets(gone, "kept"),
		}
		for _, calls := range [][]func() string{writes, reads} {
			outcomes := make([]string, len(calls))
			var running []func()
			for n, call := range calls {
				running = append(running, func() { outcomes[n] = call() })
			}
			together(running...)
			ids := strings.NewReplacer(agent.AgentID(), "agent", scope.ScopeID(), "scope", gone.ScopeID(), "gone")
			// Between calls at the same time, the numbers of revisions are a matter of chance.
			revision := regexp.MustCompile(`(revision |found )\d+`)
			for n, outcome := range outcomes {
				text := strings.Join(strings.Fields(ids.Replace(outcome)), " ")
				found[i] = append(found[i], fmt.Sprint(n, " ", revision.ReplaceAllString(text, "${1}N")))
			}
		}
	}
	for n := range found[0] {
		if found[0][n] != found[1][n] {
			t.Errorf("by itself it is %s\nand with others   %s", found[0][n], found[1][n])
		}
	}
}

func TestWritesOfAWindowHaveOneRevisionAndReadsTravelTogether(t *testing.T) {
	agent := batchingAgent(t)
	var calls []func()
	revisions := make([]int64, 64)
	for n := range revisions {
		calls = append(calls, func() { revisions[n] = set(t, agent, fmt.Sprint("key-", n), n) })
	}
	writes := calls
	for distinct := len(revisions); distinct == len(revisions); {
		together(writes...)
		slices.Sort(revisions)
		distinct = len(slices.Compact(slices.Clone(revisions)))
	}
	calls = nil
	for n := range revisions {
		calls = append(calls, func() {
			if value := get[int](t, agent, fmt.Sprint("key-", n)); value != n {
				t.Errorf("key-%d has %d", n, value)
			}
		})
	}
	together(calls...)
}

func TestMoreCallsThanABatchHasAreSentAsSeveral(t *testing.T) {
	agent, large := batchingAgent(t), strings.Repeat("v", 400_000)
	var sets, gets []func()
	for n := range 1_100 {
		key := fmt.Sprint("key-", n)
		var value any = n
		if n < 6 {
			value = large
		}
		sets = append(sets, func() { set(t, agent, key, value) })
		gets = append(gets, func() {
			if found := get[any](t, agent, key); fmt.Sprint(found) != fmt.Sprint(value) {
				t.Errorf("%s has another value", key)
			}
		})
	}
	together(sets...)
	together(gets...)
}

func TestANearCacheHasEachWriteThatWasBatched(t *testing.T) {
	agent := liveClient(t, memoryd.WithBatching(0)).Agent("go-" + rand.Text())
	set(t, agent, "first", 0)
	cache := must[*memoryd.NearCache](t)(agent.NearCache(t.Context()))
	defer cache.Close()
	var calls []func()
	for n := range 16 {
		calls = append(calls, func() {
			key := fmt.Sprint("key-", n)
			for turn := range 20 {
				set(t, agent, key, turn)
				if value, _, err := memoryd.NearGet[int](t.Context(), cache, key); err != nil || value != turn {
					t.Errorf("it is %d, %v", value, err)
				}
			}
		})
	}
	together(calls...)
}

func TestAWatchReportsTheWritesOfABatchAsThoseOfOneCommit(t *testing.T) {
	agent := batchingAgent(t)
	watch := must[*memoryd.Watch](t)(agent.Watch(t.Context(), memoryd.OfKinds(memorydv1.RecordKind_RECORD_KIND_ENTRY)))
	defer watch.Close()
	for isOneCommit := false; !isOneCommit; {
		var a, b int64
		together(func() { a = set(t, agent, "a", 1) }, func() { b = set(t, agent, "b", 1) })
		events := entryEvents(t, watch, 2)
		revisions := []int64{events[0].GetRevision(), events[1].GetRevision()}
		if !slices.Equal(revisions, []int64{min(a, b), max(a, b)}) {
			t.Fatalf("they have the revisions %v, and the calls %d and %d", revisions, a, b)
		}
		isOneCommit = a == b
	}
}
