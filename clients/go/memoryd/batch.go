package memoryd

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Batch collects up to 1,000 sets and removes in one agent or scope, which are written atomically. A key may occur
// once. The zero value is an empty batch.
type Batch struct {
	operations []*memorydv1.EntryOperation
	// namesUser says for each operation whether it names a user, or needs none.
	namesUser []bool
	err       error
}

// Set stores a value when the batch is written. Write fails with ErrUnsupportedValue if JSON cannot represent the
// value.
func (b *Batch) Set(key string, value any, options ...SetOption) {
	request, err := contentOf(key, value, options)
	if err != nil {
		if b.err == nil {
			b.err = fmt.Errorf("operation %d of the batch: %w", len(b.operations), err)
		}
		return
	}
	b.add(&memorydv1.EntryOperation{
		Operation: &memorydv1.EntryOperation_Set{Set: operationOf(request)},
	}, namesUser(options))
}

// Remove removes a key when the batch is written. A key without an entry is not an error.
func (b *Batch) Remove(key string, options ...ChangeOption) {
	b.add(&memorydv1.EntryOperation{
		Operation: &memorydv1.EntryOperation_Remove{
			Remove: &memorydv1.RemoveEntryOperation{Key: key, Precondition: preconditionOf(options)},
		},
	}, true)
}

func (b *Batch) add(operation *memorydv1.EntryOperation, namesUser bool) {
	b.operations = append(b.operations, operation)
	b.namesUser = append(b.namesUser, namesUser)
}

// about returns the operations with a user for those that name none. It changes copies, since a batch may be written
// again, for another user.
func (b *Batch) about(userID string) []*memorydv1.EntryOperation {
	if userID == "" {
		return b.operations
	}
	bound := slices.Clone(b.operations)
	for i, operation := range bound {
		if !b.namesUser[i] {
			bound[i] = proto.CloneOf(operation)
			bound[i].GetSet().UserId = userID
		}
	}
	return bound
}

// Len returns the number of operations.
func (b *Batch) Len() int { return len(b.operations) }

// Write applies a batch atomically, at one revision. An empty batch is not sent.
func (m *workingMemory) Write(ctx context.Context, batch *Batch) (*memorydv1.BatchWriteEntriesResponse, error) {
	if batch.err != nil {
		return nil, batch.err
	}
	if batch.Len() == 0 {
		return &memorydv1.BatchWriteEntriesResponse{}, nil
	}
	return m.client.workingMemory.BatchWriteEntries(ctx, &memorydv1.BatchWriteEntriesRequest{
		AgentId:    m.agentID,
		ScopeId:    m.scopeID,
		Operations: batch.about(m.userID),
	})
}

// operationOf returns the operation that sets what the request sets.
func operationOf(request *memorydv1.SetEntryRequest) *memorydv1.SetEntryOperation {
	operation := &memorydv1.SetEntryOperation{}
	copyFields(operation, request)
	return operation
}

// copyFields sets the fields that are set in from. Both messages have the same field names.
func copyFields(to, from proto.Message) {
	written := to.ProtoReflect()
	fields := written.Descriptor().Fields()
	from.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		written.Set(fields.ByName(field.Name()), value)
		return true
	})
}
