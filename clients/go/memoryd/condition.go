package memoryd

import memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"

// ChangeOption is an option of a change: a [Condition].
type ChangeOption interface {
	precondition() *memorydv1.Precondition
}

// Condition must hold, or else the change is refused and changes nothing. The last of several conditions applies.
//
// A condition on Set and Remove, also in a batch, is about the own entry of the agent or scope: inherited entries do
// not count. One on CreateScope is about the active scope of this name directly below the same parent. One on Clear,
// Merge, Close and End is about the agent, whose revision is that of its last change. Changes of other kinds of records
// have both among their options: Condition is about the record, AgentCondition about the agent. The zero value is none.
type Condition struct {
	message *memorydv1.Precondition
}

// IfRevision makes a change fail with ErrRevisionMismatch unless its target has this revision; 0 means that the target
// does not exist.
func IfRevision(revision int64) Condition {
	return Condition{&memorydv1.Precondition{
		Condition: &memorydv1.Precondition_ExpectedRevision{ExpectedRevision: revision},
	}}
}

// IfAbsent makes a change fail with ErrRecordExists if its target exists.
func IfAbsent() Condition {
	return Condition{&memorydv1.Precondition{
		Condition: &memorydv1.Precondition_MustNotExist{MustNotExist: true},
	}}
}

// IfPresent makes a change fail with ErrNotFound unless its target exists: with ErrRecordNotFound if the target is an
// entry or a scope, with ErrAgentNotFound if it is the agent.
func IfPresent() Condition {
	return Condition{&memorydv1.Precondition{
		Condition: &memorydv1.Precondition_MustExist{MustExist: true},
	}}
}

func (c Condition) precondition() *memorydv1.Precondition { return c.message }

func (c Condition) applySet(request *memorydv1.SetEntryRequest) error {
	request.Precondition = c.message
	return nil
}

func (c Condition) applyMerge(request *memorydv1.MergeScopeRequest) {
	request.AgentPrecondition = c.message
}

func (c Condition) applyEnd(request *memorydv1.EndAgentRequest) {
	request.AgentPrecondition = c.message
}

func (c Condition) applyScope(request *memorydv1.CreateScopeRequest) {
	request.Precondition = c.message
}

// preconditionOf returns the last of the conditions, or nil if there is none.
func preconditionOf(options []ChangeOption) *memorydv1.Precondition {
	if len(options) == 0 {
		return nil
	}
	return options[len(options)-1].precondition()
}
