package memoryd

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

const defaultTarget = "127.0.0.1:7600"

// targetOf returns the target, else MEMORYD_ADDRESS, else the default. It must be HOST:PORT or unix:/path.
func targetOf(target string) (string, error) {
	chosen := cmp.Or(target, os.Getenv("MEMORYD_ADDRESS"), defaultTarget)
	if path, isSocket := strings.CutPrefix(chosen, "unix:"); isSocket {
		if strings.Trim(path, "/") == "" {
			return "", fmt.Errorf("%w: %q names no socket: use unix:/path", ErrInvalidTarget, chosen)
		}
		return chosen, nil
	}
	if !isHostAndPort(chosen) {
		return "", fmt.Errorf("%w: %q is neither HOST:PORT nor unix:/path", ErrInvalidTarget, chosen)
	}
	return chosen, nil
}

func isHostAndPort(text string) bool {
	colon := strings.LastIndexByte(text, ':')
	if colon < 1 {
		return false
	}
	host := text[:colon]
	// An IPv6 host needs brackets: without them the start of the port is ambiguous.
	bracketed := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")
	if strings.Contains(host, ":") && !bracketed {
		return false
	}
	port, err := strconv.ParseUint(text[colon+1:], 10, 16)
	return err == nil && port > 0
}

// isThisMachine reports whether what is sent to a valid target stays on this machine. A host name other than localhost
// may be that of another machine.
func isThisMachine(target string) bool {
	if strings.HasPrefix(target, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(target)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return strings.EqualFold(host, "localhost")
	}
	return address.IsLoopback()
}
