package main

import (
	"errors"
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
)

// expectRefusal compares the error of a call with the expected one. Nil expects no error.
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

// refusalOf returns an error in the form in which scenarios expect it.
func refusalOf(err error) map[string]any {
	answered := status.Convert(err)
	refusal := map[string]any{"code": code.Code(answered.Code()).String()}
	for _, detail := range answered.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == "memoryd" {
				refusal["reason"] = detail.GetReason()
				refusal["metadata"] = anyOf(detail.GetMetadata())
			}
		case *errdetails.BadRequest:
			if violations := detail.GetFieldViolations(); len(violations) > 0 {
				refusal["field"] = violations[0].GetField()
			}
		}
	}
	return refusal
}

func anyOf(texts map[string]string) map[string]any {
	values := make(map[string]any, len(texts))
	for name, text := range texts {
		values[name] = text
	}
	return values
}

// at adds the place in the scenario to an error.
func at(place string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", place, err)
}
