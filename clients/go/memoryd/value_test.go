package memoryd

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestRawJSONIsUnchanged(t *testing.T) {
	text := "  {\"b\": 1.50, \"a\":\"\\u0041<\"}\n"
	encoded, err := encode(json.RawMessage(text))
	if err != nil || encoded != text {
		t.Errorf("it is encoded as %q, %v", encoded, err)
	}
	decoded, err := decode[json.RawMessage](text)
	if err != nil || string(decoded) != text {
		t.Errorf("it is decoded as %q, %v", decoded, err)
	}
}

func TestAValueIsCompactAndKeepsItsCharacters(t *testing.T) {
	encoded, err := encode(map[string]any{"a": "<é&🧠>", "b": []int{1, 2}})
	if expected := `{"a":"<é&🧠>","b":[1,2]}`; err != nil || encoded != expected {
		t.Errorf("it is %s, %v", encoded, err)
	}
}

func TestAValueThatJSONCannotRepresentIsUnsupported(t *testing.T) {
	for _, value := range []any{math.NaN(), math.Inf(1), make(chan int), func() {}, json.RawMessage("\"\xff\"")} {
		if encoded, err := encode(value); !errors.Is(err, ErrUnsupportedValue) {
			t.Errorf("%T is %q, %v", value, encoded, err)
		}
	}
	var unsupported *json.UnsupportedTypeError
	if _, err := encode(make(chan int)); !errors.As(err, &unsupported) {
		t.Errorf("the cause is lost in %v", err)
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	const text = `[9223372036854775807,18446744073709551615,0.1,1e2]`
	value, err := decode[any](text)
	if err != nil {
		t.Fatal(err)
	}
	if encoded, err := encode(value); err != nil || encoded != text {
		t.Errorf("they are %s, %v", encoded, err)
	}
	most, err := decode[int64]("9223372036854775807")
	if err != nil || most != math.MaxInt64 {
		t.Errorf("the largest is %d, %v", most, err)
	}
}

func TestAValueIsDecodedAsTheRequestedType(t *testing.T) {
	type place struct {
		City string `json:"city"`
	}
	entry := &memorydv1.Entry{Key: "where", ValueJson: `{"city":"Turin","since":2020}`}
	if value, err := Decode[place](entry); err != nil || value != (place{"Turin"}) {
		t.Errorf("it is %v, %v", value, err)
	}
	if value, err := Decode[map[string]any](entry); err != nil || !reflect.DeepEqual(value["since"], json.Number("2020")) {
		t.Errorf("it is %v, %v", value, err)
	}
}

func TestAValueOfAnotherTypeIsAnErrWrongType(t *testing.T) {
	_, err := Decode[int](&memorydv1.Entry{Key: "mood", ValueJson: `"curious"`})
	var mismatch *json.UnmarshalTypeError
	if !errors.Is(err, ErrWrongType) || !errors.As(err, &mismatch) || mismatch.Value != "string" {
		t.Errorf("it is %v", err)
	}
	if _, err := Decode[int8](&memorydv1.Entry{ValueJson: "300"}); !errors.Is(err, ErrWrongType) {
		t.Errorf("300 in 8 bits is %v", err)
	}
	if _, err := Decode[any](&memorydv1.Entry{}); !errors.Is(err, ErrWrongType) {
		t.Errorf("an entry without its value is %v", err)
	}
}
