// Conformance plays scenarios over the wrappers and the generated stubs, and drives the client, for the conformance tests of all
// languages: see tests/clients/conformance/README.md.
package main

import (
	"fmt"
	"os"
)

const usage = "usage: conformance scenarios ADDRESS FILE… | conformance drive"

func main() {
	arguments := os.Args[1:]
	switch {
	case len(arguments) >= 2 && arguments[0] == "scenarios":
		if !playAll(arguments[1], arguments[2:], os.Stdout) {
			os.Exit(1)
		}
	case len(arguments) == 1 && arguments[0] == "drive":
		if err := drive(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
}
