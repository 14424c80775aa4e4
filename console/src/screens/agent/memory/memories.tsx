import { useEffect, useState } from "preact/hooks";

import type { MemoryJson } from "#protos/memory_pb";
import type { RecallMemoriesResponseJson, ScoredMemoryJson } from "#protos/long_term_memory_service_pb";

import { call } from "../../../daemon/call";
import { Detail } from "../../../view/detail";
import { Inert, Line } from "../../../view/inert";
import { Notice, Problem } from "../../../view/notice";
import { Fields } from "../../../view/fields";
import { Meter } from "../../../view/plot";
import { Rows } from "../../../view/rows";
import { count } from "../../../view/word";
import { Actions } from "../change/actions";
import { recordTarget } from "../change/target";
import type { AnyRecord, Kind } from "../kinds";
import { readMemoriesThen } from "./as-of";
import { MemoryDetail } from "./detail";
import { Records } from "../records";

const FOUND_MAX = 100;
const ROW_PX = 76;
const THEN = "Links, recalls and vectors are those of now. What was purged or has expired since is not found.";

/** All memories, or those that a recall finds for a question, with the parts of their scores. */
export function Memories({ agentId, kind }: { agentId: string; kind: Kind }) {
  const [question, setQuestion] = useState("");
  const [tag, setTag] = useState("");
  const [areForgotten, setForgotten] = useState(false);
  const filter = { allUsers: true, ...(tag && { allTags: [tag] }) };
  const selection = tag || areForgotten ? { filter, ...(areForgotten && { forgottenOnly: true }) } : undefined;
  const [readTime, setReadTime] = useState("");
  return (
    <>
      <form
        class="filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <label>
          <span>Recall</span>
          <input
            type="search"
            placeholder="a question in plain words"
            onChange={(event) => {
              setQuestion(event.currentTarget.value.trim());
            }}
          />
        </label>
        {!question && !readTime && (
          <>
            <label>
              <span>Tag</span>
              <input
                type="search"
                class="short"
                defaultValue={tag}
                onChange={(event) => {
                  setTag(event.currentTarget.value.trim());
                }}
              />
            </label>
            <label>
              <input
                type="checkbox"
                checked={areForgotten}
                onChange={(event) => {
                  setForgotten(event.currentTarget.checked);
                }}
              />
              <span>Forgotten</span>
            </label>
          </>
        )}
        <label>
          <span>As of</span>
          <input
            type="datetime-local"
            step="0.001"
            onChange={(event) => {
              setReadTime(timeOf(event.currentTarget.value));
            }}
          />
        </label>
        {readTime && <span class="dim">{THEN}</span>}
      </form>
      {question ? (
        <Found agentId={agentId} kind={kind} question={question} readTime={readTime} />
      ) : readTime ? (
        <Records
          key="then"
          agentId={agentId}
          kind={kind}
          read={(pageToken, signal) => readMemoriesThen(agentId, readTime, pageToken, signal)}
          version={readTime}
        />
      ) : (
        <Records key={areForgotten} agentId={agentId} kind={kind} {...(selection && { selection })} />
      )}
    </>
  );
}

/** Return the time that was chosen in the browser's own zone; empty if there is none. */
function timeOf(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}

interface FoundProps {
  agentId: string;
  kind: Kind;
  question: string;
  /** The time as of which memories are recalled; empty for now. */
  readTime: string;
}

function Found({ agentId, kind, question, readTime }: FoundProps) {
  const [chosen, setChosen] = useState<ScoredMemoryJson>();
  const [undone, setUndone] = useState(0);
  const [response, setResponse] = useState<RecallMemoriesResponseJson>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const ending = new AbortController();
    setResponse(undefined);
    setError(undefined);
    setChosen(undefined);
    // Without a minimum, the page also shows what a recall would leave out, and why.
    const request = {
      agentId,
      query: question,
      limit: FOUND_MAX,
      minScore: 0,
      filter: { allUsers: true },
      ...(readTime && { readTime }),
    };
    call<RecallMemoriesResponseJson>("LongTermMemoryService/RecallMemories", request, ending.signal).then(
      setResponse,
      (reason: unknown) => {
        if (!ending.signal.aborted) setError(reason);
      },
    );
    return () => {
      ending.abort();
    };
  }, [agentId, question, readTime, undone]);
  const memories = response?.memories ?? [];
  const changed = (scored: ScoredMemoryJson, record: AnyRecord | undefined) => {
    const newest = record && { ...scored, memory: record as MemoryJson };
    setChosen(newest);
    setResponse({ ...response, memories: memories.flatMap((each) => (each === scored ? (newest ?? []) : each)) });
  };
  return (
    <div class="split">
      <div class="list">
        {error !== undefined && <Problem error={error} />}
        {response && (
          <p class="dim summary" role="status">
            {memories.length === 0 ? "Nothing matches." : `${count(response.matchCount)} match, the best first.`}{" "}
            {!response.semanticUsed &&
              "There is no vector of the question: they are compared by words, time and links."}
          </p>
        )}
        {!response && error === undefined && <Notice>Recalling…</Notice>}
        <Rows
          label="Recalled memories"
          count={memories.length}
          height={ROW_PX}
          row={(index) => {
            const scored = memories[index];
            return scored && <FoundRow scored={scored} isChosen={scored === chosen} onChoose={setChosen} />;
          }}
        />
      </div>
      {chosen && (
        <Detail
          title="memory"
          onClose={() => {
            setChosen(undefined);
          }}
        >
          <Reasons scored={chosen} />
          <h3>Memory</h3>
          {!readTime && (
            <Actions
              target={recordTarget(agentId, kind, { ...chosen.memory })}
              onChanged={(record) => {
                changed(chosen, record);
              }}
              onUndone={() => {
                setUndone((before) => before + 1);
              }}
            />
          )}
          <MemoryDetail key={chosen.memory?.memoryId} agentId={agentId} memory={chosen.memory ?? {}} />
        </Detail>
      )}
    </div>
  );
}

interface FoundRowProps {
  scored: ScoredMemoryJson;
  isChosen: boolean;
  onChoose: (scored: ScoredMemoryJson) => void;
}

function FoundRow({ scored, isChosen, onChoose }: FoundRowProps) {
  return (
    <button
      type="button"
      class="row"
      aria-pressed={isChosen}
      onClick={() => {
        onChoose(scored);
      }}
    >
      <span class="title">
        <Line text={scored.memory?.content ?? ""} />
      </span>
      <span class="side dim">{scored.linkedFromMemoryId ? "by a link" : scored.timePhrase}</span>
      <span class="scores dim">
        <Score title="score" value={scored.score} />
        <Score title="words" value={scored.lexicalScore} />
        <Score title="meaning" value={scored.semanticScore} />
      </span>
    </button>
  );
}

function Score({ title, value }: { title: string; value: ScoredMemoryJson["score"] }) {
  return (
    <span class="score">
      {title} {figure(value)}
      <Meter value={Number(value ?? 0)} max={1} label={title} />
    </span>
  );
}

/** Why a memory was recalled, and what speaks against it. */
function Reasons({ scored }: { scored: ScoredMemoryJson }) {
  const parts = Object.entries(scored).filter(([name]) => name !== "memory" && name !== "matchReason");
  return (
    <>
      <p>
        <Inert text={scored.matchReason ?? ""} />
      </p>
      <Fields record={Object.fromEntries(parts)} />
    </>
  );
}

function figure(value: ScoredMemoryJson["score"]): string {
  return Number(value ?? 0).toFixed(2);
}
