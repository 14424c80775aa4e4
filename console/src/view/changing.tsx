import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";

import { wordsOf } from "../daemon/call";
import { Line } from "./inert";

/** Something that was changed. */
export interface Done {
  text: string;
  /** The name of what was changed, by an agent. */
  name?: string;
  /** Undo it. Absent if that is not possible. */
  undo?: () => Promise<unknown>;
}

/** The rights that changes need. */
export const CHANGING_VERBS = ["METHOD_VERB_WRITE", "METHOD_VERB_DELETE", "METHOD_VERB_SNAPSHOT"] as const;

type Verb = (typeof CHANGING_VERBS)[number];

interface Changes {
  /** The rights to show: those of the caller, while somebody has switched changes on; none otherwise. */
  verbs: ReadonlySet<string>;
  announce: (done: Done) => void;
}

const Changes = createContext<Changes>({ verbs: new Set(), announce: () => undefined });

export const ChangesProvider = Changes.Provider;

/** Return how to announce a change, and whether one that needs a verb can be made: for some agent, by what is known. */
export function useChanging() {
  const { verbs, announce } = useContext(Changes);
  return { announce, may: (verb: Verb) => verbs.has(verb) };
}

export type { Changes };

/** Switches changes on and off. */
export function ChangesSwitch({
  areAllowed,
  onSwitch,
}: {
  areAllowed: boolean;
  onSwitch: (areAllowed: boolean) => void;
}) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        checked={areAllowed}
        onChange={(event) => {
          onSwitch(event.currentTarget.checked);
        }}
      />
      <span>Allow changes</span>
    </label>
  );
}

/** What was changed last, and a way back if there is one. */
export function Announcement({ done, onDone }: { done: Done | undefined; onDone: (done: Done | undefined) => void }) {
  const [isUndoing, setUndoing] = useState(false);
  const undo = async (way: () => Promise<unknown>) => {
    setUndoing(true);
    try {
      await way();
      onDone({ text: "Undone." });
    } catch (error) {
      onDone({ text: `Not undone: ${wordsOf(error)}`, undo: way });
    }
    setUndoing(false);
  };
  return (
    <div class={done ? "announcement" : "announcement none"} role="status" aria-label="Last change">
      {done && (
        <>
          <span class="line">
            {done.text} {done.name && <Line text={done.name} />}
          </span>
          {done.undo && (
            <button
              type="button"
              disabled={isUndoing}
              onClick={() => {
                if (done.undo) void undo(done.undo);
              }}
            >
              Undo
            </button>
          )}
          <button
            type="button"
            class="link"
            onClick={() => {
              onDone(undefined);
            }}
          >
            Dismiss
          </button>
        </>
      )}
    </div>
  );
}
