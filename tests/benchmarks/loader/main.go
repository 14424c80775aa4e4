// Command loader puts load on a gRPC server with frames of HTTP/2 that it writes itself, so that it costs the machine
// less than the server does. It takes a plan as its only argument, and prints one line of JSON when it is done.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// A plan says what to do: "call", "watch" or "hold". Bodies are requests in the base64 of JSON, without the prefix
// that gRPC puts before a message; connections use them in turn.
type plan struct {
	Do             string   `json:"do"`
	Address        string   `json:"address"`
	Path           string   `json:"path"`
	Bodies         [][]byte `json:"bodies"`
	Connections    int      `json:"connections"`
	Streams        int      `json:"streams"`
	Seconds        float64  `json:"seconds"`
	WarmUpSeconds  float64  `json:"warm_up_s"`
	VariesRequests bool     `json:"varies_requests"`
	Events         int      `json:"events"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "loader:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: loader PLAN")
	}
	var asked plan
	if err := json.Unmarshal([]byte(os.Args[1]), &asked); err != nil {
		return err
	}
	switch asked.Do {
	case "call":
		return report(call(asked))
	case "watch":
		return report(watch(asked))
	case "hold":
		return hold(asked)
	}
	return fmt.Errorf("unknown plan %q", asked.Do)
}

func report[T any](result T, err error) error {
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func seconds(count float64) time.Duration {
	return time.Duration(count * float64(time.Second))
}
