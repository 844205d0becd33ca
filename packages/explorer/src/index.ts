// For applications

export type { ExplorerOptions } from "./options/explorer-options.js";
export type { Explorer, ExplorerServeOptions } from "./server/start-explorer.js";
export { startExplorer } from "./server/start-explorer.js";
