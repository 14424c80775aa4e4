import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client as Stub } from "@connectrpc/connect";
import type { Entry } from "#protos/memoryd/v1/entry_pb";
import { RecordView } from "#protos/memoryd/v1/listing_pb";
import { WorkingMemoryService, type EntryOperationSchema } from "#protos/memoryd/v1/working_memory_service_pb";
import type { Client } from "../client.js";
import { preconditionOf, type Condition } from "../entry-options.js";
import { PageTokenExpired } from "../errors.js";

export type EntryOperation = MessageInitShape<typeof EntryOperationSchema>;

/** An entry has up to 1 MiB, and a client receives messages of up to 64 MiB. */
const ENTRIES_READ_MAX = 50;
const PAGE_SIZE_MAX = 1_000;
/** A listing expires if too much is written before its last page is read. It is then started again, up to this often. */
const LISTINGS_MAX = 10;

/** What to list: the entries whose keys start with a prefix, in the order of their keys. */
interface Listing {
  readonly keyPrefix: string;
  /** If false, the entries are without values. Default: true. */
  readonly content?: boolean;
  /** From 1. Default: the maximum. */
  readonly pageSize?: number;
}

/** The entries of an agent's root scope. */
export class Entries {
  readonly #stub: Stub<typeof WorkingMemoryService>;

  constructor(
    client: Client,
    readonly agentId: string,
  ) {
    this.#stub = client.stub(WorkingMemoryService);
  }

  /** Returns the entries of any number of keys, those that there are. Each 50 of them are read at one revision. */
  async read(keys: Iterable<string>): Promise<Map<string, Entry>> {
    const wanted = [...new Set(keys)];
    const found = new Map<string, Entry>();
    for (let start = 0; start < wanted.length; start += ENTRIES_READ_MAX) {
      const some = wanted.slice(start, start + ENTRIES_READ_MAX);
      const { entries } = await this.#stub.batchGetEntries({ agentId: this.agentId, keys: some, localOnly: true });
      for (const entry of entries) {
        found.set(entry.key, entry);
      }
    }
    return found;
  }

  /** Returns what `take` makes of a listing, whose entries are of one revision. */
  async list<T>(listing: Listing, take: (entries: AsyncIterable<Entry>) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await take(this.#pages(listing));
      } catch (error) {
        if (!(error instanceof PageTokenExpired) || attempt === LISTINGS_MAX) {
          throw error;
        }
      }
    }
  }

  /** Makes changes at one revision, all or none: at most 1,000, and 16 MiB. */
  async write(operations: EntryOperation[]): Promise<void> {
    await this.#stub.batchWriteEntries({ agentId: this.agentId, operations });
  }

  async *#pages({ keyPrefix, content = true, pageSize = PAGE_SIZE_MAX }: Listing): AsyncGenerator<Entry> {
    const filter = { kind: { case: "entry" as const, value: { keyPrefixes: [keyPrefix] } } };
    const view = content ? RecordView.FULL : RecordView.WITHOUT_CONTENT;
    const request = { agentId: this.agentId, filter, view, pageSize: Math.min(pageSize, PAGE_SIZE_MAX) };
    let pageToken = "";
    do {
      const page = await this.#stub.listEntries({ ...request, pageToken });
      yield* page.entries;
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
  }
}

/** Returns the change that stores JSON text. */
export function setOperation(key: string, valueJson: string, condition: Condition = {}): EntryOperation {
  const value = { key, content: { case: "valueJson" as const, value: valueJson }, ...preconditionOf(condition) };
  return { operation: { case: "set", value } };
}

/** Returns the change that removes a key. */
export function removeOperation(key: string): EntryOperation {
  return { operation: { case: "remove", value: { key } } };
}
