import type { CallOptions } from "../entry-options.js";

const DEFAULT_STALENESS_MS = 5_000;
const STALENESS_MS_MIN = 100;
const DEFAULT_BYTES_MAX = 64 * 1024 * 1024;
/** The number of times that a cache finds out how current it is, within the staleness that it may have. */
const PROBES = 3;
/** The longest time of a timer of Node. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * What a read does while the cache may be older than its `maxStalenessMs`: "ask" has the daemon answer it, "refuse"
 * throws `StaleRead`, "serve" returns what the cache has.
 */
export type WhenStale = "ask" | "refuse" | "serve";

const BEHAVIOURS: readonly string[] = ["ask", "refuse", "serve"] satisfies WhenStale[];

/** The options of a near cache. */
export interface NearCacheOptions extends Pick<CallOptions, "signal"> {
  /**
   * Every read has all changes that were committed at least this long before it, in milliseconds: at least 100. Default:
   * 5,000. Infinity is no bound, and no calls to find out.
   */
  readonly maxStalenessMs?: number;
  /** What a read does while that is not certain. Default: "ask". */
  readonly whenStale?: WhenStale;
  /** Holds only this scope, those below it, and those that it inherits from. Default: all scopes. */
  readonly scopeId?: string;
  /** Holds only the entries whose keys start with this. Reads of others are calls to the daemon. Default: all entries. */
  readonly keyPrefix?: string;
  /** If false, no notes are held, and reads of notes are calls to the daemon. Default: true. */
  readonly notes?: boolean;
  /** The maximum memory of the records in bytes, roughly. Default: 64 MiB. */
  readonly maxBytes?: number;
}

/** The options of a near cache with their defaults. */
export class NearCacheSettings {
  readonly maxStalenessMs: number;
  readonly whenStale: WhenStale;
  readonly scopeId: string;
  readonly keyPrefix: string;
  readonly notes: boolean;
  readonly maxBytes: number;

  /** Throws a RangeError for an option that is not allowed. */
  constructor(options: NearCacheOptions) {
    this.maxStalenessMs = options.maxStalenessMs ?? DEFAULT_STALENESS_MS;
    this.whenStale = options.whenStale ?? "ask";
    this.scopeId = options.scopeId ?? "";
    this.keyPrefix = options.keyPrefix ?? "";
    this.notes = options.notes ?? true;
    this.maxBytes = options.maxBytes ?? DEFAULT_BYTES_MAX;
    if (!(this.maxStalenessMs >= STALENESS_MS_MIN)) {
      throw new RangeError(`maxStalenessMs must be at least ${STALENESS_MS_MIN}, not ${this.maxStalenessMs}`);
    }
    if (!(this.maxBytes >= 1)) {
      throw new RangeError(`maxBytes must be positive, not ${this.maxBytes}`);
    }
    if (!BEHAVIOURS.includes(this.whenStale)) {
      throw new RangeError(`whenStale must be one of ${BEHAVIOURS.join(", ")}, not ${this.whenStale}`);
    }
  }

  /** The milliseconds between two calls that find out how current the cache is. */
  get probeIntervalMs(): number {
    const boundMs = this.maxStalenessMs === Infinity ? DEFAULT_STALENESS_MS : this.maxStalenessMs;
    return Math.min(boundMs / PROBES, TIMER_MS_MAX);
  }
}
