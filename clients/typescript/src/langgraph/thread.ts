/*
 * The layout of a thread's checkpoints: an agent for each thread, with these keys, as Python's checkpointer has them.
 *
 *     thread                                  the thread's id; written with each checkpoint
 *     checkpoint/NAMESPACE/ID/                a checkpoint; ids are inverted, so that the newest is listed first
 *     checkpoint/NAMESPACE/ID/write/TASK      the writes of a task after the checkpoint
 *     blob/NAMESPACE/CHANNEL/VERSION          the value of a channel
 */
import { part } from "../adapter/name.js";

export const THREAD = "thread";
export const CHECKPOINTS = "checkpoint/";

/** Returns the prefix of the keys of a namespace's checkpoints. */
export function namespacePrefix(checkpointNs: string): string {
  return `${CHECKPOINTS}${part(checkpointNs)}/`;
}

/** Returns the key of a checkpoint, which is the prefix of the keys of its writes. */
export function checkpointKey(checkpointNs: string, checkpointId: string): string {
  return `${namespacePrefix(checkpointNs)}${newestFirst(checkpointId)}/`;
}

/** Returns the id encoded so that a greater id sorts first. */
export function newestFirst(checkpointId: string): string {
  const inverted = Buffer.from(checkpointId).map((byte) => 255 - byte);
  // "~" sorts after the digits, so that an id comes after the longer ids that begin with it.
  return `${Buffer.from(inverted).toString("hex")}~`;
}

/** Returns the key of a task's writes after the checkpoint of this key. */
export function writeKey(checkpoint: string, taskId: string): string {
  return `${writesPrefix(checkpoint)}${part(taskId)}`;
}

/** Returns the prefix of the keys of all writes after the checkpoint of this key. */
export function writesPrefix(checkpoint: string): string {
  return `${checkpoint}write/`;
}

/** Returns the key of a channel's value. */
export function blobKey(checkpointNs: string, channel: string, version: string | number): string {
  return `blob/${part(checkpointNs)}/${part(channel)}/${part(String(version))}`;
}

/** Returns the key of the checkpoint that an entry belongs to, by the entry's key. */
export function checkpointOf(key: string): string {
  return key
    .split("/", 3)
    .map((each) => `${each}/`)
    .join("");
}

/** Returns the part of a checkpoint's key that orders a namespace's checkpoints by age: the newest sorts first. */
export function ageOf(checkpoint: string): string {
  return checkpoint.split("/")[2] ?? "";
}
