// Package memoryd is the client of memoryd, a daemon that keeps what an AI agent knows right now: durable, shared with
// other processes, and watched live.
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
// The package adds to the generated stubs what a stub cannot have: attempts and request ids, errors that can be told
// apart, Go's values, and flows of many calls such as [Update], [GetOrSet] and [Watch]. Messages stay those of package
// memorydv1, and everything else is called on the stubs that [Client] hands out; their calls have the same timeout,
// attempts and errors.
//
// Every call takes a context. A call whose context has no deadline ends after the client's timeout (see [WithTimeout]).
package memoryd
