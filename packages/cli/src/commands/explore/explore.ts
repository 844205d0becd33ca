import { UsageError } from "../../errors/usage-error.js";
import { repeatable } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";
import { exploringCommand } from "./exploring-command.js";

/** `waybill explore`: serves the explorer's page until it is interrupted. */
export function exploreCommand(): WaybillCommand {
  return exploringCommand("explore")
    .summary("show everything on a local web page")
    .description(
      "Serves a page on 127.0.0.1 that shows entities, messages, dead letters and formats as your chain reads them, and prints a link that " +
        "opens it once. Changes nothing unless --allow-changes is given. Runs until it is interrupted.",
    )
    .option("--port <number>", "the port; 0 picks a free one", parsePort, 0)
    .option("--allow-changes", "let the page send, repair, edit, delete and purge messages")
    .option(
      "--beacons <queue>",
      "the queue in which running readers announce themselves: shows their circuit breakers",
    )
    .option(
      "--decode-origin <origin>",
      "the page of another tool that may post to /decode, such as http://localhost:8233; can be repeated",
      repeatable(checkedOrigin),
    )
    .examples(`
  waybill explore
  waybill explore --data ./broker --allow-changes
  waybill explore --connection shop=SHOP_CONNECTION --connection billing=BILLING_CONNECTION
  waybill explore --port 8010 --decode-origin http://localhost:8233

Press Enter for another link.`)
    .runs(async () => (await import("../../actions/explore/explore.js")).explore);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be an integer from 0 to 65535, not "${text}".`);
}

function checkedOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin === text && origin !== "null") return origin;
  throw new UsageError(`--decode-origin must be an origin such as http://localhost:8233, not "${text}".`);
}
