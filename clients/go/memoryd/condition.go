package memoryd

import memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"

// ChangeOption is a condition on a change.
type ChangeOption interface {
	precondition() *memorydv1.Precondition
}

// IfRevision makes a change only when the thing has this revision, else ErrRevisionMismatch. Of Set and Remove the thing
// is the entry in this very place, and 0 means that there is none; of other changes it is the agent. Of several
// conditions the last one counts.
func IfRevision(revision int64) interface {
	SetOption
	ChangeOption
} {
	return ifRevision(revision)
}

// IfAbsent sets a value only when this very place has none under the key, else ErrEntryExists.
func IfAbsent() SetOption { return ifAbsent{} }

type ifRevision int64

func (r ifRevision) precondition() *memorydv1.Precondition {
	return &memorydv1.Precondition{
		Condition: &memorydv1.Precondition_ExpectedRevision{ExpectedRevision: int64(r)},
	}
}

func (r ifRevision) applySet(request *memorydv1.SetEntryRequest) error {
	request.Precondition = r.precondition()
	return nil
}

type ifAbsent struct{}

func (ifAbsent) applySet(request *memorydv1.SetEntryRequest) error {
	request.Precondition = &memorydv1.Precondition{
		Condition: &memorydv1.Precondition_MustNotExist{MustNotExist: true},
	}
	return nil
}

// preconditionOf returns the last of the conditions; nil when there is none.
func preconditionOf(options []ChangeOption) *memorydv1.Precondition {
	if len(options) == 0 {
		return nil
	}
	return options[len(options)-1].precondition()
}
