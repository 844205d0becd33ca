/** For assistants: what the explorer reads, over the Model Context Protocol. */

export type { McpOptions } from "./mcp/mcp-context.js";
export { serveMcp } from "./mcp/serve-mcp.js";
