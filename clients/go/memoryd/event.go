package memoryd

import (
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// ValueAfter decodes the value of an entry after a change, as [Decode] does, and reports whether there is one. There is
// none if the change removed the entry, or if the watch is [WithoutContent].
//
// The error is ErrWrongType if the value does not fit T.
func ValueAfter[T any](event *memorydv1.EntryEvent) (T, bool, error) {
	return valueOf[T](event.GetEntry())
}

// ValueBefore decodes the value of an entry before a change, as [Decode] does, and reports whether there is one. There
// is none if the change created the entry, unless the watch is [WithPrevious], and if the journal no longer retains it.
//
// The error is ErrWrongType if the value does not fit T.
func ValueBefore[T any](event *memorydv1.EntryEvent) (T, bool, error) {
	return valueOf[T](event.GetPrevious())
}

func valueOf[T any](entry *memorydv1.Entry) (value T, found bool, err error) {
	if entry.GetValueJson() == "" { // no value is empty JSON text
		return value, false, nil
	}
	value, err = Decode[T](entry)
	return value, err == nil, err
}

// CountsByKind returns numbers of records by kind, such as those that [Agent.End] has removed. Kinds without records are
// absent, so that their number is 0.
func CountsByKind(counts []*memorydv1.RecordCount) map[memorydv1.RecordKind]int64 {
	byKind := make(map[memorydv1.RecordKind]int64, len(counts))
	for _, count := range counts {
		byKind[count.GetKind()] = count.GetCount()
	}
	return byKind
}
