// Package memoryd is the client of memoryd, the memory daemon for AI agents. What an agent stores is durable, shared
// with other processes, and can be watched live.
//
//	client, err := memoryd.NewClient("")
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	agent := client.Agent("assistant-1")
//	if _, err := agent.Set(ctx, "mood", "curious"); err != nil {
//		return err
//	}
//	mood, found, err := memoryd.Get[string](ctx, agent, "mood")
//
// The package adds retries, request ids, typed errors and Go values to the generated stubs, and operations that take
// several calls, such as [Update], [GetOrSet] and [Watch]. Messages are those of package memorydv1. Everything else is
// called on the stubs that [Client] returns; their calls have the same timeout, retries and errors.
//
// Every call takes a context. A call whose context has no deadline ends after the client's timeout (see [WithTimeout]).
package memoryd
