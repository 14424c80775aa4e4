import { useEffect, useState } from "preact/hooks";

import type { ForgetUserResponseJson } from "#protos/agent_service_pb";

import { call } from "../../../daemon/call";
import { useChanging } from "../../../view/changing";
import { Line } from "../../../view/inert";
import { Notice, Problem } from "../../../view/notice";
import { count } from "../../../view/word";
import { Confirm } from "../change/confirm";
import { type AnyRecord, KINDS } from "../kinds";
import { wordsOfCounts } from "./count";

/** Forgets a person, after it has shown how many records of theirs there are. */
export function ForgetUser({ agentId }: { agentId: string }) {
  const { announce } = useChanging();
  const [userId, setUserId] = useState("");
  const [isAsking, setAsking] = useState(false);
  const [forgotten, setForgotten] = useState<ForgetUserResponseJson>();
  const close = () => {
    setAsking(false);
  };
  return (
    <section class="card" aria-labelledby="forget-user">
      <h2 id="forget-user">Forget a user</h2>
      <p class="dim">All records of a person are removed, of every kind, and erased from the journal.</p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setForgotten(undefined);
          setAsking(userId !== "");
        }}
      >
        <label>
          <span>User</span>
          <input
            value={userId}
            autocomplete="off"
            required
            onInput={(event) => {
              setUserId(event.currentTarget.value);
            }}
          />
        </label>
        <button type="submit">Forget…</button>
      </form>
      {forgotten && <Receipt response={forgotten} />}
      {isAsking && (
        <Confirm<ForgetUserResponseJson>
          title="Forget this user?"
          action="Forget the user"
          change={{ method: "AgentService/ForgetUser", request: { agentId, userId } }}
          isHarmful
          onClose={close}
          onDone={(response) => {
            close();
            setForgotten(response);
            announce({ text: "Forgotten:", name: userId });
          }}
        >
          <p>
            <Line text={userId} />
          </p>
          <Records agentId={agentId} userId={userId} />
          <p class="dim">
            Entries in all scopes go too, and what belongs to these records. It cannot be undone; snapshots from before
            keep them until they are deleted.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Receipt({ response }: { response: ForgetUserResponseJson }) {
  const ids = response.receipt?.snapshotIds ?? response.snapshotIds ?? [];
  return (
    <div role="status">
      <p>Removed: {wordsOfCounts(response.deleted)}.</p>
      {ids.length > 0 && <p>Snapshots that may still have records of this user: {ids.join(", ")}.</p>}
    </div>
  );
}

/** Numbers of a user's records by kind. */
function Records({ agentId, userId }: { agentId: string; userId: string }) {
  const [counts, setCounts] = useState<readonly (readonly [string, number])[]>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const ending = new AbortController();
    countsOf(agentId, userId, ending.signal).then(setCounts, (reason: unknown) => {
      if (!ending.signal.aborted) setError(reason);
    });
    return () => {
      ending.abort();
    };
  }, [agentId, userId]);
  if (error !== undefined) return <Problem error={error} />;
  if (!counts) return <Notice>Counting…</Notice>;
  const found = counts.filter(([, number]) => number > 0);
  if (found.length === 0) return <p>No memory, note, fragment, document, plan or conversation is of this user.</p>;
  return (
    <ul class="plain" aria-label="What is removed">
      {found.map(([title, number]) => (
        <li key={title}>
          <span>{title}</span>
          <span>{count(number)}</span>
        </li>
      ))}
    </ul>
  );
}

async function countsOf(agentId: string, userId: string, signal: AbortSignal) {
  const request = { agentId, pageSize: 1, filter: { userIds: [userId] } };
  const ways = [
    ["Entries of the root", "WorkingMemoryService/ListEntries"] as const,
    ...KINDS.map(({ title, method }) => [title, method] as const),
  ];
  return Promise.all(
    ways.map(async ([title, method]) => {
      const { totalCount } = await call<AnyRecord>(method, request, signal);
      return [title, Number(totalCount ?? 0)] as const;
    }),
  );
}
