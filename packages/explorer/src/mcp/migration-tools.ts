import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { type Census, type CensusGroup, retirementVerdict, takeCensus } from "@waybill/migration/census";
import { z } from "zod";
import { CensusHistory } from "../census/census-history.js";
import { evidenceOf, targetOf } from "../census/verdict.js";
import { Fields } from "../wire/fields.js";
import { onlyPaths } from "./fence.js";
import type { McpContext } from "./mcp-context.js";
import { pageOf } from "./paged.js";
import { addTool, pieceFrom, pieceMax } from "./tool.js";

/** What a census counts. */
const countedBy = {
  entity: z.string().optional().describe("Only this queue, topic or topic/Subscriptions/name. Default: all."),
  sampleRate: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("The share of messages to read; the others are only counted."),
  maxMessagesPerPlace: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("How many messages to peek in each queue at most."),
};

/** Tools that count formats, and decide what can be retired. */
export function addMigrationTools(server: McpServer, context: McpContext): void {
  const { transport, fence } = context;
  const history = new CensusHistory(context.directory, context.namespace);
  addTool(
    server,
    "take_census",
    "Counts all waiting messages by content type, message type, version and the serializer that reads them.",
    { ...countedBy, from: pieceFrom, max: pieceMax(100) },
    async ({ from, max, ...which }) => censusForAssistant(await census(context, which), from, max),
  );
  addTool(
    server,
    "retirement_verdict",
    "Decides whether a serializer, or a version of a message type, can be retired: yes, no, or not known, with the reasons and what to do.",
    {
      serializer: z.string().optional(),
      messageType: z.string().optional(),
      messageVersion: z.number().int().positive().optional(),
      writersStoppedAt: z.iso.datetime().optional(),
      longestScheduleInHours: z.number().positive().optional(),
      sessionStatesAreFree: z.boolean().optional(),
      reads: z.string().optional().describe("The queue in which consumers record what they read."),
      ...countedBy,
    },
    async ({ entity, sampleRate, maxMessagesPerPlace, ...input }) => {
      if (input.reads !== undefined) fence.check(input.reads);
      const fields = new Fields(Object.entries(input));
      const target = targetOf(fields);
      const evidence = await evidenceOf(transport, fields);
      const now = await census(context, { entity, sampleRate, maxMessagesPerPlace });
      return retirementVerdict(target, now, { ...evidence, earlier: await history.read() });
    },
  );
}

interface CountedBy {
  readonly entity?: string | undefined;
  readonly sampleRate?: number | undefined;
  readonly maxMessagesPerPlace?: number | undefined;
}

async function census(
  { transport, pipeline, catalog, fence }: McpContext,
  { entity, ...how }: CountedBy,
): Promise<Census> {
  const paths = fence.paths(entity);
  return await takeCensus({
    transport,
    pipeline,
    catalog: onlyPaths(catalog, paths),
    entities: paths,
    ...how,
  });
}

/** The groups by piece, and only those places that were not peeked to their end. */
function censusForAssistant({ groups, places, ...census }: Census, from: number, max: number) {
  return {
    ...census,
    incomplete: places.filter(({ end }) => end !== "reached"),
    ...pageOf(groups.map(groupForAssistant), from, max),
  };
}

/** Labels are what senders wrote. */
function groupForAssistant({ mediaType, messageType, ...group }: CensusGroup) {
  return { ...group, untrustedContent: { mediaType, messageType } };
}
