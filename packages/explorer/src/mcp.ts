/** For assistants: what the explorer reads, over the Model Context Protocol. */

export { serveMcp } from "./mcp/serve-mcp.js";
