package memoryd

import (
	"context"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Agent is all that an agent remembers: its entries, which are those of its root scope, and its records of the other
// kinds. The first change creates the agent.
type Agent struct {
	workingMemory
}

// User returns the same agent with a bound user. What it writes is about this user, and what it lists, recalls,
// searches, composes and watches is this user's alone, unless a call names other users. Reads by id and key are the
// same, and so are the listings of a conversation's messages and of a memory's links. An empty id binds none, and an
// agent that is bound again is the last user's alone.
//
// A conversation that [Conversations.Append] creates is of no user: create one of the user with [Conversations.Create].
func (a *Agent) User(userID string) *Agent {
	bound := *a
	bound.userID = userID
	return &bound
}

// Conversations returns the messages between the agent and others.
func (a *Agent) Conversations() *Conversations { return &Conversations{a} }

// Documents returns the agent's documents: source texts for prompts, whole or in chunks that a search finds.
func (a *Agent) Documents() *Documents { return &Documents{a} }

// Entities returns the entities that the agent's tools touched last, in each conversation.
func (a *Agent) Entities() *Entities { return &Entities{a} }

// Fragments returns incoming texts that are not consolidated yet.
func (a *Agent) Fragments() *Fragments { return &Fragments{a} }

// Memories returns the agent's long-term memories.
func (a *Agent) Memories() *Memories { return &Memories{a} }

// Notes returns the agent's notes: titled, editable texts for prompts.
func (a *Agent) Notes() *Notes { return &Notes{a} }

// Plans returns the agent's plans: goals in conversations, with the ordered steps to them.
func (a *Agent) Plans() *Plans { return &Plans{a} }

// End removes the agent with all of its records and scopes. An agent that does not exist is not an error, unless a
// condition says so: with [IfPresent], which fails with ErrAgentNotFound.
func (a *Agent) End(ctx context.Context, options ...EndOption) (*memorydv1.EndAgentResponse, error) {
	request := &memorydv1.EndAgentRequest{AgentId: a.agentID}
	for _, option := range options {
		option.applyEnd(request)
	}
	return a.client.agents.EndAgent(ctx, request)
}

// EndOption is an option of [Agent.End]: [WithSnapshot] or a [Condition].
type EndOption interface {
	applyEnd(*memorydv1.EndAgentRequest)
}

// WithSnapshot takes a last snapshot of the agent before it ends, for which the timeout must be long enough. If the
// snapshot fails, the agent stays.
func WithSnapshot() EndOption { return withSnapshot{} }

type withSnapshot struct{}

func (withSnapshot) applyEnd(request *memorydv1.EndAgentRequest) { request.CreateSnapshot = true }
