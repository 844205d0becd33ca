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
 * Writes a message with the chain and its schemas, and sends it unless it is only to be checked. Rejects with `RequestError` when the body is not
 * JSON, violates its schema, or the broker refuses the message.
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
    if (!isCheck) await deliver(context, entity, message);
    const body = message.body as Uint8Array;
    return {
      isSent: !isCheck,
      messageId,
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
  return await context.pipeline.serialize(
    {
      body: bodyOf(fields.text("body")),
      messageId,
      subject: fields.optionalText("subject"),
      correlationId: fields.optionalText("correlationId"),
      sessionId: fields.optionalText("sessionId"),
      applicationProperties: propertiesOf(fields.raw("applicationProperties")),
    },
    {
      writeAs: {
        serializer: fields.optionalText("serializer"),
        version: fields.optionalCount("version", { min: 0 }) || undefined,
      },
    },
  );
}

async function deliver(
  { transport }: ExplorerContext,
  entity: string,
  message: EncodedMessage,
): Promise<void> {
  const sender = transport.createSender(entity);
  try {
    await sender.send([message]);
  } finally {
    await sender.close();
  }
}

function bodyOf(text: string): unknown {
  try {
    return fromPortableValue(parsePortableJson(text));
  } catch {
    throw new RequestError(400, "The body must be JSON.");
  }
}

function propertiesOf(value: unknown): ApplicationProperties | undefined {
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
