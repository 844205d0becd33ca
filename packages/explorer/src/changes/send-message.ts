import { randomUUID } from "node:crypto";
import { type ApplicationProperties, type EncodedMessage, WaybillError } from "@waybill/core";
import { checkMessage } from "@waybill/core/transport";
import { fromPortableValue, parsePortableJson } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { hexOf } from "../reads/message-view.js";
import type { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";

/** What was sent, or would be. */
export type SentView = Awaited<ReturnType<typeof sendMessage>>;

/**
 * Writes a message with the chain and its schemas, or takes its bytes as they are, and sends or schedules it unless it is only to be checked. Rejects
 * with `RequestError` when the body is not JSON, violates its schema, or the broker refuses the message.
 */
export async function sendMessage(
  context: ExplorerContext,
  fields: Fields,
  { isCheck }: { readonly isCheck: boolean },
) {
  const entity = fields.text("entity");
  const messageId = fields.optionalText("messageId") ?? randomUUID();
  try {
    const message = await encoded(context, fields, messageId);
    checkMessage(message, entity);
    const at = fields.optionalInstant("schedule");
    const sequenceNumber = isCheck ? undefined : await deliver(context, entity, message, at);
    const body = message.body as Uint8Array;
    return {
      isSent: !isCheck,
      messageId,
      /** Of a scheduled message. */
      sequenceNumber,
      contentType: message.contentType,
      bytes: body.length,
      hex: hexOf(body, 0, 2_048),
    };
  } catch (error) {
    if (error instanceof WaybillError) throw new RequestError(422, `${error.code}: ${error.text}`);
    if (error instanceof TypeError) throw new RequestError(400, error.message);
    throw error;
  }
}

async function encoded(context: ExplorerContext, fields: Fields, messageId: string): Promise<EncodedMessage> {
  const timeToLiveInSeconds = fields.optionalRate("timeToLive");
  const properties = {
    messageId,
    subject: fields.optionalText("subject"),
    correlationId: fields.optionalText("correlationId"),
    sessionId: fields.optionalText("sessionId"),
    replyTo: fields.optionalText("replyTo"),
    replyToSessionId: fields.optionalText("replyToSessionId"),
    timeToLive: timeToLiveInSeconds && timeToLiveInSeconds * 1_000,
    applicationProperties: propertiesOf(fields.raw("applicationProperties")),
  };
  const base64 = fields.raw("base64");
  if (typeof base64 === "string")
    return {
      ...properties,
      body: Uint8Array.from(Buffer.from(base64, "base64")),
      contentType: fields.optionalText("contentType"),
    };
  return await context.pipeline.serialize(
    { ...properties, body: bodyOf(fields.text("body")) },
    {
      writeAs: {
        serializer: fields.optionalText("serializer"),
        version: fields.optionalCount("version", { min: 0 }) || undefined,
      },
    },
  );
}

/** The sequence number of a scheduled message. */
async function deliver(
  { transport }: ExplorerContext,
  entity: string,
  message: EncodedMessage,
  at: Date | undefined,
): Promise<bigint | undefined> {
  const sender = transport.createSender(entity);
  try {
    if (at !== undefined) return (await sender.schedule([message], at))[0];
    await sender.send([message]);
    return undefined;
  } finally {
    await sender.close();
  }
}

/** The value of a JSON text. Throws `RequestError`. */
export function bodyOf(text: string): unknown {
  try {
    return fromPortableValue(parsePortableJson(text));
  } catch {
    throw new RequestError(400, "The body must be JSON.");
  }
}

/** The application properties of a request; undefined for none. Throws `RequestError`. */
export function propertiesOf(value: unknown): ApplicationProperties | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const isFine =
    typeof value === "object" &&
    !Array.isArray(value) &&
    Object.values(value).every(
      (item) => item === null || ["string", "number", "boolean"].includes(typeof item),
    );
  if (isFine) return value as ApplicationProperties;
  throw new RequestError(400, "applicationProperties must be an object of strings, numbers and booleans.");
}
