/** What the client exports wherever it runs. */
export type { Agent } from "./agent.js";
export type { Batch } from "./batch.js";
export type { Batching } from "./batching/batcher.js";
export type { Client } from "./client.js";
export type { ClientOptions } from "./client-options.js";
export type { Consistency } from "./consistency.js";
export type { AgentCondition, CallOptions, Condition, EntryOptions, Revision } from "./entry-options.js";
export * from "./errors.js";
export { Json } from "./json.js";
export type { Consumer, ConsumerOptions, FragmentHandler } from "./kinds/consumer.js";
export type * from "./kinds/contexts.js";
export type * from "./kinds/conversations.js";
export type * from "./kinds/documents.js";
export type * from "./kinds/entities.js";
export type * from "./kinds/filters.js";
export type * from "./kinds/fragments.js";
export type * from "./kinds/ingestion.js";
export type * from "./kinds/inputs.js";
export type { Repeatable, View, WithAgentCondition } from "./kinds/kind.js";
export type * from "./kinds/links.js";
export type * from "./kinds/memories.js";
export type * from "./kinds/notes.js";
export type * from "./kinds/plans.js";
export type { UploadOptions } from "./kinds/uploading.js";
export type { NearCache } from "./near-cache/near-cache.js";
export type { NearListing, NearMemory, NearReadOptions } from "./near-cache/near-memory.js";
export type { NearCacheOptions, WhenStale } from "./near-cache/options.js";
export { countsByKind } from "./record-counts.js";
export type { ReservationOptions } from "./reservation.js";
export type {
  CommitOptions,
  Transaction,
  TransactionScope,
  WriteMethod,
  WriteRequest,
  WriteResponse,
  Written,
} from "./transaction.js";
export { decode, type Check } from "./value.js";
export type { EventSelection, Watch, WatchOptions } from "./watch.js";
export { RESTARTED, type WatchMessage } from "./watch-progress.js";
export type { Listing, MergeOptions, ReadOptions, Scope, ScopeOptions, WorkingMemory } from "./working-memory.js";
