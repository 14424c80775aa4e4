import { useState } from "preact/hooks";

import type { SnapshotJson } from "#protos/snapshot_pb";
import type {
  CreateSnapshotResponseJson,
  ListSnapshotsResponseJson,
  RestoreSnapshotResponseJson,
} from "#protos/snapshot_service_pb";

import { call } from "../../../daemon/call";
import { useListing } from "../../../daemon/listing";
import { useChanging } from "../../../view/changing";
import { Line } from "../../../view/inert";
import { Notice, Problem } from "../../../view/notice";
import { Rows } from "../../../view/rows";
import { Age } from "../../../view/time";
import { count, size, wordOf } from "../../../view/word";
import { Confirm } from "../change/confirm";

const PAGE_SIZE = 100;
const ROW_PX = 56;

/** The snapshots from which an agent can be restored, those of all agents included. */
export function Snapshots({ agentId }: { agentId: string }) {
  const { announce } = useChanging();
  const [asked, setAsked] = useState<SnapshotJson | "new">();
  const [created, setCreated] = useState(0);
  const listing = useListing<SnapshotJson>(async (pageToken, signal) => {
    const request = { agentIds: [agentId, ""], pageSize: PAGE_SIZE, pageToken };
    const response = await call<ListSnapshotsResponseJson>("SnapshotService/ListSnapshots", request, signal);
    return { items: response.snapshots ?? [], next: response.nextPageToken ?? "" };
  }, `${agentId}/${created}`);
  const close = () => {
    setAsked(undefined);
  };
  return (
    <section class="card" aria-labelledby="snapshots">
      <div class="head">
        <h2 id="snapshots">Snapshots</h2>
        <button
          type="button"
          onClick={() => {
            setAsked("new");
          }}
        >
          Take one…
        </button>
      </div>
      {listing.error !== undefined && <Problem error={listing.error} />}
      {listing.isComplete && listing.total === 0 && listing.error === undefined && (
        <Notice>There is no snapshot of this agent.</Notice>
      )}
      {listing.items.length > 0 && (
        <Rows
          label="Snapshots to restore"
          count={listing.items.length}
          height={ROW_PX}
          need={listing.need}
          row={(index) => {
            const snapshot = listing.items[index];
            return snapshot && <SnapshotRow snapshot={snapshot} onChoose={setAsked} />;
          }}
        />
      )}
      {asked === "new" && (
        <Create
          agentId={agentId}
          onClose={close}
          onDone={(response) => {
            close();
            setCreated((before) => before + 1);
            announce({ text: "Taken:", name: response.snapshot?.snapshotId ?? "" });
          }}
        />
      )}
      {asked && asked !== "new" && (
        <Restore
          agentId={agentId}
          snapshot={asked}
          onClose={close}
          onDone={() => {
            close();
            announce({ text: "Restored from", name: asked.snapshotId ?? "" });
          }}
        />
      )}
    </section>
  );
}

function SnapshotRow({ snapshot, onChoose }: { snapshot: SnapshotJson; onChoose: (snapshot: SnapshotJson) => void }) {
  const { snapshotId = "", label, trigger, recordCount, sizeBytes, createTime } = snapshot;
  const why = label || wordOf(trigger, "SNAPSHOT_TRIGGER_");
  return (
    <button
      type="button"
      class="row"
      onClick={() => {
        onChoose(snapshot);
      }}
    >
      <span class="title">
        <Line text={snapshotId} />
      </span>
      <span class="side dim">
        <Age time={createTime} />
      </span>
      <span class="sub dim">
        <Line text={`${scopeOf(snapshot)}, ${count(recordCount)} records, ${size(Number(sizeBytes ?? 0))}, ${why}`} />
      </span>
    </button>
  );
}

interface Question<Response> {
  agentId: string;
  onClose: () => void;
  onDone: (response: Response) => void;
}

function Create({ agentId, onClose, onDone }: Question<CreateSnapshotResponseJson>) {
  return (
    <Confirm<CreateSnapshotResponseJson>
      title="Take a snapshot?"
      action="Take a snapshot"
      change={{ method: "SnapshotService/CreateSnapshot", request: { agentId, label: "taken in the console" } }}
      onClose={onClose}
      onDone={onDone}
    >
      <p class="dim">It has all that the agent remembers now, in a file that the daemon keeps until it is deleted.</p>
    </Confirm>
  );
}

function Restore({
  agentId,
  snapshot,
  onClose,
  onDone,
}: Question<RestoreSnapshotResponseJson> & { snapshot: SnapshotJson }) {
  const { snapshotId = "" } = snapshot;
  return (
    <Confirm<RestoreSnapshotResponseJson>
      title="Restore this snapshot?"
      action="Restore the agent"
      change={{ method: "SnapshotService/RestoreSnapshot", request: { agentId, snapshotId } }}
      isHarmful
      onClose={onClose}
      onDone={onDone}
    >
      <p>
        <Line text={snapshotId} />, <Age time={snapshot.createTime} />, {scopeOf(snapshot)}
      </p>
      <p class="dim">
        All that the agent remembers now is replaced by what it remembered then. Other agents stay as they are. To be
        able to go back, take a snapshot first.
      </p>
    </Confirm>
  );
}

function scopeOf({ agentId, agentCount }: SnapshotJson): string {
  return agentId ? "of this agent" : `of all ${count(agentCount)} agents`;
}
