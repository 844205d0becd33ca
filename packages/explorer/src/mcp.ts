/** For assistants: the explorer's reads over the Model Context Protocol. */

export { createMcpServer, serveMcp } from "./mcp/mcp-server.js";
export type { ExplorerOptions } from "./options/explorer-options.js";
