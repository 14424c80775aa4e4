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
// several calls, such as [Update], [GetOrSet] and [Watch], and a [NearCache] for reads without a call. An [Agent] has
// its entries, and its records of all other kinds, such as [Agent.Notes] and [Agent.Memories]. Results are messages of
// package memorydv1. Everything else is called on the stubs that [Client] returns; their calls have the same timeout,
// retries and errors.
//
// The methods of the kinds take a pointer to their options, nil for none. A field that is zero or nil is not given. Where
// a zero value differs from none the field is a pointer, which [Ptr] returns. JSON values are those of encoding/json: the
// error is ErrUnsupportedValue if JSON cannot represent one, and null, where nil is no value, is json.RawMessage("null").
// The error is ErrInvalidArgument, before any call, if fields exclude each other, and if a list of alternatives is not nil
// but empty, since that would select all.
//
// The changes of an update are the fields that are not nil: an empty list or map that is not nil removes what was there,
// and so does a pointer to a zero time, duration or struct.
//
// Every call takes a context. A call whose context has no deadline ends after the client's timeout (see [WithTimeout]).
package memoryd
