import { clone, create, type MessageInitShape } from "@bufbuild/protobuf";
import { RecordFilterSchema, type RecordFilter } from "#protos/memoryd/v1/record_filter_pb";

/** Returns a message with these conditions that shares nothing with the given ones, for others to be added to it. */
export function copyOf(given: MessageInitShape<typeof RecordFilterSchema> | undefined): RecordFilter {
  // create() returns a message as it is, and keeps the lists of anything else.
  return clone(RecordFilterSchema, create(RecordFilterSchema, given));
}
