import { type ApplicationProperties, WaybillError } from "@waybill/core";
import type { EntityName } from "@waybill/core/transport";
import { type LoadedConfig, loadConfig } from "../config/load-config.js";
import { type Connection, type ConnectionOptions, openConnection } from "../connection/connection.js";
import { parseEntityName } from "../input/parse-entity.js";
import { Terminal } from "../output/terminal.js";

/** Options that all commands share, as the parser gives them. */
export interface CommonOptions extends ConnectionOptions {
  readonly config?: string;
  readonly json?: boolean;
}

/** The paths of the entities that a command reads; default: all. */
export interface EntityOptions {
  readonly entity?: readonly string[];
}

/** How a command shares its work with the workers of a queue. */
export interface SharedWorkOptions {
  readonly workQueue?: string;
  readonly job?: string;
  readonly replaceJob?: boolean;
  readonly concurrency?: number;
}

/** The properties of the message that a body belongs to. */
export interface LabelOptions {
  readonly contentType?: string;
  readonly subject?: string;
  readonly property?: ApplicationProperties;
}

/** The context of a command without a broker. */
export interface ChainContext extends LoadedConfig {
  readonly terminal: Terminal;
  /** Aborts at the first Ctrl-C. */
  readonly abortSignal: AbortSignal;
}

/** The context of a command with a broker. */
export interface BrokerContext extends ChainContext, Connection {
  /** The entities to read; empty: all. */
  readonly entities: readonly EntityName[];
}

/** Loads the configuration. */
export async function openChain(options: CommonOptions): Promise<ChainContext> {
  return {
    ...(await loadConfig(options.config)),
    terminal: new Terminal(options.json),
    abortSignal: interruption(),
  };
}

/** Loads the configuration and opens the broker. */
export async function openBrokerContext(options: CommonOptions & EntityOptions): Promise<BrokerContext> {
  const entities = (options.entity ?? []).map(parseEntityName);
  const chain = await openChain(options);
  return { ...chain, ...(await openConnection(options)), entities };
}

/** Whether an error was caused by Ctrl-C. */
export function isInterruption(error: unknown, { abortSignal }: Pick<ChainContext, "abortSignal">): boolean {
  return abortSignal.aborted && error instanceof WaybillError && error.code === "aborted";
}

/** The first Ctrl-C lets a command end in an orderly way; the second one ends it at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  process.once("SIGTERM", () => controller.abort());
  return controller.signal;
}
