package memoryd

import (
	"context"
	"iter"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Entries iterates over the own entries of the agent or scope, all at one revision, page by page: in the order of their
// keys, unless [OrderedBy] is given. An error ends the iteration; it is ErrPageTokenExpired if the reader takes too long,
// and ErrInvalidArgument if options exclude each other.
func (m *workingMemory) Entries(ctx context.Context, options ...ListOption) iter.Seq2[*memorydv1.Entry, error] {
	entries := (*memorydv1.ListEntriesResponse).GetEntries
	return pages(ctx, m.client.workingMemory.ListEntries, entries, func() (*memorydv1.ListEntriesRequest, error) {
		request := &memorydv1.ListEntriesRequest{AgentId: m.agentID, ScopeId: m.scopeID}
		asked := &listing{request: request}
		for _, option := range options {
			option.applyList(asked)
		}
		request.Filter = aboutUser(request.Filter, m.userID)
		return request, asked.err
	})
}
