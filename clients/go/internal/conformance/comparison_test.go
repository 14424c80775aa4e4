package main

import "testing"

func TestAValueMatchesWhenItContainsWhatIsExpected(t *testing.T) {
	for _, pair := range [][2]string{
		{`{}`, `{"other": 1}`},
		{`{"a": {"b": [1, "x", true, null]}}`, `{"a": {"b": [1.0, "x", true, null], "c": 2}}`},
		{`0.5`, `5e-1`},
		{`"${present}"`, `[0]`},
		{`{"a": "${absent}"}`, `{}`},
	} {
		if found := differenceOf(t, pair); found != "" {
			t.Errorf("%s in %s: %s", pair[0], pair[1], found)
		}
	}
}

func TestADifferenceIsReportedWithItsPath(t *testing.T) {
	for _, row := range [][3]string{
		{`{"a": [1, 2]}`, `{"a": [1, 3]}`, `a.1: expected 2, got 3`},
		{`{"a": [1]}`, `{"a": [1, 2]}`, `a: expected 1 items, got [1,2]`},
		{`{"a": []}`, `{}`, `a: expected [], got nothing`},
		{`{"a": "1"}`, `{"a": 1}`, `a: expected "1", got 1`},
		{`{"a": true}`, `{"a": 1}`, `a: expected true, got 1`},
		{`{"a": null}`, `{"a": ""}`, `a: expected null, got ""`},
		{`{"a": null}`, `{}`, `a: expected null, got nothing`},
		{`{"a": "${present}"}`, `{"a": ""}`, `a: expected "${present}", got ""`},
		{`{"a": "${present}"}`, `{"a": 0}`, `a: expected "${present}", got 0`},
		{`{"a": "${present}"}`, `{}`, `a: expected "${present}", got nothing`},
		{`{"a": "${absent}"}`, `{"a": false}`, `a: expected "${absent}", got false`},
		{`{"a": "${absent}"}`, `{"a": null}`, `a: expected "${absent}", got null`},
	} {
		if found := differenceOf(t, [2]string{row[0], row[1]}); found != row[2] {
			t.Errorf("%s in %s: %q", row[0], row[1], found)
		}
	}
}

func differenceOf(t *testing.T, pair [2]string) string {
	t.Helper()
	expected, err := fromJSON(pair[0])
	if err != nil {
		t.Fatal(err)
	}
	actual, err := fromJSON(pair[1])
	if err != nil {
		t.Fatal(err)
	}
	return difference(expected, actual, "")
}
