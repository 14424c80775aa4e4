import { useId, useState } from "preact/hooks";

import type { EndAgentResponseJson } from "#protos/agent_service_pb";

import { useChanging } from "../../../view/changing";
import { Inert } from "../../../view/inert";
import { Confirm } from "../change/confirm";
import { wordsOfCounts } from "./count";

/** Ends an agent, once somebody has typed its id. */
export function EndAgent({ agentId }: { agentId: string }) {
  const { announce, may } = useChanging();
  const mayTakeSnapshot = may("METHOD_VERB_SNAPSHOT");
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const [createSnapshot, setCreateSnapshot] = useState(mayTakeSnapshot);
  const [ended, setEnded] = useState<EndAgentResponseJson>();
  const id = useId();
  const close = () => {
    setAsking(false);
    setTyped("");
  };
  const change = { method: "AgentService/EndAgent", request: { agentId, createSnapshot } } as const;
  return (
    <section class="card" aria-labelledby="end-agent">
      <h2 id="end-agent">End the agent</h2>
      <p class="dim">It is deleted with all that it remembers.</p>
      <button
        type="button"
        class="harmful"
        onClick={() => {
          setAsking(true);
        }}
      >
        End…
      </button>
      {ended && (
        <p role="status">
          {ended.deleted ? `Ended: ${wordsOfCounts(ended.cleared)} removed.` : "There was no such agent."}{" "}
          {ended.snapshot && `The snapshot ${ended.snapshot.snapshotId ?? ""} restores it.`}
        </p>
      )}
      {isAsking && (
        <Confirm<EndAgentResponseJson>
          title="End this agent?"
          action="End the agent"
          change={typed === agentId ? change : undefined}
          isHarmful
          onClose={close}
          onDone={(response) => {
            close();
            setEnded(response);
            announce({ text: "Ended:", name: agentId });
          }}
        >
          <p>
            <Inert text={agentId} max={300} /> and everything that it remembers is deleted.
          </p>
          {mayTakeSnapshot && (
            <label class="choice">
              <input
                type="checkbox"
                checked={createSnapshot}
                onChange={(event) => {
                  setCreateSnapshot(event.currentTarget.checked);
                }}
              />
              Take a last snapshot, by which it can be restored
            </label>
          )}
          <label for={id}>Type the id of the agent to confirm</label>
          <input
            id={id}
            autofocus
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
            }}
          />
        </Confirm>
      )}
    </section>
  );
}
