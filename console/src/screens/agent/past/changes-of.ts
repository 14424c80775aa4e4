/** The timeline of one record: its address, and the filter that selects its events. */

import type { EventFilterJson } from "#protos/event_pb";
import type { RecordKindJson } from "#protos/record_pb";

import { to } from "../../../route";
import type { AnyRecord } from "../kinds";

/** Return the id by which a record is found among those of its kind. */
export function idOf(noun: string, record: AnyRecord): string {
  const word = noun.replace(/ (.)/g, (_, letter: string) => letter.toUpperCase());
  const field = noun === "entity window" ? "conversationId" : `${word}Id`;
  const id = record[field];
  return typeof id === "string" ? id : "";
}

/**
 * Return the address of the timeline of one record.
 *
 * @param noun The word of its kind, such as `note`.
 * @param ids Its id; of an entry, the scope's id and the key.
 */
export function timelineOf(agentId: string, noun: string, ...ids: readonly string[]): string {
  return to("agents", agentId, "timeline", noun, ...ids);
}

/** Return the filter of an agent's events: all, or those of the record that the rest of an address names. */
export function filterOf(agentId: string, [noun = "", ...ids]: readonly string[]): EventFilterJson {
  const filter = { agentIds: [agentId] };
  if (!noun) return filter;
  const kind = `RECORD_KIND_${noun.toUpperCase().replaceAll(" ", "_")}` as RecordKindJson;
  if (noun === "entry") {
    const [scopeId = "", key = ""] = ids;
    return { ...filter, kinds: [kind], scopeIds: [scopeId], record: { ids: [key] } };
  }
  const kinds: RecordKindJson[] = noun === "plan" ? [kind, "RECORD_KIND_PLAN_STEP"] : [kind];
  return { ...filter, kinds, record: { ids: [ids[0] ?? ""] } };
}
