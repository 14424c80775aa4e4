import type { RecordCount, RecordKind } from "#protos/memoryd/v1/record_pb";

/** Returns numbers of records by kind, such as those that `end` has removed. Kinds without records are absent. */
export function countsByKind(counts: readonly RecordCount[]): Map<RecordKind, number> {
  return new Map(counts.map(({ kind, count }) => [kind, Number(count)]));
}
