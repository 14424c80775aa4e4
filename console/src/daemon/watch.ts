/** The stream of events, which goes on where it was after the daemon or the network was away. */

import type { EventFilterJson, EventJson } from "#protos/event_pb";
import type { WatchEventsResponseJson } from "#protos/event_service_pb";

import { CallError, post, wordsOf } from "./call";

const WAIT_MS_MIN = 250;
const WAIT_MS_MAX = 4_000;
/** Codes of errors that the same request would meet again. */
const FINAL = new Set(["unauthenticated", "permission_denied", "invalid_argument", "out_of_range", "unimplemented"]);

export type WatchState = { kind: "connecting" | "live" | "paused" } | { kind: "away" | "failed"; why: string };

export interface Watch {
  /** Note each change of the stream's state. */
  onState: (state: WatchState) => void;
  onEvents: (events: readonly EventJson[]) => void;
  /** Note the id of each message, after its events. */
  onPlace: (last: string) => void;
}

/**
 * Read events until `signal` is aborted.
 *
 * @param after The id of the last message of an earlier stream: nothing after it is missed. Empty to start now.
 */
export async function watch(
  filters: readonly EventFilterJson[],
  after: string,
  signal: AbortSignal,
  { onState, onEvents, onPlace }: Watch,
): Promise<void> {
  let last = after;
  let wait = WAIT_MS_MIN;
  const isOver = () => signal.aborted;
  onState({ kind: "connecting" });
  while (!isOver()) {
    try {
      const more: Record<string, string> = last ? { "last-event-id": last } : {};
      const request = { filters, progressInterval: "1s" };
      const response = await post("EventService/WatchEvents", request, "text/event-stream", more, signal);
      let isLive = false;
      for await (const message of messagesOf(response)) {
        if (message.event === "error") throw errorOf(message.data);
        if (!isLive) onState({ kind: "live" });
        isLive = true;
        wait = WAIT_MS_MIN;
        const { events } = JSON.parse(message.data) as WatchEventsResponseJson;
        if (events?.length) onEvents(events);
        last = message.id || last;
        onPlace(last);
      }
      throw new CallError("unavailable", "the daemon has closed the stream");
    } catch (error) {
      if (isOver()) break;
      if (error instanceof CallError && FINAL.has(error.code)) {
        onState({ kind: "failed", why: error.message });
        return;
      }
      onState({ kind: "away", why: wordsOf(error) });
    }
    await pause(wait, signal);
    wait = Math.min(2 * wait, WAIT_MS_MAX);
  }
}

interface Message {
  id: string;
  event: string;
  data: string;
}

/** Yield the messages of a stream of server-sent events, in the form in which the daemon writes them. */
async function* messagesOf(response: Response): AsyncGenerator<Message> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const unfinished: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // A large message comes in many parts: only the new one is searched, together with a half of a blank line.
    const before = unfinished.at(-1)?.endsWith("\n") && value.startsWith("\n");
    if (!before && !value.includes("\n\n")) {
      unfinished.push(value);
      continue;
    }
    const blocks = (unfinished.join("") + value).split("\n\n");
    unfinished.length = 0;
    unfinished.push(blocks.pop() ?? "");
    for (const block of blocks) yield messageOf(block);
  }
}

function messageOf(block: string): Message {
  const message = { id: "", event: "message", data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const value = line.slice(colon + 1).trimStart();
    const name = line.slice(0, colon);
    if (name === "id" || name === "event") message[name] = value;
    else if (name === "data") message.data += value;
  }
  return message;
}

function errorOf(data: string): CallError {
  const { code, message } = JSON.parse(data) as { code: string; message: string };
  return new CallError(code, message);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
