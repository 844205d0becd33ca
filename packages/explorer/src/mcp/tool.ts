import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { describeError } from "../wire/request-error.js";
import { toWire } from "../wire/to-wire.js";

/** A queue or subscription, or a sub-queue. */
export const entityPath = z
  .string()
  .describe("A queue or topic/Subscriptions/name, optionally followed by /$DeadLetterQueue.");

/** The largest sequence number. */
const maxSequenceNumber = 2n ** 63n - 1n;

/** A sequence number, as text: it may exceed what a JSON number can hold. */
export const sequenceNumber = z
  .string()
  .regex(/^\d{1,19}$/, { abort: true, error: "A sequence number has up to 19 digits." })
  .refine((text) => BigInt(text) <= maxSequenceNumber, `A sequence number is at most ${maxSequenceNumber}.`);

/** Where a piece begins: `next` of the piece before. */
export const pieceFrom = z
  .number()
  .int()
  .min(0)
  .default(0)
  .describe("next of the result before; default: the beginning");

/** How many items a piece has. */
export const pieceMax = (standard: number) => z.number().int().min(1).max(500).default(standard);

/** Adds a tool that only reads. Its result is compact JSON; an argument that it does not have is refused. */
export function addTool<Shape extends z.ZodRawShape>(
  server: McpServer,
  name: string,
  description: string,
  shape: Shape,
  read: (input: z.output<z.ZodObject<Shape>>) => unknown,
): void {
  const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
  const inputSchema = z.strictObject(shape);
  server.registerTool(name, { description, inputSchema, annotations }, async (input: unknown) => {
    try {
      const value = await read(input as z.output<z.ZodObject<Shape>>);
      return { content: [{ type: "text" as const, text: toWire(value) }] };
    } catch (error) {
      return { isError: true, content: [{ type: "text" as const, text: describeError(error).text }] };
    }
  });
}
