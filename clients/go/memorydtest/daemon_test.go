package memorydtest_test

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
	"github.com/memoryd/memoryd/clients/go/memorydtest"
)

// startDaemon starts a daemon. Without the command the test is skipped, or fails in CI.
func startDaemon(t *testing.T, flags ...string) *memorydtest.Daemon {
	t.Helper()
	t.Setenv("MEMORYD_TEST_ADDRESS", "")
	command := cmp.Or(os.Getenv("MEMORYD_TEST_COMMAND"), "memoryd")
	if _, err := exec.LookPath(command); err != nil && os.Getenv("CI") != "true" {
		t.Skip("there is no memoryd in PATH, and MEMORYD_TEST_COMMAND is not set")
	}
	return memorydtest.Start(t, flags...)
}

func TestEachTestHasAnAgentOfItsOwn(t *testing.T) {
	// A setting of the environment, which the daemon does not take.
	t.Setenv("MEMORYD_LIMIT_ENTRY_BYTES", "1")
	daemon := startDaemon(t, "--embedder", "none")
	first, second := daemon.NewAgent(t), daemon.NewAgent(t)
	if _, err := first.Set(t.Context(), "mood", "curious"); err != nil {
		t.Fatal(err)
	}
	if _, found, err := memoryd.Get[string](t.Context(), second, "mood"); err != nil || found {
		t.Errorf("the other agent has it, too: %v", err)
	}
}

func TestADaemonIsGivenFurtherFlags(t *testing.T) {
	agent := startDaemon(t, "--embedder", "none", "--limit-entry-bytes", "100").NewAgent(t)
	if _, err := agent.Set(t.Context(), "k", strings.Repeat("x", 200)); !errors.Is(err, memoryd.ErrTooLarge) {
		t.Errorf("it is %v", err)
	}
}

func TestADaemonEndsWithItsTest(t *testing.T) {
	var address string
	t.Run("its test", func(t *testing.T) { address = startDaemon(t, "--embedder", "none").Address() })
	if address == "" {
		t.SkipNow()
	}
	client, err := memoryd.NewClient(address, memoryd.WithConnectTimeout(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Agent("a").Set(t.Context(), "k", 1); !errors.Is(err, memoryd.ErrUnavailable) {
		t.Errorf("it is %v", err)
	}
}

func TestAnAgentIsErasedFromADaemonOfOthers(t *testing.T) {
	owned := startDaemon(t, "--embedder", "none")
	client := owned.NewClient(t)
	t.Run("its test", func(t *testing.T) {
		t.Setenv("MEMORYD_TEST_ADDRESS", owned.Address())
		if _, err := memorydtest.Start(t).NewAgent(t).Set(t.Context(), "k", 1); err != nil {
			t.Fatal(err)
		}
		if count := agentCount(t, client); count != 1 {
			t.Errorf("there are %d agents", count)
		}
	})
	if count := agentCount(t, client); count != 0 {
		t.Errorf("%d agents are left", count)
	}
}

func agentCount(t *testing.T, client *memoryd.Client) int {
	t.Helper()
	response, err := client.Agents().ListAgents(t.Context(), &memorydv1.ListAgentsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return len(response.GetAgents())
}
