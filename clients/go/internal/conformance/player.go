package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"sync"
	"time"
)

const patience = 30 * time.Second

// verdict is the result of a scenario file.
type verdict struct {
	File   string `json:"file"`
	Passed bool   `json:"passed"`
	Why    string `json:"why,omitempty"`
}

// playAll plays scenario files, writes the verdict on each, and reports whether all passed.
func playAll(address string, files []string, out io.Writer) bool {
	passed, tally := true, newTally()
	for _, file := range files {
		result := verdict{File: file, Passed: true}
		if err := play(address, file, tally); err != nil {
			result = verdict{File: file, Why: err.Error()}
			passed = false
		}
		fmt.Fprintln(out, toJSON(result))
	}
	fmt.Fprintln(os.Stderr, tally)
	return passed
}

func play(address, file string, tally *tally) error {
	document, err := readScenario(file)
	if err != nil {
		return err
	}
	stubs, err := dial(address)
	if err != nil {
		return err
	}
	defer stubs.conn.Close()
	wrapping, err := newWrapping(address, tally)
	if err != nil {
		return err
	}
	defer wrapping.client.Close()
	player := &player{stubs: stubs, wrapping: wrapping, variables: newVariables(), watches: map[string]*watch{}}
	return player.steps(document.Steps)
}

// player plays a scenario, or one of its tasks. Closing the connection ends its watches.
type player struct {
	stubs     *stubs
	wrapping  *wrapping
	variables variables
	watches   map[string]*watch
}

func (p *player) steps(steps []step) error {
	for i, step := range steps {
		if err := p.step(fmt.Sprintf("step %d", i+1), step); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) step(place string, step step) error {
	switch step.kind {
	case "call":
		return at(place+", call "+step.Call, p.call(step))
	case "watch":
		return at(place+", watch "+step.Watch, p.watch(step))
	case "events":
		return at(place+", events "+step.Events, p.events(step))
	case "repeat":
		return at(place+", repeat", p.repeat(step))
	case "tasks":
		return at(place+", tasks", p.tasks(step))
	}
	return fmt.Errorf("%s: not one of call, watch, events, repeat and tasks", place)
}

func (p *player) call(step step) error {
	method, err := p.stubs.unary(step.Call)
	if err != nil {
		return err
	}
	filled, err := p.variables.fill(step.Request)
	if err != nil {
		return err
	}
	request := method.newRequest()
	if err := read(request, filled); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	message, err := p.wrapping.call(ctx, method.name, request)
	if message == nil && err == nil {
		message, err = method.call(ctx, request)
	}
	if err != nil || step.Error != nil {
		return p.expectRefusal(step.Error, err)
	}
	response, err := written(message)
	if err != nil {
		return err
	}
	if step.Response != nil {
		if err := unknownField(step.Response, message.ProtoReflect().Descriptor()); err != nil {
			return err
		}
		if err := p.expect(step.Response, response); err != nil {
			return err
		}
	}
	for name, path := range step.Save {
		if err := p.variables.save(name, path, response); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) repeat(step step) error {
	for n := range step.Repeat {
		turn := &player{p.stubs, p.wrapping, p.variables.with("n", n), p.watches}
		if err := turn.steps(step.Steps); err != nil {
			return at(fmt.Sprintf("n %d", n), err)
		}
	}
	return nil
}

func (p *player) tasks(step step) error {
	failed := make([]error, step.Tasks)
	var running sync.WaitGroup
	for number := range step.Tasks {
		task := &player{p.stubs, p.wrapping, p.variables.with("task", number), maps.Clone(p.watches)}
		running.Go(func() { failed[number] = at(fmt.Sprintf("task %d", number), task.steps(step.Steps)) })
	}
	running.Wait()
	return errors.Join(failed...)
}

func (p *player) expect(expected, actual any) error {
	filled, err := p.variables.fill(expected)
	if err != nil {
		return err
	}
	return expectSame(filled, actual)
}

func (p *player) expectRefusal(expected any, refusal error) error {
	filled, err := p.variables.fill(expected)
	if err != nil {
		return err
	}
	return expectRefusal(filled, refusal)
}
