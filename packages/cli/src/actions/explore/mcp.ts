import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { readVersion } from "../../version.js";
import { openBrokerContext } from "../action-context.js";
import { type ExploreOptions, explorerOptions } from "./explorer-options.js";

export async function mcp(options: ExploreOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { serveMcp } = await import("@waybill/explorer/mcp");
  const { entities, abortSignal } = context;
  await serveMcp({ ...explorerOptions(context, options), entities }, await readVersion(), abortSignal);
  return exitCodes.ok;
}
