import { useRef, useState } from "preact/hooks";

import { CallError, wordsOf } from "./call";
import { type Change, Intention } from "./intention";

export interface Submission<Response> {
  /** True while a change is carried out. */
  isBusy: boolean;
  /** Why the last change failed; empty after one that did not. */
  failure: string;
  /** Carry out a change, unless one is being carried out. Errors that `onError` does not deal with are the failure. */
  submit: (change: Change, onDone: (response: Response) => void, onError?: OnError) => Promise<void>;
}

/** Returns true if it has dealt with the error. */
type OnError = (error: unknown) => Promise<boolean>;

/** Return how a dialog carries out what somebody confirms in it: once for two clicks, and once for two attempts. */
export function useSubmission<Response>(): Submission<Response> {
  const intention = useRef(new Intention());
  const isSending = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");

  const submit = async (
    change: Change,
    onDone: (response: Response) => void,
    onError: OnError = () => Promise.resolve(false),
  ) => {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    setFailure("");
    try {
      onDone(await intention.current.carryOut<Response>(change));
    } catch (error) {
      try {
        if (!(await onError(error))) setFailure(failureOf(error));
      } catch (another) {
        setFailure(failureOf(another));
      }
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  };
  return { isBusy, failure, submit };
}

function failureOf(error: unknown): string {
  if (!(error instanceof CallError)) return wordsOf(error);
  switch (error.code) {
    case "permission_denied":
      return `This token may not do that: ${error.message}`;
    case "unavailable":
    case "deadline_exceeded":
      return `It is not known whether that was done: ${error.message}. Try again: it is done once.`;
    default:
      return error.message;
  }
}
