package memoryd

import (
	"context"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Agent is one agent: the root of its working memory, and the parent of its scopes. An agent begins with its first
// change.
type Agent struct {
	workingMemory
}

// End removes the agent with all of its records and scopes. The error is ErrAgentNotFound when it is not there.
func (a *Agent) End(ctx context.Context, options ...ChangeOption) (*memorydv1.EndAgentResponse, error) {
	return a.client.agents.EndAgent(ctx, &memorydv1.EndAgentRequest{
		AgentId:      a.agentID,
		Precondition: preconditionOf(options),
	})
}
