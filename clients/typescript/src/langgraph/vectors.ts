import type { IndexConfig, PutOperation } from "@langchain/langgraph-checkpoint";
import { textsAt } from "./text.js";

const FLOAT_BYTES = 4;

type Vector = readonly number[];

/** The configured embedding of items. */
export class VectorIndex {
  readonly #config: IndexConfig;

  constructor(config: IndexConfig) {
    this.#config = config;
  }

  /** Returns the packed vectors of each item by path, after embedding the texts of all in one call. */
  async ofItems(puts: readonly PutOperation[]): Promise<ReadonlyMap<string, string>[]> {
    const texts = puts.map((put) => this.#textsOf(put));
    const different = [...new Set(texts.flatMap((each) => [...each.values()]))];
    const vectors = different.length === 0 ? [] : await this.#config.embeddings.embedDocuments(different);
    if (vectors.length !== different.length) {
      throw new Error(`the embeddings returned ${vectors.length} vectors for ${different.length} texts`);
    }
    const packed = new Map(different.map((text, index) => [text, pack(this.#checked(vectors[index] ?? []))]));
    return texts.map((each) => new Map([...each].map(([path, text]) => [path, packed.get(text) ?? ""])));
  }

  /** Returns the vector of a query, of length 1. */
  async ofQuery(query: string): Promise<Vector> {
    return unit(this.#checked(await this.#config.embeddings.embedQuery(query)));
  }

  /** Returns the texts of an item to embed, by their paths. */
  #textsOf({ value, index }: PutOperation): Map<string, string> {
    const texts = new Map<string, string>();
    if (value === null || index === false) {
      return texts;
    }
    for (const path of index ?? this.#config.fields ?? ["$"]) {
      const found = textsAt(value, path);
      found.forEach((text, number) => texts.set(found.length === 1 ? path : `${path}.${number}`, text));
    }
    return texts;
  }

  #checked(vector: Vector): Vector {
    const { dims } = this.#config;
    if (vector.length !== dims) {
      throw new Error(`the embeddings returned ${vector.length} dimensions: index.dims is ${dims}`);
    }
    return vector;
  }
}

/**
 * Returns the greatest cosine of the packed vectors and a query of length 1. Undefined if none has the size of the query:
 * they were made by other embeddings.
 */
export function score(query: Vector, packed: Iterable<string>): number | undefined {
  const cosines = [...packed].flatMap((each) => {
    const content = Buffer.from(each, "base64");
    if (content.length !== FLOAT_BYTES * query.length) {
      return [];
    }
    return [query.reduce((sum, number, index) => sum + number * content.readFloatLE(FLOAT_BYTES * index), 0)];
  });
  return cosines.length === 0 ? undefined : Math.max(...cosines);
}

/** Returns the vector scaled to length 1, so that a dot product is a cosine. A vector of zeros is unchanged. */
function unit(vector: Vector): Vector {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((number) => number / length);
}

/** Returns the vector scaled to length 1 as text: little-endian 4-byte floats in base64. */
function pack(vector: Vector): string {
  const content = Buffer.alloc(FLOAT_BYTES * vector.length);
  unit(vector).forEach((number, index) => content.writeFloatLE(number, FLOAT_BYTES * index));
  return content.toString("base64");
}
