package main

import (
	"errors"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func listArguments(t *testing.T, text string) ([]reflect.Value, error) {
	t.Helper()
	request := &memorydv1.ListNotesRequest{}
	if err := protojson.Unmarshal([]byte(text), request); err != nil {
		t.Fatal(err)
	}
	return argumentsOf(request.ProtoReflect(), reflect.TypeOf((*memoryd.Notes)(nil).List), wrappers["ListNotes"])
}

func TestTheOptionsOfAWrapperSayARequest(t *testing.T) {
	arguments, err := listArguments(t, `{"filter": {"userIds": ["ada"], "note": {"minImportance": 0.5}},
		"view": "RECORD_VIEW_WITHOUT_CONTENT", "consistency": {"minRevision": 3}}`)
	if err != nil {
		t.Fatal(err)
	}
	expected := &memoryd.ListNotesOptions{
		Selection:      memoryd.Selection{UserIDs: []string{"ada"}},
		NoteCondition:  memoryd.NoteCondition{MinImportance: 0.5},
		Consistency:    memoryd.WithMinRevision(3),
		WithoutContent: true,
	}
	if len(arguments) != 1 || !reflect.DeepEqual(arguments[0].Interface(), expected) {
		t.Errorf("they are %v", arguments)
	}
}

func TestWhatOptionsCannotSayIsLeftToAStub(t *testing.T) {
	for _, text := range []string{
		`{"pageToken": "p"}`,
		`{"filter": {}}`,
		`{"filter": {"note": {}}}`,
		`{"filter": {"memory": {"minConfidence": 0.5}}}`,
		`{"view": "RECORD_VIEW_UNSPECIFIED", "consistency": {}}`,
	} {
		if arguments, err := listArguments(t, text); !errors.Is(err, errUnsayable) {
			t.Errorf("%s: %v, %v", text, arguments, err)
		}
	}
}
