package memoryd_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

const waitMax = 60 * time.Second

// ownDaemon is a daemon for one test, which may kill it and start it again on the same data and port.
type ownDaemon struct {
	t       *testing.T
	command string
	address string
	folder  string
	process *exec.Cmd
}

// startDaemon starts a daemon by the command in MEMORYD_TEST_COMMAND, else by "memoryd". Without one the test is skipped,
// or fails in CI.
func startDaemon(t *testing.T) *ownDaemon {
	t.Helper()
	command := os.Getenv("MEMORYD_TEST_COMMAND")
	if command == "" {
		command = "memoryd"
	}
	command, err := exec.LookPath(command)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("this test starts a daemon of its own: %v", err)
	}
	daemon := &ownDaemon{t: t, command: command, address: freeAddress(t), folder: t.TempDir()}
	daemon.start()
	t.Cleanup(daemon.kill)
	return daemon
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	defer listener.Close()
	return listener.Addr().String()
}

// start starts the daemon and waits until it accepts connections.
func (d *ownDaemon) start() {
	d.t.Helper()
	log := must[*os.File](d.t)(os.OpenFile(filepath.Join(d.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))
	defer log.Close()
	d.process = exec.Command(d.command, "serve", "--listen", d.address, "--data-dir", d.dataDir(), "--embedder", "none")
	d.process.Stdout, d.process.Stderr = log, log
	if err := d.process.Start(); err != nil {
		d.t.Fatal(err)
	}
	until(d.t, "the daemon listens", func() bool {
		connection, err := net.Dial("tcp", d.address)
		if err == nil {
			connection.Close()
		}
		return err == nil
	})
}

func (d *ownDaemon) dataDir() string { return filepath.Join(d.folder, "data") }

// kill ends the daemon without any warning.
func (d *ownDaemon) kill() {
	if d.process != nil {
		d.process.Process.Kill()
		d.process.Wait()
		d.process = nil
	}
}

func (d *ownDaemon) connect(options ...memoryd.Option) *memoryd.Client {
	d.t.Helper()
	client := must[*memoryd.Client](d.t)(memoryd.NewClient(d.address, options...))
	d.t.Cleanup(func() { client.Close() })
	return client
}

// patient are the options of a client that waits for a daemon that was killed.
func patient() []memoryd.Option {
	return []memoryd.Option{memoryd.WithTimeout(waitMax), memoryd.WithConnectTimeout(waitMax)}
}

// until waits until a condition holds, and fails the test if it takes too long.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begin := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(begin) > waitMax {
			t.Fatalf("it does not happen that %s", what)
		}
	}
}
