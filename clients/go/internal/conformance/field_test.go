package main

import (
	"testing"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestAFieldThatIsExpectedMustExist(t *testing.T) {
	message := (*memorydv1.ListEntriesResponse)(nil).ProtoReflect().Descriptor()
	for text, known := range map[string]bool{
		`{"entries": [{"key": "a", "metadata": {"any": 1}, "expire_time": "${present}"}], "revision": "1"}`: true,
		`{"entry": "${absent}"}`:              false,
		`{"entries": [{"kee": "${absent}"}]}`: false,
	} {
		expected, err := fromJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := unknownField(expected, message); (err == nil) != known {
			t.Errorf("%s: %v", text, err)
		}
	}
}
