import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import { textsOf, typed, untyped, type Typed } from "./document.js";
import { blobKey, checkpointKey } from "./thread.js";

type Version = ChannelVersions[string];
type Config = CheckpointTuple["config"];

/** A checkpoint as it is stored, without the values that are blobs. Python's checkpointer has the same fields. */
export interface StoredCheckpoint {
  readonly ns: string;
  readonly id: string;
  readonly parent: string | null;
  readonly checkpoint: Typed;
  readonly metadata: Typed;
  /** The channels whose values are blobs, with their versions. */
  readonly blobs: Readonly<Record<string, Version>>;
  /** The channels whose values are in the checkpoint itself: here those without a version, in Python also small ones. */
  readonly inlined: readonly string[];
}

/** Where a checkpoint belongs. */
export interface Address {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly checkpointId?: string | undefined;
}

/**
 * Returns what a configuration names: the thread, the root's namespace without another one, and maybe a checkpoint.
 *
 * @throws TypeError without a thread.
 */
export function addressIn(config: Config): Address {
  const { thread_id: threadId, checkpoint_ns: checkpointNs = "", checkpoint_id: checkpointId } = configurable(config);
  if (threadId === undefined) {
    throw new TypeError("the configuration names no thread: configurable.thread_id is missing");
  }
  return { threadId: String(threadId), checkpointNs, checkpointId: checkpointId || undefined };
}

/** Returns the configurable part of a configuration, which names threads and checkpoints. */
export function configurable(config: Config): {
  readonly thread_id?: string | number;
  readonly checkpoint_ns?: string;
  readonly checkpoint_id?: string;
} {
  return config.configurable ?? {};
}

/** Returns the configuration that names a checkpoint. */
export function configOf({ threadId, checkpointNs }: Address, checkpointId: string): Config {
  return { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId } };
}

/** Returns the keys and JSON texts that store a checkpoint and the values that have changed with it. */
export async function textsOfCheckpoint(
  serde: SerializerProtocol,
  { checkpointNs, checkpointId }: Address,
  checkpoint: Checkpoint,
  metadata: CheckpointMetadata,
  newVersions: ChannelVersions,
): Promise<[string, string][]> {
  const { channel_values: values, channel_versions: versions } = checkpoint;
  const inlined: Record<string, unknown> = {};
  const blobs: Record<string, Version> = {};
  const texts: [string, string][] = [];
  for (const [channel, value] of Object.entries(values)) {
    const version = versions[channel];
    if (version === undefined) {
      inlined[channel] = value;
      continue;
    }
    blobs[channel] = version;
    if (Object.hasOwn(newVersions, channel)) {
      texts.push(...textsOf(blobKey(checkpointNs, channel, version), { value: await typed(serde, value) }));
    }
  }
  const stored: StoredCheckpoint = {
    ns: checkpointNs,
    id: checkpoint.id,
    parent: checkpointId ?? null,
    checkpoint: await typed(serde, { ...checkpoint, channel_values: inlined }),
    metadata: await typed(serde, metadata),
    blobs,
    inlined: Object.keys(inlined),
  };
  return [...texts, ...textsOf(checkpointKey(checkpointNs, checkpoint.id), stored)];
}

/** Returns the keys of the values that are blobs, by channel. */
export function blobKeys({ ns, blobs }: StoredCheckpoint): Map<string, string> {
  return new Map(Object.entries(blobs).map(([channel, version]) => [channel, blobKey(ns, channel, version)]));
}

/** Returns the decoded metadata. */
export async function metadataOf(serde: SerializerProtocol, stored: StoredCheckpoint): Promise<CheckpointMetadata> {
  return (await untyped(serde, stored.metadata)) as CheckpointMetadata;
}

/** Returns the checkpoint as LangGraph's type. `values` are those that are blobs, by channel. */
export async function tupleOf(
  serde: SerializerProtocol,
  threadId: string,
  stored: StoredCheckpoint,
  values: Readonly<Record<string, unknown>>,
  pendingWrites: CheckpointPendingWrite[],
): Promise<CheckpointTuple> {
  const checkpoint = (await untyped(serde, stored.checkpoint)) as Checkpoint;
  const address = { threadId, checkpointNs: stored.ns };
  return {
    config: configOf(address, stored.id),
    checkpoint: { ...checkpoint, channel_values: { ...checkpoint.channel_values, ...values } },
    metadata: await metadataOf(serde, stored),
    ...(stored.parent !== null && { parentConfig: configOf(address, stored.parent) }),
    pendingWrites,
  };
}
