package memoryd

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

func TestAnAddressIsAHostAndAPortOrASocket(t *testing.T) {
	for _, target := range []string{"127.0.0.1:7600", "localhost:1", "[::1]:65535", "unix:/run/memoryd.sock", "unix:///run/m"} {
		if found, err := targetOf(target); err != nil || found != target {
			t.Errorf("%q is %q, %v", target, found, err)
		}
	}
}

func TestAnyOtherTextIsAnInvalidTarget(t *testing.T) {
	for _, target := range []string{
		"localhost", ":7600", "localhost:", "localhost:0", "localhost:65536", "localhost:http", "localhost:+1",
		"::1:7600", "http://localhost:7600", "unix:", "unix://",
	} {
		if found, err := targetOf(target); !errors.Is(err, ErrInvalidTarget) {
			t.Errorf("%q is %q, %v", target, found, err)
		}
		if _, err := NewClient(target); !errors.Is(err, ErrInvalidTarget) {
			t.Errorf("a client of %q: %v", target, err)
		}
	}
}

func TestATokenIsSentToAnotherMachineOnlyByTLSOrOnRequest(t *testing.T) {
	byGRPC := WithDialOptions(grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})))
	for _, target := range []string{"memory.example:1", "10.0.0.1:1", "[::2]:1", "127.0.0.1.example:1", "0.0.0.0:1"} {
		_, err := NewClient(target, WithToken("secret"))
		if !errors.Is(err, ErrInvalidTarget) || !strings.Contains(err.Error(), target+" in the clear: use TLS, or allow") {
			t.Errorf("%q: %v", target, err)
		}
		for _, option := range []Option{WithTLS(TLS{}), byGRPC, WithInsecureToken()} {
			connectTo(t, target, WithToken("secret"), option)
		}
		connectTo(t, target)
	}
}

func TestATokenMayBeSentWithinThisMachine(t *testing.T) {
	for _, target := range []string{
		"127.0.0.1:1", "127.8.8.8:1", "localhost:1", "LOCALHOST:1", "[::1]:1", "unix:/run/m.sock",
	} {
		connectTo(t, target, WithToken("secret"))
	}
}

func connectTo(t *testing.T, target string, options ...Option) {
	t.Helper()
	client, err := NewClient(target, options...)
	if err != nil {
		t.Fatalf("%q: %v", target, err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTheEnvironmentProvidesDefaults(t *testing.T) {
	t.Setenv("MEMORYD_ADDRESS", "elsewhere:1")
	t.Setenv("MEMORYD_TOKEN", "of the environment")
	if found, _ := targetOf(""); found != "elsewhere:1" {
		t.Errorf("the target is %q", found)
	}
	if found, _ := targetOf("here:2"); found != "here:2" {
		t.Errorf("the target is %q", found)
	}
	chosen, _ := settingsOf(nil)
	if chosen.headers()["authorization"] != "Bearer of the environment" {
		t.Errorf("the headers are %v", chosen.headers())
	}
	chosen, _ = settingsOf([]Option{WithToken("of the program")})
	if chosen.headers()["authorization"] != "Bearer of the program" {
		t.Errorf("the headers are %v", chosen.headers())
	}
}

func TestTheDefaultTargetIsTheLocalHost(t *testing.T) {
	t.Setenv("MEMORYD_ADDRESS", "")
	t.Setenv("MEMORYD_TOKEN", "")
	if found, _ := targetOf(""); found != "127.0.0.1:7600" {
		t.Errorf("the target is %q", found)
	}
	if chosen, _ := settingsOf(nil); len(chosen.headers()) != 0 {
		t.Errorf("the headers are %v", chosen.headers())
	}
}
