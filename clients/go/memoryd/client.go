package memoryd

import (
	"google.golang.org/grpc"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Client is a connection to one daemon. It is safe for concurrent use.
type Client struct {
	conn   *grpc.ClientConn
	caller *caller

	workingMemory memorydv1.WorkingMemoryServiceClient
	fragments     memorydv1.FragmentServiceClient
	longTerm      memorydv1.LongTermMemoryServiceClient
	notes         memorydv1.NoteServiceClient
	contexts      memorydv1.ContextServiceClient
	conversations memorydv1.ConversationServiceClient
	entities      memorydv1.EntityServiceClient
	plans         memorydv1.PlanServiceClient
	transactions  memorydv1.TransactionServiceClient
	documents     memorydv1.DocumentServiceClient
	agents        memorydv1.AgentServiceClient
	events        memorydv1.EventServiceClient
	snapshots     memorydv1.SnapshotServiceClient
	operations    memorydv1.OperationServiceClient
	server        memorydv1.ServerServiceClient
}

// NewClient returns a client of the daemon at target, which is HOST:PORT or unix:/path. Empty means MEMORYD_ADDRESS,
// else 127.0.0.1:7600. The first call connects it.
//
// The error is ErrInvalidTarget if the target or the TLS files cannot be used, or if a token would be sent to another
// machine without TLS, and ErrInvalidArgument for a window of [WithBatching] that is not allowed.
func NewClient(target string, options ...Option) (*Client, error) {
	target, err := targetOf(target)
	if err != nil {
		return nil, err
	}
	settings, err := settingsOf(options)
	if err != nil {
		return nil, err
	}
	caller := newCaller(target, settings)
	conn, err := dial(target, settings, caller)
	if err != nil {
		return nil, err
	}
	client := &Client{
		conn:          conn,
		caller:        caller,
		workingMemory: memorydv1.NewWorkingMemoryServiceClient(conn),
		fragments:     memorydv1.NewFragmentServiceClient(conn),
		longTerm:      memorydv1.NewLongTermMemoryServiceClient(conn),
		notes:         memorydv1.NewNoteServiceClient(conn),
		contexts:      memorydv1.NewContextServiceClient(conn),
		conversations: memorydv1.NewConversationServiceClient(conn),
		entities:      memorydv1.NewEntityServiceClient(conn),
		plans:         memorydv1.NewPlanServiceClient(conn),
		transactions:  memorydv1.NewTransactionServiceClient(conn),
		documents:     memorydv1.NewDocumentServiceClient(conn),
		agents:        memorydv1.NewAgentServiceClient(conn),
		events:        memorydv1.NewEventServiceClient(conn),
		snapshots:     memorydv1.NewSnapshotServiceClient(conn),
		operations:    memorydv1.NewOperationServiceClient(conn),
		server:        memorydv1.NewServerServiceClient(conn),
	}
	if settings.batchingWindow != nil {
		caller.batcher = &batcher{client: client, window: *settings.batchingWindow, lanes: map[string]*lane{}}
	}
	return client, nil
}

// Close closes the connection. Its calls and watches, and any later ones, fail with ErrCancelled.
func (c *Client) Close() error {
	c.caller.close()
	return c.conn.Close()
}

// Target returns the daemon's address.
func (c *Client) Target() string {
	return c.caller.target
}

// Agent returns the agent with this id. It does not call the daemon.
func (c *Client) Agent(agentID string) *Agent {
	return &Agent{workingMemory{client: c, agentID: agentID}}
}

// WorkingMemory returns the stub for entries and scopes.
func (c *Client) WorkingMemory() memorydv1.WorkingMemoryServiceClient {
	return c.workingMemory
}

// Fragments returns the stub for the buffer of fragments.
func (c *Client) Fragments() memorydv1.FragmentServiceClient {
	return c.fragments
}

// LongTermMemory returns the stub for an agent's long-term memories.
func (c *Client) LongTermMemory() memorydv1.LongTermMemoryServiceClient {
	return c.longTerm
}

// Notes returns the stub for notes: titled, editable texts that go into every prompt.
func (c *Client) Notes() memorydv1.NoteServiceClient {
	return c.notes
}

// Contexts returns the stub for the contexts that are composed for a model, and for numbers of tokens.
func (c *Client) Contexts() memorydv1.ContextServiceClient {
	return c.contexts
}

// Conversations returns the stub for conversations and their messages.
func (c *Client) Conversations() memorydv1.ConversationServiceClient {
	return c.conversations
}

// Entities returns the stub for the entities that an agent's tools touched last in each conversation.
func (c *Client) Entities() memorydv1.EntityServiceClient {
	return c.entities
}

// Plans returns the stub for plans: the goals of conversations and their ordered steps.
func (c *Client) Plans() memorydv1.PlanServiceClient {
	return c.plans
}

// Transactions returns the stub for transactions: several changes of one agent, of all kinds, that are made as one.
func (c *Client) Transactions() memorydv1.TransactionServiceClient {
	return c.transactions
}

// Documents returns the stub for documents: source text that is rendered whole or searched in chunks. UploadDocument is
// a stream: it is never retried, and only its context limits its time.
func (c *Client) Documents() memorydv1.DocumentServiceClient {
	return c.documents
}

// Operations returns the stub for operations: requests that take long, carried out without a call that waits for them.
// WatchOperation is a stream: it is never retried, and only its context limits its time.
func (c *Client) Operations() memorydv1.OperationServiceClient {
	return c.operations
}

// Agents returns the stub for agents as a whole.
func (c *Client) Agents() memorydv1.AgentServiceClient {
	return c.agents
}

// Events returns the stub for past events; [Client.Watch] streams them as they are committed.
func (c *Client) Events() memorydv1.EventServiceClient {
	return c.events
}

// Snapshots returns the stub for snapshots. Its changes may take longer than the client's timeout: give them a context
// with a deadline. ExportSnapshot and ImportSnapshot are streams: they are never retried, and only their contexts limit
// their time.
func (c *Client) Snapshots() memorydv1.SnapshotServiceClient {
	return c.snapshots
}

// Server returns the stub for the daemon's version, limits, backend and durability.
func (c *Client) Server() memorydv1.ServerServiceClient {
	return c.server
}
