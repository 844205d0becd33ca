import { resolve } from "node:path";
import type { Pipeline, Transport } from "@waybill/core";
import { type OptionNames, requireInteger, requireKnownOptions } from "@waybill/core/serializer";
import type { EntityCatalog } from "@waybill/core/transport";
import type { Redactor } from "@waybill/migration/golden";
import type { BeaconStore, WritePlan } from "@waybill/migration/plan";
import { withTurns } from "./with-turns.js";

/** What to explore, and whether changes are allowed. */
export interface ExplorerOptions {
  /** The connection; the explorer does not close it. */
  readonly transport: Transport;
  /** The chain of the consumers: only it decides how a body is read. */
  readonly pipeline: Pipeline;
  /** Lists the entities with their counts. */
  readonly catalog: EntityCatalog;
  /** The name of the namespace to show; also names its census file. */
  readonly namespace: string;
  /** Where searches, censuses and receipts are kept. Default: `.waybill` in the working directory. */
  readonly directory?: string | undefined;
  /** Whether messages can be sent, repaired, edited, deleted and purged. Default: false. */
  readonly allowChanges?: boolean | undefined;
  /** Write plans, to show their percentage. Default: none. */
  readonly writePlans?: readonly WritePlan[] | undefined;
  /** Where running readers announce themselves, to show whose circuit breakers are open. Default: they are not known. */
  readonly beacons?: BeaconStore | undefined;
  /** Replaces every leaf of a downloaded message. Default: letters become `a`, digits `1`, and so on. */
  readonly redact?: Redactor | undefined;
  /** Paths that keep their value in downloads, as JSON pointers in which a step `*` matches any key. Default: none. */
  readonly keep?: readonly string[] | undefined;
  /** How often an open page receives the counts, in milliseconds. Default: 1,000. */
  readonly refreshIntervalInMs?: number | undefined;
}

/** {@link ExplorerOptions} checked, with every default filled in. */
export type ExplorerContext = Pick<ExplorerOptions, "redact" | "beacons"> & {
  readonly [Name in Exclude<keyof ExplorerOptions, "redact" | "beacons">]-?: NonNullable<
    ExplorerOptions[Name]
  >;
};

const optionNames: OptionNames<ExplorerOptions> = {
  transport: true,
  pipeline: true,
  catalog: true,
  namespace: true,
  directory: true,
  allowChanges: true,
  writePlans: true,
  beacons: true,
  redact: true,
  keep: true,
  refreshIntervalInMs: true,
};

/** Checks the options and fills in the defaults; `own` are the names of further options of the caller. Throws `TypeError`. */
export function resolveExplorerOptions<Options extends ExplorerOptions>(
  where: string,
  options: Options,
  own: OptionNames<Omit<Options, keyof ExplorerOptions>>,
): ExplorerContext {
  requireKnownOptions<object>(where, options, { ...optionNames, ...own });
  const { refreshIntervalInMs = 1_000, namespace } = options;
  requireInteger("refreshIntervalInMs", refreshIntervalInMs, 100);
  if (typeof namespace !== "string" || namespace === "") throw new TypeError("namespace must be a string.");
  return Object.freeze({
    transport: withTurns(options.transport),
    pipeline: options.pipeline,
    catalog: options.catalog,
    namespace,
    directory: resolve(options.directory ?? ".waybill"),
    allowChanges: options.allowChanges ?? false,
    writePlans: [...(options.writePlans ?? [])],
    beacons: options.beacons,
    redact: options.redact,
    keep: [...(options.keep ?? [])],
    refreshIntervalInMs,
  });
}
