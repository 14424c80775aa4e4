import { useState } from "preact/hooks";

import type { EntryJson } from "#protos/entry_pb";
import type { ScopeJson } from "#protos/scope_pb";

import { type Listing, useListing } from "../../../daemon/listing";
import { Detail } from "../../../view/detail";
import { Line } from "../../../view/inert";
import { Notice, Problem } from "../../../view/notice";
import { Fields, Value } from "../../../view/fields";
import { Rows } from "../../../view/rows";
import { Age, Deadline } from "../../../view/time";
import { Actions } from "../change/actions";
import { entryTarget } from "../change/target";
import { timelineOf } from "../past/changes-of";
import { nameOf, readEntries, type SeenEntry } from "./seen-entry";
import { inTree, readScopes } from "./scope-tree";

const ROW_PX = 56;
const SCOPE_PX = 36;

/** Working memory: the tree of scopes, and the entries that a lookup in one of them finds. */
export function Entries({ agentId }: { agentId: string }) {
  const [scopeId, setScopeId] = useState("");
  const [chosen, setChosen] = useState<SeenEntry>();
  const scopes = useListing((pageToken, signal) => readScopes(agentId, pageToken, signal), agentId);
  const byId = new Map(scopes.items.map((scope) => [scope.scopeId ?? "", scope]));
  const tree = inTree(scopes.items);
  const [uncovered, setUncovered] = useState(0);
  const listing = useListing(
    (pageToken, signal) => readEntries(agentId, scopeId, byId, pageToken, signal),
    `${agentId}/${scopeId}/${uncovered}`,
  );
  const changed = (seen: SeenEntry, entry: EntryJson | undefined) => {
    const newest = entry && { ...seen, entry };
    setChosen(newest);
    // Without it, a lookup finds the one that it hid, which may hide another.
    if (!entry && seen.hidden) setUncovered(uncovered + 1);
    else listing.replace(seen, newest);
  };
  return (
    <div class="split">
      <div class="scopes">
        {scopes.error !== undefined && <Problem error={scopes.error} />}
        <Rows
          label="Scopes"
          count={tree.length}
          height={SCOPE_PX}
          need={scopes.need}
          row={(index) => {
            const { scope, depth } = tree[index] ?? { scope: {}, depth: 0 };
            return (
              <ScopeRow
                scope={scope}
                depth={depth}
                isChosen={(scope.scopeId ?? "") === scopeId}
                onChoose={(id) => {
                  setScopeId(id);
                  setChosen(undefined);
                }}
              />
            );
          }}
        />
      </div>
      <EntryList listing={listing} scopeId={scopeId} byId={byId} chosen={chosen} onChoose={setChosen} />
      {chosen && (
        <Detail
          title="entry"
          onClose={() => {
            setChosen(undefined);
          }}
        >
          <Actions
            target={entryTarget(agentId, chosen.entry)}
            onChanged={(entry) => {
              changed(chosen, entry);
            }}
          />
          <Fields record={chosen.entry} />
          <p>
            <a href={timelineOf(agentId, "entry", chosen.entry.scopeId ?? "", chosen.entry.key ?? "")}>
              Who wrote this?
            </a>
          </p>
          {chosen.hidden && (
            <>
              <h3>Hides this one of {nameOf(byId, chosen.hidden)}</h3>
              <Value json={chosen.hidden.valueJson ?? ""} />
            </>
          )}
        </Detail>
      )}
    </div>
  );
}

interface ScopeRowProps {
  scope: ScopeJson;
  depth: number;
  isChosen: boolean;
  onChoose: (scopeId: string) => void;
}

function ScopeRow({ scope, depth, isChosen, onChoose }: ScopeRowProps) {
  return (
    <button
      type="button"
      class="row scope"
      aria-pressed={isChosen}
      style={{ paddingInlineStart: `${12 + 16 * Math.min(depth, 8)}px` }}
      onClick={() => {
        onChoose(scope.scopeId ?? "");
      }}
    >
      <span class="title">{scope.scopeId ? <Line text={scope.name ?? ""} /> : "root"}</span>
      <span class="side dim">
        <Deadline time={scope.expireTime} />
        {scope.entryCount !== undefined && <span class="count">{scope.entryCount}</span>}
      </span>
    </button>
  );
}

interface EntryListProps {
  listing: Listing<SeenEntry>;
  scopeId: string;
  byId: ReadonlyMap<string, ScopeJson>;
  chosen: SeenEntry | undefined;
  onChoose: (entry: SeenEntry) => void;
}

function EntryList({ listing, scopeId, byId, chosen, onChoose }: EntryListProps) {
  return (
    <div class="list">
      {listing.error !== undefined && <Problem error={listing.error} />}
      {listing.isComplete && listing.total === 0 && listing.error === undefined && (
        <Notice>A lookup here finds no entries.</Notice>
      )}
      <Rows
        label="Entries"
        count={listing.total}
        height={ROW_PX}
        need={listing.need}
        row={(index) => {
          const seen = listing.items[index];
          if (!seen) return "…";
          return <EntryRow seen={seen} scopeId={scopeId} byId={byId} isChosen={seen === chosen} onChoose={onChoose} />;
        }}
      />
    </div>
  );
}

interface EntryRowProps {
  seen: SeenEntry;
  scopeId: string;
  byId: ReadonlyMap<string, ScopeJson>;
  isChosen: boolean;
  onChoose: (entry: SeenEntry) => void;
}

function EntryRow({ seen, scopeId, byId, isChosen, onChoose }: EntryRowProps) {
  const { entry, hidden } = seen;
  const isInherited = (entry.scopeId ?? "") !== scopeId;
  return (
    <button
      type="button"
      class={isInherited ? "row inherited" : "row"}
      aria-pressed={isChosen}
      onClick={() => {
        onChoose(seen);
      }}
    >
      <span class="title">
        <Line text={entry.key ?? ""} />
        {isInherited && <Badge word="inherited from" entry={entry} byId={byId} />}
        {hidden && <Badge word="hides" entry={hidden} byId={byId} />}
      </span>
      <span class="side dim">
        {entry.expireTime ? <Deadline time={entry.expireTime} /> : <Age time={entry.updateTime} />}
      </span>
      <span class="sub mono">
        <Line text={entry.valueJson ?? ""} />
      </span>
    </button>
  );
}

function Badge({ word, entry, byId }: { word: string; entry: EntryJson; byId: ReadonlyMap<string, ScopeJson> }) {
  return (
    <span class="badge">
      {word} <Line text={nameOf(byId, entry)} />
    </span>
  );
}
