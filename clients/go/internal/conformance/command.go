package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

func set(ctx context.Context, agent *memoryd.Agent, asked command) (answers, error) {
	stored, err := agent.Set(ctx, asked.Key, json.RawMessage(asked.ValueJSON))
	return answers{"revision": stored.GetRevision()}, err
}

func get(ctx context.Context, agent *memoryd.Agent, asked command) (answers, error) {
	text, found, err := memoryd.Get[json.RawMessage](ctx, agent, asked.Key)
	return answers{"found": found, "value_json": string(text)}, err
}

func setNative(ctx context.Context, agent *memoryd.Agent, asked command) (answers, error) {
	value, err := fromJSON(asked.ValueJSON)
	if err != nil {
		return nil, err
	}
	stored, err := agent.Set(ctx, asked.Key, value)
	return answers{"revision": stored.GetRevision()}, err
}

func getNative(ctx context.Context, agent *memoryd.Agent, asked command) (answers, error) {
	value, found, err := memoryd.Get[any](ctx, agent, asked.Key)
	if err != nil || !found {
		return answers{"found": false, "value_json": ""}, err
	}
	return answers{"found": true, "value_json": toJSON(value)}, nil
}

func update(ctx context.Context, agent *memoryd.Agent, asked command) (answers, error) {
	var last int64
	var err error
	for range asked.Count {
		if asked.Transaction {
			last, err = increment(ctx, agent, asked.Key)
		} else {
			last, err = memoryd.Update(ctx, agent, asked.Key, func(count int64, _ bool) (int64, error) { return count + 1, nil })
		}
		if err != nil {
			return nil, err
		}
	}
	return answers{"last": last}, nil
}

// increment adds 1 to the integer under the key, by a transaction on what was read.
func increment(ctx context.Context, agent *memoryd.Agent, key string) (int64, error) {
	for {
		entry, found, err := agent.GetEntry(ctx, key)
		if err != nil {
			return 0, err
		}
		var count int64
		if found {
			if count, err = memoryd.Decode[int64](entry); err != nil {
				return 0, err
			}
		}
		tx := agent.Transaction()
		tx.Set(key, count+1, memoryd.IfRevision(entry.GetRevision()))
		if _, err = tx.Commit(ctx); !errors.Is(err, memoryd.ErrRevisionMismatch) {
			return count + 1, err
		}
	}
}

func getOrSet(ctx context.Context, agent *memoryd.Agent, asked command) (answers, error) {
	made := false
	factory := func(context.Context) (any, error) {
		made = true
		time.Sleep(seconds(asked.FactoryS))
		if asked.Fail {
			return nil, errors.New("the factory failed")
		}
		return fromJSON(asked.ValueJSON)
	}
	var options []memoryd.GetOrSetOption
	if asked.LeaseS != nil {
		options = append(options, memoryd.WithLease(seconds(*asked.LeaseS)))
	}
	if asked.WaitS != nil {
		options = append(options, memoryd.WithWait(seconds(*asked.WaitS)))
	}
	value, err := memoryd.GetOrSet(ctx, agent, asked.Key, factory, options...)
	if err != nil {
		return nil, err
	}
	return answers{"value_json": toJSON(value), "made": made}, nil
}
