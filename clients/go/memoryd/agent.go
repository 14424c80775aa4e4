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
func (a *Agent) End(ctx context.Context, options ...ChangeOption) (*memorydv1.EndAgentResponse, error) {
	return a.client.agents.EndAgent(ctx, &memorydv1.EndAgentRequest{
		AgentId:           a.agentID,
		AgentPrecondition: preconditionOf(options),
	})
}
