package main

import (
	"errors"
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
)

// expectRefusal compares the error of a call with what is expected; nil expects that there is none.
func expectRefusal(expected any, err error) error {
	switch {
	case err == nil && expected == nil:
		return nil
	case err == nil:
		return errors.New("expected an error, but it succeeded")
	case expected == nil:
		return err
	}
	return expectSame(expected, refusalOf(err))
}

func expectSame(expected, actual any) error {
	if found := difference(expected, actual, ""); found != "" {
		return errors.New(found)
	}
	return nil
}

// refusalOf returns what an error says, in the form in which scenarios expect it.
func refusalOf(err error) map[string]any {
	answered := status.Convert(err)
	told := map[string]any{"code": code.Code(answered.Code()).String()}
	for _, detail := range answered.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == "memoryd" {
				told["reason"] = detail.GetReason()
				told["metadata"] = anyOf(detail.GetMetadata())
			}
		case *errdetails.BadRequest:
			if violations := detail.GetFieldViolations(); len(violations) > 0 {
				told["field"] = violations[0].GetField()
			}
		}
	}
	return told
}

func anyOf(texts map[string]string) map[string]any {
	values := make(map[string]any, len(texts))
	for name, text := range texts {
		values[name] = text
	}
	return values
}

// at says where in a scenario something went wrong.
func at(place string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", place, err)
}
