// Package memorydtest runs a real daemon for the tests of programs that use memoryd.
//
//	func TestTheAssistantRemembersAMood(t *testing.T) {
//		agent := memorydtest.Start(t).NewAgent(t)
//		if _, err := agent.Set(t.Context(), "mood", "curious"); err != nil {
//			t.Fatal(err)
//		}
//	}
package memorydtest

import (
	"cmp"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const (
	addressVariable = "MEMORYD_TEST_ADDRESS"
	commandVariable = "MEMORYD_TEST_COMMAND"
)

// Daemon is a running daemon.
type Daemon struct {
	address  string
	isShared bool
}

// Start starts a daemon, which lasts as long as the test and its subtests. The flags are further ones of `memoryd serve`.
// It fails the test if the daemon does not start, and prints what the daemon logged if the test fails.
//
// The daemon is the command that MEMORYD_TEST_COMMAND names, else `memoryd` in PATH. It keeps nothing, listens on a free
// port of this machine, and takes no settings from the environment. If MEMORYD_TEST_ADDRESS is set, no daemon is started:
// the one at that address is used, and the flags are ignored.
func Start(t testing.TB, flags ...string) *Daemon {
	t.Helper()
	if address := os.Getenv(addressVariable); address != "" {
		return &Daemon{address: address, isShared: true}
	}
	arguments := []string{
		"serve", "--listen", "127.0.0.1:0", "--durability", "memory",
		"--log-level", "info", "--log-format", "json", "--data-dir", filepath.Join(t.TempDir(), "data"),
	}
	command := cmp.Or(os.Getenv(commandVariable), "memoryd")
	return &Daemon{address: startProcess(t, command, append(arguments, flags...))}
}

// Address returns the address of the daemon, as [memoryd.NewClient] takes it.
func (d *Daemon) Address() string {
	return d.address
}

// NewClient returns a client of the daemon, which is closed at the end of the test.
func (d *Daemon) NewClient(t testing.TB, options ...memoryd.Option) *memoryd.Client {
	t.Helper()
	client, err := memoryd.NewClient(d.address, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// NewAgent returns an agent that no other test uses, of a client of its own. In the daemon at MEMORYD_TEST_ADDRESS, it is
// erased at the end of the test.
func (d *Daemon) NewAgent(t testing.TB, options ...memoryd.Option) *memoryd.Agent {
	t.Helper()
	client, agentID := d.NewClient(t, options...), "test-"+rand.Text()
	if d.isShared {
		t.Cleanup(func() {
			// The context of the test has ended by now.
			request := &memorydv1.EndAgentRequest{AgentId: agentID, Erase: true}
			if _, err := client.Agents().EndAgent(context.Background(), request); err != nil {
				t.Logf("agent %s is left: %v", agentID, err)
			}
		})
	}
	return client.Agent(agentID)
}
