import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { type GroupView, groupDeadLetters } from "../reads/dead-letters.js";
import { listEntities } from "../reads/entities.js";
import { onlyPaths } from "./fence.js";
import type { McpContext } from "./mcp-context.js";
import { pageOf } from "./paged.js";
import { addTool, entityPath, pieceFrom, pieceMax } from "./tool.js";

/** Tools that show entities and their dead letters. */
export function addEntityTools(server: McpServer, context: McpContext): void {
  const { fence } = context;
  addTool(
    server,
    "list_entities",
    "Lists queues, topics and subscriptions with exact counts by state.",
    {
      text: z.string().optional().describe("Only entities with this in their path."),
      from: pieceFrom,
      max: pieceMax(100),
    },
    async ({ text = "", from, max }) => {
      const catalog = onlyPaths(context.catalog, fence.paths(undefined));
      const all = await listEntities({ ...context, catalog });
      return pageOf(
        all.filter(({ path }) => path.toLowerCase().includes(text.toLowerCase())),
        from,
        max,
      );
    },
  );
  addTool(
    server,
    "dead_letter_groups",
    "Groups dead letters by reason, message type, version and format, and reports how many the chain reads now.",
    { entity: entityPath, from: pieceFrom, max: pieceMax(50) },
    async ({ entity, from, max }) => {
      const address = fence.addressAt(entity);
      const { groups, ...counts } = await groupDeadLetters(context, address);
      return { ...counts, ...pageOf(groups.map(groupForAssistant), from, max) };
    },
  );
}

/** Reasons and labels are what senders and consumers wrote. */
function groupForAssistant({ reason, mediaType, messageType, ...counts }: GroupView) {
  return { ...counts, untrustedContent: { reason, mediaType, messageType } };
}
