import { useEffect, useState } from "preact/hooks";

import type { ContextManifestItemJson } from "#protos/context_service_pb";

import { Line } from "../../../view/inert";
import { Notice } from "../../../view/notice";
import { Rows } from "../../../view/rows";
import { count, wordOf } from "../../../view/word";
import { placeOf, readTexts } from "./record-texts";

const ROW_PX = 56;
/** Number of records whose texts are read at a time. */
const STEP = 100;

interface Props {
  agentId: string;
  items: readonly ContextManifestItemJson[];
  /** The agent's revision: the texts are those of it. */
  revision: string;
}

/** Each record that was considered for a context, by its text, and whether it is in. */
export function Manifest({ agentId, items, revision }: Props) {
  const { texts, need } = useTexts(agentId, items, revision);
  if (items.length === 0) return <Notice>No record was considered.</Notice>;
  return (
    <Rows
      label="Considered records"
      count={items.length}
      height={ROW_PX}
      need={need}
      row={(index) => {
        const { section = "", record = {}, tokenCount, outcome } = items[index] ?? {};
        const word = wordOf(outcome, "CONTEXT_OUTCOME_");
        const name = nameOf(record);
        const text = texts.get(placeOf(record));
        return (
          <div class="row">
            <span class="title">
              <span class={`verb ${word === "included" ? "new" : "gone"}`}>{word}</span>
              <Line text={text || name} />
            </span>
            <span class="side dim">{count(tokenCount)} tokens</span>
            <span class="sub dim">
              <Line text={`${wordOf(record.kind, "RECORD_KIND_")} in ${section}${text ? `: ${name}` : ""}`} />
            </span>
          </div>
        );
      }}
    />
  );
}

const NOTHING: ReadonlyMap<string, string> = new Map();

function useTexts(agentId: string, items: readonly ContextManifestItemJson[], revision: string) {
  const [known, setKnown] = useState({ revision, texts: NOTHING });
  const [wanted, setWanted] = useState(0);
  const texts = known.revision === revision ? known.texts : NOTHING;
  const refs = items.slice(0, Math.ceil(wanted / STEP) * STEP).flatMap(({ record }) => record ?? []);
  const missing = refs.filter((ref) => !texts.has(placeOf(ref)));
  const key = JSON.stringify([revision, missing.map(placeOf)]);
  useEffect(() => {
    if (missing.length === 0) return undefined;
    const ending = new AbortController();
    const none = missing.map((ref) => [placeOf(ref), ""] as const);
    void readTexts(agentId, missing, ending.signal).then((found) => {
      if (!ending.signal.aborted) setKnown({ revision, texts: new Map([...texts, ...none, ...found]) });
    });
    return () => {
      ending.abort();
    };
  }, [agentId, key]);
  return { texts, need: setWanted };
}

/** Return the id by which a reference names its record; for an entry, the key. */
function nameOf(record: object): string {
  const [, id] = Object.entries(record).find(([name]) => name !== "kind" && name !== "agentId") ?? [];
  if (typeof id === "string") return id;
  return Object.values((id ?? {}) as Record<string, unknown>)
    .map(String)
    .join(" / ");
}
