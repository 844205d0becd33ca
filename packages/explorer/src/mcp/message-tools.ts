import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { EncodedMessage } from "@waybill/core";
import type { DeliveredMessage, EntityAddress } from "@waybill/core/transport";
import { z } from "zod";
import { idText } from "../reads/message-row.js";
import { peekOne, readMessage, withReceiver } from "../reads/peek.js";
import type { McpContext } from "./mcp-context.js";
import { messageSummary, wholeMessage } from "./message-for-assistant.js";
import { addTool, entityPath, pieceFrom, pieceMax, sequenceNumber } from "./tool.js";

/** Tools that show messages. */
export function addMessageTools(server: McpServer, context: McpContext): void {
  const { fence } = context;
  addTool(
    server,
    "peek_messages",
    "Peeks messages without locking them, oldest first: what the chain makes of each, without bodies.",
    {
      entity: entityPath,
      from: sequenceNumber
        .optional()
        .describe("The sequence number to begin with: next of the result before."),
      max: pieceMax(20),
    },
    async ({ entity, from, max }) =>
      await peekPage(context, fence.addressAt(entity), from === undefined ? undefined : BigInt(from), max),
  );
  addTool(
    server,
    "decode_message",
    "Shows one message with its value as the chain reads it, or why it cannot be read.",
    { entity: entityPath, sequenceNumber, from: pieceFrom },
    async ({ entity, sequenceNumber: number, from }) => {
      const message = await peekOne(context, fence.addressAt(entity), BigInt(number));
      return wholeMessage(message, await readMessage(context, message), from);
    },
  );
  addTool(
    server,
    "decode_body",
    "Reads a body, given in Base64, with the chain.",
    {
      base64: z.base64(),
      contentType: z.string().optional(),
      subject: z.string().optional(),
      from: pieceFrom,
    },
    async ({ base64, contentType, subject, from }) => {
      const message = asDelivered({
        body: Uint8Array.from(Buffer.from(base64, "base64")),
        contentType,
        subject,
      });
      const {
        sequenceNumber: _,
        state: __,
        ...whole
      } = wholeMessage(message, await readMessage(context, message), from);
      return whole;
    },
  );
}

async function peekPage(context: McpContext, address: EntityAddress, from: bigint | undefined, max: number) {
  return await withReceiver(context, address, async (receiver) => {
    const messages = await receiver.peek({ maxMessages: max, fromSequenceNumber: from });
    const items: object[] = [];
    for (const message of messages) {
      const { messageId, subject, contentType, deadLetterReason } = message;
      const untrustedContent = { messageId: idText(messageId), subject, contentType, deadLetterReason };
      items.push({ ...messageSummary(message, await readMessage(context, message)), untrustedContent });
    }
    const last = messages.at(-1);
    return { items, ...(last !== undefined && { next: String(last.sequenceNumber + 1n) }) };
  });
}

function asDelivered(message: EncodedMessage): DeliveredMessage {
  const delivered = {
    ...message,
    applicationProperties: {},
    deliveryCount: 0,
    sequenceNumber: 0n,
    state: "active",
  };
  return delivered as DeliveredMessage;
}
