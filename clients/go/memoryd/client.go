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
	entities      memorydv1.EntityServiceClient
	plans         memorydv1.PlanServiceClient
	documents     memorydv1.DocumentServiceClient
	agents        memorydv1.AgentServiceClient
	events        memorydv1.EventServiceClient
	snapshots     memorydv1.SnapshotServiceClient
	server        memorydv1.ServerServiceClient
}

// NewClient returns a client of the daemon at target, HOST:PORT or unix:/path. Empty means MEMORYD_ADDRESS, else
// 127.0.0.1:7600. It asks nothing of the daemon: the first call does.
//
// The error is ErrInvalidTarget when the target or the TLS files cannot be used.
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
	return &Client{
		conn:          conn,
		caller:        caller,
		workingMemory: memorydv1.NewWorkingMemoryServiceClient(conn),
		fragments:     memorydv1.NewFragmentServiceClient(conn),
		longTerm:      memorydv1.NewLongTermMemoryServiceClient(conn),
		notes:         memorydv1.NewNoteServiceClient(conn),
		contexts:      memorydv1.NewContextServiceClient(conn),
		entities:      memorydv1.NewEntityServiceClient(conn),
		plans:         memorydv1.NewPlanServiceClient(conn),
		documents:     memorydv1.NewDocumentServiceClient(conn),
		agents:        memorydv1.NewAgentServiceClient(conn),
		events:        memorydv1.NewEventServiceClient(conn),
		snapshots:     memorydv1.NewSnapshotServiceClient(conn),
		server:        memorydv1.NewServerServiceClient(conn),
	}, nil
}

// Close ends the connection with all calls and watches on it: they fail with ErrCancelled, as later ones do.
func (c *Client) Close() error {
	c.caller.close()
	return c.conn.Close()
}

// Target is the daemon's address.
func (c *Client) Target() string {
	return c.caller.target
}

// Agent returns the agent with this id. It does not call the daemon.
func (c *Client) Agent(agentID string) *Agent {
	return &Agent{workingMemory{client: c, agentID: agentID}}
}

// WorkingMemory is the stub of entries and scopes.
func (c *Client) WorkingMemory() memorydv1.WorkingMemoryServiceClient {
	return c.workingMemory
}

// Fragments is the stub of the buffer of fragments.
func (c *Client) Fragments() memorydv1.FragmentServiceClient {
	return c.fragments
}

// LongTermMemory is the stub of what an agent is to remember for good.
func (c *Client) LongTermMemory() memorydv1.LongTermMemoryServiceClient {
	return c.longTerm
}

// Notes is the stub of titled, editable memories that are put into prompts.
func (c *Client) Notes() memorydv1.NoteServiceClient {
	return c.notes
}

// Contexts is the stub of conversations, and of what they take of a model's context window.
func (c *Client) Contexts() memorydv1.ContextServiceClient {
	return c.contexts
}

// Entities is the stub of what an agent's tools touched last, session by session.
func (c *Client) Entities() memorydv1.EntityServiceClient {
	return c.entities
}

// Plans is the stub of the goals of conversations, and their ordered steps.
func (c *Client) Plans() memorydv1.PlanServiceClient {
	return c.plans
}

// Documents is the stub of source text that is told to a model whole, or found in chunks. UploadDocument is a stream: it
// is tried once, and has no timeout but its context's.
func (c *Client) Documents() memorydv1.DocumentServiceClient {
	return c.documents
}

// Agents is the stub of agents as a whole.
func (c *Client) Agents() memorydv1.AgentServiceClient {
	return c.agents
}

// Events is the stub of past events; [Client.Watch] tells them as they happen.
func (c *Client) Events() memorydv1.EventServiceClient {
	return c.events
}

// Snapshots is the stub of snapshots. Its changes carry no request id and are tried once. They may take longer than the
// client's timeout: give them a context with a deadline.
func (c *Client) Snapshots() memorydv1.SnapshotServiceClient {
	return c.snapshots
}

// Server is the stub that tells what the daemon is.
func (c *Client) Server() memorydv1.ServerServiceClient {
	return c.server
}
