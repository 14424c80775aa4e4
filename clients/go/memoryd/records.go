package memoryd

import (
	"context"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const pageSize = 1_000

// Ptr returns a pointer to a value, for fields in which a zero value differs from none.
func Ptr[T any](value T) *T { return &value }

// requestTo is a pointer to a request M.
type requestTo[M any] interface {
	*M
	proto.Message
}

// filled returns the request of a call for an agent.
func filled[M any, Q requestTo[M]](agent *Agent, given given) (Q, error) {
	request := Q(new(M))
	return request, given.fill(request, agent)
}

// invoke calls a method of a stub for an agent.
func invoke[M any, Q requestTo[M], S any](
	ctx context.Context, agent *Agent, method func(context.Context, Q, ...grpc.CallOption) (S, error), given given,
) (S, error) {
	request, err := filled[M, Q](agent, given)
	if err != nil {
		var none S
		return none, err
	}
	return method(ctx, request)
}

// list iterates over the records that a method of a stub lists for an agent.
func list[M any, Q requestTo[M], S page, R any](
	ctx context.Context, agent *Agent, method func(context.Context, Q, ...grpc.CallOption) (S, error),
	records func(S) []R, given given,
) iter.Seq2[R, error] {
	return pages(ctx, method, records, func() (Q, error) { return filled[M, Q](agent, given) })
}

// page is a response with a part of a listing.
type page interface {
	GetNextPageToken() string
}

// pages iterates over the records of all pages of a listing, which are all at one revision. An error ends it, also one of
// the function that returns its request.
func pages[Q proto.Message, S page, R any](
	ctx context.Context, method func(context.Context, Q, ...grpc.CallOption) (S, error),
	records func(S) []R, first func() (Q, error),
) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		request, err := first()
		if err != nil {
			yield(none, err)
			return
		}
		asked := request.ProtoReflect()
		asked.Set(fieldOf(asked, "page_size"), protoreflect.ValueOfInt32(pageSize))
		for {
			response, err := method(ctx, request)
			if err != nil {
				yield(none, err)
				return
			}
			for _, record := range records(response) {
				if !yield(record, nil) {
					return
				}
			}
			if response.GetNextPageToken() == "" {
				return
			}
			asked.Set(fieldOf(asked, "page_token"), protoreflect.ValueOfString(response.GetNextPageToken()))
		}
	}
}
