import type { WaybillCommand } from "../waybill-command.js";
import { exploringCommand } from "./exploring-command.js";

/** `waybill mcp`: serves what the explorer reads to an assistant, over the standard input and output. */
export function mcpCommand(): WaybillCommand {
  return exploringCommand("mcp")
    .summary("let an assistant read, over the Model Context Protocol")
    .description(
      "Serves entities, messages, decoded bodies, dead-letter groups, census and retirement verdict over the Model Context Protocol on the standard " +
        "input and output. Reads only: none of its tools changes anything. With --entity, no tool looks at anything else.",
    )
    .examples(`
  waybill mcp --data ./broker
  waybill mcp --entity orders

What messages hold goes to the assistant, and to whoever runs it.`)
    .runs(async () => (await import("../../actions/explore/mcp.js")).mcp);
}
