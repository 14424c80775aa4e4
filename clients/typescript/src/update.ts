import type { CallOptions, EntryOptions } from "./entry-options.js";
import { RevisionMismatch } from "./errors.js";
import { Json } from "./json.js";
import type { WorkingMemory } from "./working-memory.js";

// Each lost race is a write of another caller. After this many in a row the cause is not contention.
const RACES_MAX = 1_000;

/**
 * Compare-and-set: reads the own value, changes it, and stores it unless another caller has changed it meanwhile. The
 * entry keeps what the options do not give.
 */
export async function update<T>(
  workingMemory: Pick<WorkingMemory, "getEntry" | "change">,
  key: string,
  change: (value: T | undefined) => T | Promise<T>,
  options: EntryOptions & CallOptions,
): Promise<T> {
  for (let race = 1; ; race++) {
    const entry = await workingMemory.getEntry(key, { ...options, localOnly: true });
    const text = Json.stringify(await change(entry && (Json.parse(entry.valueJson) as T)));
    try {
      await workingMemory.change(key, new Json(text), { ...options, expectedRevision: entry?.revision ?? 0 });
      return Json.parse(text) as T;
    } catch (error) {
      if (!(error instanceof RevisionMismatch) || race === RACES_MAX) {
        throw error;
      }
    }
  }
}
