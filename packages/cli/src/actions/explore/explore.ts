import { once } from "node:events";
import type { Explorer } from "@waybill/explorer";
import { portRefusal } from "../../broker-host/port-refusal.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import type { Terminal } from "../../output/terminal.js";
import { type BrokerContext, openBrokerContext } from "../action-context.js";
import { type ExploreOptions, explorerOptions } from "./explorer-options.js";

export interface ExploreCommandOptions extends ExploreOptions {
  readonly port: number;
  readonly allowChanges?: boolean;
  readonly beacons?: string;
  readonly decodeOrigin?: readonly string[];
}

export async function explore(options: ExploreCommandOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { startExplorer } = await import("@waybill/explorer");
  const beacons = await beaconsIn(context, options.beacons);
  await using _ = beacons;
  await using explorer = await startExplorer({
    ...explorerOptions(context, options),
    beacons,
    allowChanges: options.allowChanges,
    port: options.port,
    decodeOrigins: options.decodeOrigin,
  }).catch(async (error: unknown) => {
    throw await portRefusal(error, "127.0.0.1");
  });
  const { terminal, abortSignal } = context;
  announce(terminal, explorer);
  const onEnter = () => announce(terminal, explorer);
  if (process.stdin.isTTY) process.stdin.on("data", onEnter);
  if (!abortSignal.aborted) await once(abortSignal, "abort");
  process.stdin.off("data", onEnter).pause();
  return exitCodes.ok;
}

async function beaconsIn({ transport }: Pick<BrokerContext, "transport">, queue: string | undefined) {
  if (queue === undefined) return undefined;
  const { queueBeaconStore } = await import("@waybill/migration/plan");
  return queueBeaconStore(transport, queue);
}

function announce(terminal: Terminal, explorer: Explorer): void {
  const url = explorer.issueLink();
  if (terminal.isJson) terminal.jsonLine({ url });
  else terminal.line(`Open once: ${terminal.colors.bold(url)}`);
}
