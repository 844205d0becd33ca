import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { onAbort } from "@waybill/foundation";
import type { McpOptions } from "./mcp-context.js";
import { createMcpServer } from "./mcp-server.js";

// A separate file: the type declarations of the MCP SDK need those of a browser, and this package's must not.

/** Serves on the standard input and output until the client disconnects, or the signal aborts. */
export async function serveMcp(
  options: McpOptions,
  version: string,
  abortSignal?: AbortSignal,
): Promise<void> {
  const server = createMcpServer(options, version);
  const ended = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve).once("close", resolve);
    onAbort(abortSignal, resolve);
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
