import type { CallOptions } from "@waybill/core/transport";

/** What one instance of a consumer has read in one format and version, and when. */
export interface FormatReads {
  /** The serializer that read it; undefined if none was needed. */
  readonly serializer: string | undefined;
  /** The serializer that the content type names. */
  readonly declared: string | undefined;
  /** Undefined for untyped messages. */
  readonly messageType: string | undefined;
  /** The version on the wire. */
  readonly messageVersion: number | undefined;
  /** The versions it was converted through. */
  readonly upcastPath: readonly number[];
  /** How many messages. */
  readonly count: number;
  /** When the last one was read, by the consumer's clock. */
  readonly lastReadAt: Date;
  /** When the newest was enqueued, by the broker's clock, scheduled ones left out; undefined if the broker does not say. */
  readonly newestSentAt: Date | undefined;
}

/** What one running instance of a consumer has read since it started to record. */
export interface ReadRecord {
  /** The consumer's name, for example a service. */
  readonly reader: string;
  /** Unique among its instances. */
  readonly instance: string;
  /** When it began to record. */
  readonly since: Date;
  /** When this record was written: it holds everything until then. */
  readonly recordedAt: Date;
  readonly reads: readonly FormatReads[];
}

/** Where read records are kept: a queue (`queueReadStore`), or a table of your own. A record replaces the earlier one of the same instance. */
export interface ReadStore {
  record(record: ReadRecord, options?: CallOptions): Promise<void>;
  /** At least the newest record of every instance. */
  list(options?: CallOptions): Promise<readonly ReadRecord[]>;
}
