import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { ConsistencySchema } from "#protos/memoryd/v1/consistency_pb";
import type { Revision } from "./entry-options.js";

/**
 * How current a read must be: at most one of both, which let a daemon that shares its store read from its memory. Without
 * one a read has every change that was committed before it.
 */
export interface Consistency {
  /**
   * The read has every change of the agent up to this revision, such as that of an earlier `set`. It is refused with
   * `RevisionInFuture` if the agent has not reached it.
   */
  readonly minRevision?: Revision;
  /** The read has every change that was committed at least this many milliseconds ago: from 0 to 1 day. */
  readonly maxStalenessMs?: number;
}

/** Returns an object to spread into a request: the consistency as its field, or nothing. */
export function consistencyOf({ minRevision, maxStalenessMs }: Consistency): {
  consistency?: MessageInitShape<typeof ConsistencySchema>;
} {
  if (minRevision !== undefined && maxStalenessMs !== undefined) {
    throw new TypeError("minRevision and maxStalenessMs exclude each other");
  }
  if (minRevision !== undefined) {
    return { consistency: { requirement: { case: "minRevision", value: BigInt(minRevision) } } };
  }
  if (maxStalenessMs !== undefined) {
    return { consistency: { requirement: { case: "maxStaleness", value: durationFromMs(maxStalenessMs) } } };
  }
  return {};
}
