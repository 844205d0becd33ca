import type { EntityName } from "@waybill/core/transport";
import type { ExplorerContext, ExplorerOptions } from "../options/explorer-options.js";
import type { Fence } from "./fence.js";

/** What an assistant may look at. */
export interface McpOptions extends ExplorerOptions {
  /** The entities that every tool is limited to, with their sub-queues. Default: all. */
  readonly entities?: readonly EntityName[] | undefined;
}

/** What the tools share. */
export interface McpContext extends ExplorerContext {
  readonly fence: Fence;
}
