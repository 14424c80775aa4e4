package memorydtest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	startMax     = 60 * time.Second
	stopMax      = 30 * time.Second
	lineBytesMax = 1 << 20
)

// startProcess runs a daemon until the end of the test, and returns its address.
func startProcess(t testing.TB, command string, arguments []string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	reader, writer := io.Pipe()
	process := exec.CommandContext(ctx, command, arguments...)
	process.Env = environment()
	process.Stderr = writer
	process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
	process.WaitDelay = stopMax
	if err := process.Start(); err != nil {
		t.Fatalf("%s cannot be run: %v: install memoryd-server, or set %s", command, err, commandVariable)
	}
	go func() {
		// How it ended is in its log.
		_ = process.Wait()
		writer.Close()
	}()
	serving, log := make(chan string, 1), make(chan string, 1)
	go readLog(reader, serving, log)
	t.Cleanup(func() {
		stop()
		if written := <-log; t.Failed() {
			t.Logf("the daemon logged:\n%s", written)
		}
	})
	select {
	case address := <-serving:
		if address == "" {
			t.Fatal("the daemon ended")
		}
		return address
	case <-time.After(startMax):
		t.Fatal("the daemon did not start in time")
	}
	return ""
}

// readLog reads a log to its end: a daemon whose pipe is full would stop. It sends the address that the daemon serves,
// empty if there is none, and at the end the whole log.
func readLog(reader io.Reader, serving, log chan<- string) {
	var written strings.Builder
	isServing := false
	lines := bufio.NewScanner(reader)
	lines.Buffer(nil, lineBytesMax)
	for lines.Scan() {
		written.Write(lines.Bytes())
		written.WriteByte('\n')
		if address := addressOf(lines.Bytes()); address != "" && !isServing {
			isServing = true
			serving <- address
		}
	}
	if !isServing {
		serving <- ""
	}
	log <- written.String()
}

// addressOf returns the address that the daemon serves if a line of its log says so, else an empty text.
func addressOf(line []byte) string {
	var record struct{ Message, Listen string }
	if err := json.Unmarshal(line, &record); err != nil || record.Message != "serving" {
		return ""
	}
	return record.Listen
}

// environment returns this process's environment without the settings of memoryd.
func environment() []string {
	var kept []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "MEMORYD_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
