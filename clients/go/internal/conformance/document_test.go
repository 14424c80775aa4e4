package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func fileOf(t *testing.T, steps string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(path, []byte("scenario: A test\nrows: []\nsteps:\n"+steps), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAPlainScalarIsJSONOrElseAString(t *testing.T) {
	document, err := readScenario(fileOf(t, `
  - call: A.B
    request: {a: yes, b: 1_000, c: 12:30:00, d: 0x10, e: 1e2, f: true, g: null, h: , i: "1", j: ~, k: 0.2s}
`))
	if err != nil {
		t.Fatal(err)
	}
	expected := map[string]any{
		"a": "yes", "b": "1_000", "c": "12:30:00", "d": "0x10", "e": json.Number("1e2"), "f": true, "g": nil, "h": "",
		"i": "1", "j": "~", "k": "0.2s",
	}
	if found := document.Steps[0].Request; !reflect.DeepEqual(found, expected) {
		t.Errorf("it is %v", found)
	}
}

func TestAScenarioThatIsNotUnderstoodFails(t *testing.T) {
	for steps, why := range map[string]string{
		"  - call: WorkingMemoryService.Forget":                                    "no method",
		"  - call: NoService.GetEntry":                                             "no service",
		"  - call: SnapshotService.ExportSnapshot":                                 "not unary",
		"  - call: WorkingMemoryService.GetEntry\n    request: {agent: a}":         "unknown field",
		"  - call: WorkingMemoryService.GetEntry\n    request: {key: '${nobody}'}": "no variable nobody",
		"  - call: WorkingMemoryService.GetEntry\n    reqeust: {}":                 "not a step",
		"  - call: WorkingMemoryService.GetEntry\n    watch: w":                    "not a step",
		"  - call: WorkingMemoryService.GetEntry\n    response: null":              "not a step",
		"  - wait: 3":                   "not a step",
		"  - events: w\n    expect: []": "no such watch",
		"  - call: &anchor A.B":         "an anchor",
		"  - call: !!str A.B":           "a tag",
		"  - call: A.B\n    call: A.C":  "", // the library's own message
		"  - {call: A.B":                "",
		"  - repeat: 2\n    steps:\n      - {call: NoService.GetEntry}":                    "step 1, repeat: n 0: step 1, call",
		"  - tasks: 2\n    steps:\n      - {call: WorkingMemoryService.Forget}":            "task 1: step 1, call",
		"  - watch: w\n    request: {filter: []}":                                          "unknown field",
		"  - call: WorkingMemoryService.GetEntry\n    error: {code: '${nobody}'}":          "no variable nobody",
		"  - repeat: twice\n    steps: []":                                                 "",
		"  - call: WorkingMemoryService.GetEntry\n    save: revision":                      "",
		"  - call: WorkingMemoryService.GetEntry\n    request: {local_only: perhaps}":      "",
		"  - call: WorkingMemoryService.GetEntry\n    request: {agent_id: 1}":              "",
		"  - call: WorkingMemoryService.GetEntry\n    request: {agent_id: a, agent_id: b}": "",
	} {
		err := play("127.0.0.1:1", fileOf(t, steps), newTally())
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s\nhas the error %v, which does not contain %q", steps, err, why)
		}
	}
}

func TestAMissingFileFails(t *testing.T) {
	var output strings.Builder
	if playAll("127.0.0.1:1", []string{"nowhere.yaml"}, &output) {
		t.Error("it has passed")
	}
	var verdict verdict
	if err := json.Unmarshal([]byte(output.String()), &verdict); err != nil || verdict.Passed || verdict.Why == "" {
		t.Errorf("the output is %s", output.String())
	}
}
