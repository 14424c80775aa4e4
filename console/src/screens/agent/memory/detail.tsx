import type { EventJson } from "#protos/event_pb";
import type { MemoryJson } from "#protos/memory_pb";

import { useChanges } from "../../../daemon/changes";
import { useFetched } from "../../../daemon/fetched";
import { to } from "../../../route";
import { Field, Fields } from "../../../view/fields";
import { Notice, Problem } from "../../../view/notice";
import { Age } from "../../../view/time";
import { titleOf } from "../../../view/word";
import { timelineOf } from "../past/changes-of";
import { memoriesOf } from "./by-id";
import { MemoryGraph } from "./graph";
import { readLinks } from "./links";
import { readVersions } from "./versions";

/** The fields of a memory that have versions. */
const VERSIONED = [
  "content",
  "type",
  "status",
  "aliases",
  "tags",
  "metadata",
  "importance",
  "provenance",
  "occurTime",
  "expireTime",
  "forgetTime",
] as const;

/** A memory by its id: as it is now, what it is linked with, and what it was. */
export function MemoryPage({ agentId, memoryId }: { agentId: string; memoryId: string }) {
  const version = useVersion(agentId, memoryId);
  const read = async (signal: AbortSignal) => (await memoriesOf(agentId, [memoryId], signal)).get(memoryId) ?? null;
  const { value, error } = useFetched(read, `${agentId}/${memoryId}`, version);
  return (
    <div class="page">
      <p class="crumbs">
        <a href={to("agents", agentId, "memories")}>All memories</a>
      </p>
      {error !== undefined && <Problem error={error} />}
      {value === null && <Notice>This memory is forgotten, or there is none.</Notice>}
      {value && (
        <div class="columns">
          <section class="card" aria-label="Memory">
            <h2>Memory</h2>
            <Fields record={value} />
          </section>
          <section class="card" aria-label="Links">
            <h2>Links</h2>
            <Links agentId={agentId} memory={value} version={version} />
          </section>
          <section class="card" aria-label="Versions">
            <h2>Versions</h2>
            <Versions agentId={agentId} memory={value} version={version} />
          </section>
        </div>
      )}
    </div>
  );
}

/** A memory that was chosen in a list. */
export function MemoryDetail({ agentId, memory }: { agentId: string; memory: MemoryJson }) {
  // Its links and versions are those of no memory any more.
  return memory.forgetTime === undefined ? (
    <Remembered agentId={agentId} memory={memory} />
  ) : (
    <Fields record={memory} />
  );
}

function Remembered({ agentId, memory }: { agentId: string; memory: MemoryJson }) {
  const version = useVersion(agentId, memory.memoryId ?? "");
  return (
    <>
      <p>
        <a href={to("agents", agentId, "memories", memory.memoryId ?? "")}>Open this memory</a>
      </p>
      <Fields record={memory} />
      <h3>Links</h3>
      <Links agentId={agentId} memory={memory} version={version} />
      <h3>Versions</h3>
      <Versions agentId={agentId} memory={memory} version={version} />
    </>
  );
}

interface PartProps {
  agentId: string;
  memory: MemoryJson;
  version: number | undefined;
}

function Links({ agentId, memory, version }: PartProps) {
  const memoryId = memory.memoryId ?? "";
  const { value, error } = useFetched((signal) => readLinks(agentId, memoryId, signal), memoryId, version);
  if (error !== undefined) return <Problem error={error} />;
  if (!value) return <Notice>Reading…</Notice>;
  if (value.nodes.length === 1) return <p class="dim">No other memory is linked with this one.</p>;
  return <MemoryGraph agentId={agentId} graph={value} />;
}

function Versions({ agentId, memory, version }: PartProps) {
  const key = `${memory.memoryId} ${memory.updateTime}`;
  const { value, error } = useFetched((signal) => readVersions(agentId, memory, signal), key, version);
  if (error !== undefined) return <Problem error={error} />;
  if (!value) return <Notice>Reading…</Notice>;
  const { versions, isWhole } = value;
  return (
    <>
      {versions.length === 0 && isWhole && <p class="dim">It has not changed since it was created.</p>}
      <ol class="plain versions" aria-label="Earlier versions">
        {versions.map((older, index) => (
          <li key={older.updateTime}>
            <p class="dim">
              Until <Age time={(versions[index - 1] ?? memory).updateTime} />
            </p>
            <dl class="record">
              {changedBetween(older, versions[index - 1] ?? memory).map((name) => (
                <div key={name}>
                  <dt>{titleOf(name)}</dt>
                  <dd>
                    {older[name] === undefined ? (
                      <span class="dim">none</span>
                    ) : (
                      <Field name={name} value={older[name]} />
                    )}
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ol>
      {!isWhole && <p class="dim">Earlier versions are not shown, or no longer kept.</p>}
      <p>
        <a href={timelineOf(agentId, "memory", memory.memoryId ?? "")}>Who wrote this?</a>
      </p>
    </>
  );
}

function changedBetween(older: MemoryJson, newer: MemoryJson) {
  return VERSIONED.filter((name) => JSON.stringify(older[name]) !== JSON.stringify(newer[name]));
}

function concerns({ memory, memoryLink }: EventJson, memoryId: string): boolean {
  return [memory?.memoryId, memoryLink?.fromMemoryId, memoryLink?.toMemoryId].includes(memoryId);
}

/** Return a number that rises with each change of a memory or of its links. */
function useVersion(agentId: string, memoryId: string): number | undefined {
  const agentIds = [agentId];
  return useChanges(
    [
      { agentIds, kinds: ["RECORD_KIND_MEMORY"], record: { ids: [memoryId] } },
      { agentIds, kinds: ["RECORD_KIND_MEMORY_LINK"] },
    ],
    (events) => events.some((event) => concerns(event, memoryId)),
  );
}
