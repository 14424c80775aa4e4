package memoryd

import memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"

// ChangeOption is a condition on a change.
type ChangeOption interface {
	precondition() *memorydv1.Precondition
}

// IfRevision makes a change fail with ErrRevisionMismatch unless its target has this revision. The target of Set and
// Remove is the own entry of the agent or scope, where 0 means that there is none; the target of other changes is the
// agent. The last of several conditions applies.
func IfRevision(revision int64) interface {
	SetOption
	ChangeOption
} {
	return ifRevision(revision)
}

// IfAbsent makes Set fail with ErrEntryExists if the agent or scope itself has an entry under the key.
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

// preconditionOf returns the last of the conditions, or nil if there is none.
func preconditionOf(options []ChangeOption) *memorydv1.Precondition {
	if len(options) == 0 {
		return nil
	}
	return options[len(options)-1].precondition()
}
