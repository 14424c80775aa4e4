package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

// command is a line of input. Do determines which of the other fields apply.
type command struct {
	Do    string `json:"do"`
	Agent string `json:"agent"`
	Key   string `json:"key"`
	Name  string `json:"name"`

	Target          string   `json:"target"`
	Token           string   `json:"token"`
	Origin          string   `json:"origin"`
	TimeoutS        *float64 `json:"timeout_s"`
	ConnectTimeoutS *float64 `json:"connect_timeout_s"`
	CAFile          string   `json:"ca_file"`

	ValueJSON string `json:"value_json"`
	Count     int    `json:"count"`
	// Transaction updates by transactions.
	Transaction bool     `json:"transaction"`
	Call        string   `json:"call"`
	Calls       int      `json:"calls"`
	Callers     int      `json:"callers"`
	Batching    bool     `json:"batching"`
	FactoryS    float64  `json:"factory_s"`
	Fail        bool     `json:"fail"`
	LeaseS      *float64 `json:"lease_s"`
	WaitS       *float64 `json:"wait_s"`

	KeyPrefix    string   `json:"key_prefix"`
	InitialState bool     `json:"initial_state"`
	OutageMaxS   *float64 `json:"outage_max_s"`
	ResumeToken  string   `json:"resume_token"`
}

// answers is the reply to a command.
type answers map[string]any

// driver runs commands with a client. It holds the client's watches by name.
type driver struct {
	client  *memoryd.Client
	target  string
	watches map[string]*listener
}

// drive runs the commands of the input and writes their replies, until the input ends.
func drive(in io.Reader, out io.Writer) error {
	driver := &driver{watches: map[string]*listener{}}
	defer driver.close()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		var asked command
		if err := json.Unmarshal(line, &asked); err != nil {
			return fmt.Errorf("not a command: %w", err)
		}
		fmt.Fprintln(out, toJSON(driver.answer(asked)))
	}
}

func (d *driver) answer(asked command) answers {
	result, err := d.carryOut(context.Background(), asked)
	if err != nil {
		return answers{"error": describe(err)}
	}
	return answers{"result": result}
}

func (d *driver) carryOut(ctx context.Context, asked command) (answers, error) {
	if asked.Do == "connect" {
		return d.connect(asked)
	}
	if d.client == nil {
		return nil, errors.New("connect first")
	}
	agent := d.client.Agent(asked.Agent)
	switch asked.Do {
	case "set":
		return set(ctx, agent, asked)
	case "get":
		return get(ctx, agent, asked)
	case "set_native":
		return setNative(ctx, agent, asked)
	case "get_native":
		return getNative(ctx, agent, asked)
	case "update":
		return update(ctx, agent, asked)
	case "get_or_set":
		return getOrSet(ctx, agent, asked)
	case "measure":
		return d.measure(ctx, agent, asked)
	case "watch":
		return d.watch(ctx, agent, asked)
	case "watched":
		return d.watched(asked)
	case "unwatch":
		return d.unwatch(asked)
	}
	return nil, fmt.Errorf("there is no command %q", asked.Do)
}

func (d *driver) connect(asked command) (answers, error) {
	d.close()
	options := []memoryd.Option{memoryd.WithToken(asked.Token), memoryd.WithOrigin(asked.Origin)}
	if asked.TimeoutS != nil {
		options = append(options, memoryd.WithTimeout(seconds(*asked.TimeoutS)))
	}
	if asked.ConnectTimeoutS != nil {
		options = append(options, memoryd.WithConnectTimeout(seconds(*asked.ConnectTimeoutS)))
	}
	if asked.CAFile != "" {
		options = append(options, memoryd.WithTLS(memoryd.TLS{CAFile: asked.CAFile}))
	}
	client, err := memoryd.NewClient(asked.Target, options...)
	d.client, d.target = client, asked.Target
	return answers{}, err
}

func (d *driver) close() {
	for name, watch := range d.watches {
		watch.close()
		delete(d.watches, name)
	}
	if d.client != nil {
		d.client.Close()
		d.client = nil
	}
}

func seconds(number float64) time.Duration {
	return time.Duration(number * float64(time.Second))
}
