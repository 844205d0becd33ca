import { basename, resolve } from "node:path";
import type { ExplorerOptions } from "@waybill/explorer";
import type { BrokerContext, CommonOptions, EntityOptions } from "../action-context.js";

/** What `explore` and `mcp` have in common. */
export interface ExploreOptions extends CommonOptions, EntityOptions {
  readonly directory?: string;
}

/** How often counts are requested; the management API of a namespace is not made for a request each second. */
const refreshIntervalInMs = Object.freeze({ local: 1_000, namespace: 5_000 });

/** The options of the explorer for a broker that is open. */
export function explorerOptions(context: BrokerContext, options: ExploreOptions): ExplorerOptions {
  const { transport, pipeline, golden, writePlans } = context;
  const { data, directory, connection } = options;
  const several = connection?.map(({ name }) => name).join(", ");
  return {
    transport,
    pipeline,
    catalog: context.catalog(context.entities),
    namespace:
      data === undefined
        ? (several ?? transport.fullyQualifiedNamespace ?? "namespace")
        : basename(resolve(data)),
    directory,
    writePlans,
    redact: golden.redact,
    keep: golden.keep,
    refreshIntervalInMs: data === undefined ? refreshIntervalInMs.namespace : refreshIntervalInMs.local,
  };
}
