package memoryd

import (
	"context"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Agent is the root scope of an agent's working memory, and the parent of its scopes. The first change creates the
// agent.
type Agent struct {
	workingMemory
}

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
