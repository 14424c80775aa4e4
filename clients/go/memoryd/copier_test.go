package memoryd

import (
	"encoding/json"
	"math/big"
	"reflect"
	"testing"
	"time"
)

type copiedPart struct {
	Names []string `json:"names"`
}

type embedded struct{ Kept string }

type copiedValue struct {
	Text   string                `json:"text"`
	When   time.Time             `json:"when"`
	Part   *copiedPart           `json:"part"`
	Parts  map[string]copiedPart `json:"parts"`
	Array  [2][]int              `json:"array"`
	Any    any                   `json:"any"`
	Raw    json.RawMessage       `json:"raw"`
	Nobody *copiedPart           `json:"nobody"`
	embedded
	hidden []int
}

const copiedJSON = `{"text": "a", "when": "2026-01-02T03:04:05Z", "part": {"names": ["b"]}, "parts": {"c": {"names": ["d"]}},
	"array": [[1], [2]], "any": {"list": [1, "e", null]}, "raw": [3], "nobody": null, "Kept": "f"}`

func TestReadersOfAKeptValueReceiveCopiesWithoutAnythingInCommon(t *testing.T) {
	decoded, err := decode[copiedValue](copiedJSON)
	if err != nil {
		t.Fatal(err)
	}
	kept := keepDecoded(&decoded)
	first, isKept := copyOf[copiedValue](kept)
	if !isKept || !reflect.DeepEqual(first, decoded) {
		t.Fatalf("it is %+v, %v", first, isKept)
	}
	first.Part.Names[0] = "changed"
	first.Parts["c"].Names[0] = "changed"
	first.Parts["new"] = copiedPart{}
	first.Array[1][0] = 0
	first.Any.(map[string]any)["list"].([]any)[0] = "changed"
	first.Raw[0] = '{'
	original, _ := decode[copiedValue](copiedJSON)
	if second, _ := copyOf[copiedValue](kept); !reflect.DeepEqual(second, original) {
		t.Errorf("it is %+v", second)
	}
	if _, isKept := copyOf[copiedPart](kept); isKept {
		t.Error("it is another type")
	}
}

type recursive struct {
	Next *recursive `json:"next"`
}

type decodesItself struct{ parts []string }

func (d *decodesItself) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &d.parts) }

func TestValuesWithPartsThatCannotBeCopiedAreNotKept(t *testing.T) {
	if keepDecoded(&recursive{}) != nil || keepDecoded(&decodesItself{}) != nil || keepDecoded(&[]big.Int{{}}) != nil {
		t.Error("they are kept")
	}
}
