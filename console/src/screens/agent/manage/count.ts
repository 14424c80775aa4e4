import type { RecordCountJson } from "#protos/record_pb";

import { count, wordOf } from "../../../view/word";

/** Return numbers of records in words: `3 memory, 1 note`; `nothing` for none. */
export function wordsOfCounts(counts: readonly RecordCountJson[] | undefined): string {
  const words = counts?.map(({ kind, count: number }) => `${count(number)} ${wordOf(kind, "RECORD_KIND_")}`);
  return words?.length ? words.join(", ") : "nothing";
}
