import { useState } from "preact/hooks";

import type { AgentJson } from "#protos/agent_pb";
import type { ListAgentsResponseJson } from "#protos/agent_service_pb";

import { call } from "../daemon/call";
import { useListing } from "../daemon/listing";
import { to } from "../route";
import { Line } from "../view/inert";
import { Notice, Problem } from "../view/notice";
import { Rows } from "../view/rows";
import { Age } from "../view/time";
import { count } from "../view/word";

const PAGE_SIZE = 200;
const ROW_PX = 56;

/** The agents that the caller may see. */
export function Agents() {
  const [prefix, setPrefix] = useState("");
  const listing = useListing(async (pageToken, signal) => {
    const request = {
      pageSize: PAGE_SIZE,
      pageToken,
      agentIds: prefix ? [`${prefix}*`] : [],
    };
    const { agents, nextPageToken } = await call<ListAgentsResponseJson>("AgentService/ListAgents", request, signal);
    return { items: agents ?? [], next: nextPageToken ?? "" };
  }, prefix);
  return (
    <div class="screen">
      <div class="head">
        <h1>Agents</h1>
        <label class="search">
          <span>Begins with</span>
          <input
            type="search"
            value={prefix}
            onInput={(event) => {
              setPrefix(event.currentTarget.value);
            }}
          />
        </label>
        <span class="dim">{`${count(listing.items.length)}${listing.isComplete ? "" : " or more"}`}</span>
      </div>
      {listing.error !== undefined && <Problem error={listing.error} />}
      {listing.isComplete && listing.items.length === 0 && listing.error === undefined && (
        <Notice>{prefix ? "No agent's id begins so." : "No agent remembers anything yet."}</Notice>
      )}
      <Rows
        label="Agents"
        count={listing.items.length}
        height={ROW_PX}
        need={listing.need}
        row={(index) => <AgentRow agent={listing.items[index] ?? {}} />}
      />
    </div>
  );
}

function AgentRow({ agent }: { agent: AgentJson }) {
  const id = agent.agentId ?? "";
  return (
    <a class="row" href={to("agents", id)}>
      <span class="title">
        <Line text={id} />
      </span>
      <span class="side dim">
        <Age time={agent.updateTime} />
      </span>
      <span class="sub dim">
        <Line text={agent.displayName || (agent.tags ?? []).join(", ") || `revision ${count(agent.revision)}`} />
      </span>
    </a>
  );
}
