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
}
