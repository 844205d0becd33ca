import type { CallOptions } from "./transport.js";

/** What one running reader of an entity can read, as it announced itself. */
export interface LiveReader {
  /** The media types that its serializers claim, and suffixes such as `+json`. */
  readonly mediaTypes: readonly string[];
  readonly messageTypes: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: number }[];
  }[];
}

/** A change of a circuit of a client's circuit breakers, as it tells its directory. */
export interface CircuitChange {
  /** As in `entityPathOf`. */
  readonly entityPath: string;
  /** The subject of its messages; undefined for messages without one. */
  readonly messageType?: string | undefined;
  readonly format?: string | undefined;
  /** Undeserializable messages are held while it is `open` or `halfOpen`. */
  readonly state: "closed" | "open" | "halfOpen";
}

/**
 * Knows the readers of entities that are running now, for example by their beacons. A client asks it only about a message that it would
 * dead-letter, and lists at most once a second for each entity.
 */
export interface ReaderDirectory {
  /**
   * The readers of a queue or subscription that are running; this client's own may be among them. `entityPath` is as in `entityPathOf`. A
   * rejection or no answer within five seconds counts as the previous list, for ten minutes; report its error yourself.
   */
  readersOf(entityPath: string, options?: CallOptions): Promise<readonly LiveReader[]>;
  /**
   * Called by a client whose circuit breakers are switched on when it is made: returns what it calls with each change, which must not throw. Absent
   * where nobody wants to know.
   */
  followCircuits?(): (change: CircuitChange) => void;
}
