import { clone, create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  EntryConditionSchema,
  RecordFilterSchema,
  type EntryCondition,
  type RecordFilter,
} from "#protos/memoryd/v1/record_filter_pb";

/** Returns a message with these conditions that shares nothing with the given ones, for others to be added to it. */
export function copyOf(given: MessageInitShape<typeof RecordFilterSchema> | undefined): RecordFilter {
  // create() returns a message as it is, and keeps the lists of anything else.
  return clone(RecordFilterSchema, create(RecordFilterSchema, given));
}

/**
 * Adds what is selected by a list of which a record has any one.
 *
 * @throws TypeError if the list is empty, or if the filter has one already: both would select more than each.
 */
export function select<T>(target: T[], given: readonly T[] | undefined, name: string): void {
  if (given === undefined) {
    return;
  }
  if (given.length === 0) {
    throw new TypeError(`${name} is empty, which selects nothing: leave it out to select all`);
  }
  if (target.length > 0) {
    throw new TypeError(`${name} is selected twice: as an option, and in the filter`);
  }
  target.push(...given);
}

/** Adds the users that are selected. Throws a TypeError if that is done twice. */
export function selectUsers(filter: RecordFilter, userIds: readonly string[] | undefined, allUsers = false): void {
  select(filter.userIds, userIds, "userIds");
  filter.allUsers ||= allUsers;
  if (filter.allUsers && filter.userIds.length > 0) {
    throw new TypeError("userIds and allUsers exclude each other");
  }
}

/** Returns the filter's conditions on entries, to be added to. Throws a TypeError if it has some on another kind. */
export function entryConditionOf(filter: RecordFilter): EntryCondition {
  if (filter.kind.case !== undefined && filter.kind.case !== "entry") {
    throw new TypeError(`conditions on entries and a filter with the condition ${filter.kind.case} exclude each other`);
  }
  const condition = filter.kind.case === "entry" ? filter.kind.value : create(EntryConditionSchema);
  filter.kind = { case: "entry", value: condition };
  return condition;
}
