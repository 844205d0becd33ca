import { resolve } from "node:path";
import type { Pipeline, Transport } from "@waybill/core";
import type { EntityCatalog } from "@waybill/core/transport";
import type { WritePlan } from "@waybill/migration";
import type { Redactor } from "@waybill/migration/golden";
import { withTurns } from "./with-turns.js";

/** What is explored, and what may be changed. */
export interface ExplorerOptions {
  /** The connection; the explorer leaves it open. */
  readonly transport: Transport;
  /** The chain of the consumers: it alone decides what a body is. */
  readonly pipeline: Pipeline;
  /** Which entities there are, with their counts. */
  readonly catalog: EntityCatalog;
  /** The name of the namespace, as people know it; names its census file, too. */
  readonly namespace: string;
  /** Where searches, censuses and receipts are kept. Default: `.waybill` in the working directory. */
  readonly directory?: string | undefined;
  /** Whether messages can be sent and dead letters repaired. Default: false. */
  readonly allowChanges?: boolean | undefined;
  /** The plans by which formats change, to show their percentage. Default: none. */
  readonly writePlans?: readonly WritePlan[] | undefined;
  /** Replaces every leaf of a downloaded message. Default: letters become `a`, digits `1`, and so on. */
  readonly redact?: Redactor | undefined;
  /** Paths that keep their value in downloads, as JSON pointers with stars. Default: none. */
  readonly keep?: readonly string[] | undefined;
  /** How often a page that is open gets the counts, in milliseconds. Default: 1,000. */
  readonly refreshIntervalInMs?: number | undefined;
}

/** {@link ExplorerOptions} checked, with every default filled in. */
export interface ExplorerContext {
  readonly transport: Transport;
  readonly pipeline: Pipeline;
  readonly catalog: EntityCatalog;
  readonly namespace: string;
  readonly directory: string;
  readonly allowChanges: boolean;
  readonly writePlans: readonly WritePlan[];
  readonly redact: Redactor | undefined;
  readonly keep: readonly string[];
  readonly refreshIntervalInMs: number;
}

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveExplorerOptions(options: ExplorerOptions): ExplorerContext {
  const { refreshIntervalInMs = 1_000, namespace } = options;
  if (!Number.isSafeInteger(refreshIntervalInMs) || refreshIntervalInMs < 100)
    throw new TypeError("refreshIntervalInMs must be an integer from 100.");
  if (typeof namespace !== "string" || namespace === "") throw new TypeError("namespace must be a string.");
  return Object.freeze({
    transport: withTurns(options.transport),
    pipeline: options.pipeline,
    catalog: options.catalog,
    namespace,
    directory: resolve(options.directory ?? ".waybill"),
    allowChanges: options.allowChanges ?? false,
    writePlans: [...(options.writePlans ?? [])],
    redact: options.redact,
    keep: [...(options.keep ?? [])],
    refreshIntervalInMs,
  });
}
