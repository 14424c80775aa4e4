package memoryd

import (
	"context"
	"iter"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const pageSize = 1_000

// Entries iterates over the own entries of the agent or scope, all at one revision, page by page: in the order of their
// keys, unless [OrderedBy] is given. An error ends the iteration; it is ErrPageTokenExpired if the reader takes too long,
// and ErrInvalidArgument if options exclude each other.
func (m *workingMemory) Entries(ctx context.Context, options ...ListOption) iter.Seq2[*memorydv1.Entry, error] {
	return func(yield func(*memorydv1.Entry, error) bool) {
		request := &memorydv1.ListEntriesRequest{AgentId: m.agentID, ScopeId: m.scopeID, PageSize: pageSize}
		asked := &listing{request: request}
		for _, option := range options {
			option.applyList(asked)
		}
		if asked.err != nil {
			yield(nil, asked.err)
			return
		}
		for {
			page, err := m.client.workingMemory.ListEntries(ctx, request)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, entry := range page.GetEntries() {
				if !yield(entry, nil) {
					return
				}
			}
			if page.GetNextPageToken() == "" {
				return
			}
			request.PageToken = page.GetNextPageToken()
		}
	}
}
