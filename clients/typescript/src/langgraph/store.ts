import {
  BaseStore,
  type GetOperation,
  type IndexConfig,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { Connection } from "../adapter/connection.js";
import type { Client } from "../client.js";
import { Entries, removeOperation, setOperation } from "./entries.js";
import { itemJson, itemKey, itemOf, storedItem } from "./item.js";
import { listNamespaces, search } from "./search.js";
import { VectorIndex } from "./vectors.js";

/** The options of a store. */
export interface MemorydStoreOptions {
  /** A client, which stays open, or a target as of `connect`. Default: that of `connect`. */
  readonly client?: Client | string;
  /** The agent that holds the items, under keys that begin with `item/`. Default: `langgraph`. */
  readonly agentId?: string;
  /** The embedding of texts. Without it, a query does not rank the results. */
  readonly index?: IndexConfig;
}

/**
 * A store of LangGraph whose items are entries of an agent. Close it, or declare it with `using`.
 *
 * All puts of a batch are one change; its reads find what was there before. A namespace and a key have at most 1,024 bytes
 * of UTF-8 together, else a RangeError is thrown. A value and its vectors have at most 1 MiB as JSON, else TooLarge.
 *
 * Every method rejects with a MemorydError if the daemon refuses or cannot be reached, and with UnsupportedValue for a
 * value that JSON cannot represent.
 */
export class MemorydStore extends BaseStore implements Disposable {
  readonly #connection: Connection;
  readonly #entries: Entries;
  readonly #index: VectorIndex | undefined;

  constructor({ client, agentId = "langgraph", index }: MemorydStoreOptions = {}) {
    super();
    this.#connection = new Connection(client);
    this.#entries = new Entries(this.#connection.client, agentId);
    this.#index = index && new VectorIndex(index);
  }

  /** Performs operations; all puts among them are one change. Of several puts to one key, the last is stored. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const gets = await this.#entries.read(operations.filter(isGet).map(keyOf));
    const results: unknown[] = [];
    for (const operation of operations) {
      results.push(isGet(operation) ? itemIn(gets, operation) : await this.#found(operation));
    }
    await this.#put(operations.filter(isPut));
    return results as OperationResults<Op>;
  }

  /** Closes the store's own client. */
  override stop(): void {
    this.#connection.close();
  }

  /** Closes the store's own client. */
  [Symbol.dispose](): void {
    this.stop();
  }

  async #found(operation: SearchOperation | PutOperation | ListNamespacesOperation): Promise<unknown> {
    if (isPut(operation)) {
      return undefined;
    }
    return "namespacePrefix" in operation
      ? search(this.#entries, operation, this.#index)
      : listNamespaces(this.#entries, operation);
  }

  async #put(operations: readonly PutOperation[]): Promise<void> {
    const last = [...new Map(operations.map((put) => [keyOf(put), put]))];
    if (last.length === 0) {
      return;
    }
    const vectors = (await this.#index?.ofItems(last.map(([, put]) => put))) ?? [];
    const changes = last.map(([key, { value }], index) =>
      value === null ? removeOperation(key) : setOperation(key, itemJson(value, vectors[index] ?? new Map())),
    );
    await this.#entries.write(changes);
  }
}

function isPut(operation: Operation): operation is PutOperation {
  return "value" in operation;
}

function isGet(operation: Operation): operation is GetOperation {
  return "key" in operation && !isPut(operation);
}

function keyOf({ namespace, key }: GetOperation | PutOperation): string {
  return itemKey(namespace, key);
}

function itemIn(entries: Awaited<ReturnType<Entries["read"]>>, operation: GetOperation): Item | null {
  const entry = entries.get(keyOf(operation));
  return entry ? itemOf(entry, storedItem(entry)) : null;
}
