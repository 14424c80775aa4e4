import type { GetAgentStatsResponseJson } from "#protos/agent_service_pb";

import { call } from "../daemon/call";
import { usePolled } from "../daemon/polled";
import { to } from "../route";
import { useChanging } from "../view/changing";
import { Inert } from "../view/inert";
import { Problem } from "../view/notice";
import { count, size, wordOf } from "../view/word";
import { Context } from "./agent/context/context";
import { Conversation } from "./agent/conversation/conversation";
import { Entries } from "./agent/entry/entries";
import { KINDS } from "./agent/kinds";
import { Manage } from "./agent/manage/manage";
import { Memories } from "./agent/memory/memories";
import { MemoryPage } from "./agent/memory/detail";
import { Records } from "./agent/records";
import { Then } from "./agent/past/then";
import { Timeline } from "./agent/past/timeline";

const INTERVAL_MS = 5_000;

/**
 * What one agent remembers.
 *
 * @param part The part of the address that names what of it is shown; empty for working memory.
 * @param rest Those behind it, such as the id of one record.
 */
export function Agent({ agentId, part, rest }: { agentId: string; part: string; rest: readonly string[] }) {
  const { value, error } = usePolled(
    (signal) => call<GetAgentStatsResponseJson>("AgentService/GetAgentStats", { agentId }, signal),
    INTERVAL_MS,
    agentId,
  );
  const stats = value?.stats;
  const counts = new Map(stats?.recordCounts?.map((each) => [wordOf(each.kind, "RECORD_KIND_"), each.count]));
  const tabs = [["", "Working memory", "entry"], ...KINDS.map((kind) => [kind.path, kind.title, kind.noun])] as const;
  const kind = KINDS.find(({ path }) => path === part);
  const { may } = useChanging();
  const mayManage = may("METHOD_VERB_SNAPSHOT") || may("METHOD_VERB_DELETE");
  const others = [["context", "Context"], ["timeline", "Timeline"], ...(mayManage ? [["manage", "Manage"]] : [])];
  const [id = ""] = rest;
  return (
    <div class="screen">
      <div class="head">
        <p class="crumbs">
          <a href={to("agents")}>Agents</a> /
        </p>
        <h1>
          <Inert text={agentId} max={120} />
        </h1>
        {value && (
          <span class="dim">
            revision {count(value.revision)}
            {stats?.storageBytes !== undefined && `, ${size(Number(stats.storageBytes))}`}
          </span>
        )}
      </div>
      {error !== undefined && <Problem error={error} />}
      <nav class="tabs" aria-label="What the agent remembers">
        {[...tabs, ...others].map(([path = "", title, noun = ""]) => (
          <a
            key={path}
            href={to("agents", agentId, ...(path ? [path] : []))}
            aria-current={path === (part === "then" ? "timeline" : part) ? "page" : undefined}
          >
            {title}
            {noun && counts.has(noun) && <span class="count">{count(counts.get(noun))}</span>}
          </a>
        ))}
      </nav>
      {part === "timeline" ? (
        <Timeline key={rest.join("/")} agentId={agentId} record={rest} />
      ) : part === "then" ? (
        <Then key={id} agentId={agentId} revision={id} />
      ) : part === "context" ? (
        <Context agentId={agentId} />
      ) : part === "manage" ? (
        <Manage agentId={agentId} />
      ) : part === "memories" && id ? (
        <MemoryPage key={id} agentId={agentId} memoryId={id} />
      ) : part === "conversations" && id ? (
        <Conversation key={id} agentId={agentId} conversationId={id} />
      ) : kind?.path === "memories" ? (
        <Memories agentId={agentId} kind={kind} />
      ) : kind ? (
        <Records key={kind.path} agentId={agentId} kind={kind} />
      ) : (
        <Entries agentId={agentId} />
      )}
    </div>
  );
}
