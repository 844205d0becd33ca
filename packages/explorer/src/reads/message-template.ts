import type { DeliveredMessage } from "@waybill/core/transport";
import { toPortableValue } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { textOf } from "./body-text.js";
import { idText } from "./message-row.js";
import { readMessage } from "./peek.js";

/** What the form to send a message is filled in with. */
export type MessageTemplate = Awaited<ReturnType<typeof messageTemplate>>;

/** Properties that dead-lettering and resubmitting add: another message does not have them. */
const ofItsPast = /^(?:DeadLetter|waybill-)/;

/** Whether a form shows a property. Values of other types stay as they are in a message that is edited, and so does what happened to it. */
export function isFormProperty(name: string, value: unknown): boolean {
  return !ofItsPast.test(name) && isSimple(value);
}

/** A message as a template for another one: without what happened to it. */
export async function messageTemplate(context: ExplorerContext, message: DeliveredMessage) {
  const outcome = await readMessage(context, message);
  const { body, applicationProperties, subject, contentType, sessionId, replyTo, replyToSessionId } = message;
  const kept = Object.entries(applicationProperties).filter(([name]) => !ofItsPast.test(name));
  return {
    /** As JSON, if the chain reads it. */
    body:
      outcome.status === "decoded" && outcome.report.isEmpty !== true
        ? JSON.stringify(toPortableValue(outcome.body), undefined, 2)
        : undefined,
    /** The serializer that reads it, to write the other one, too. */
    serializer: outcome.report.serializer,
    /** As it is, if it is text. */
    text: textOf(message),
    base64: body instanceof Uint8Array ? Buffer.from(body).toString("base64") : undefined,
    contentType,
    subject,
    messageId: idText(message.messageId),
    correlationId: idText(message.correlationId),
    sessionId,
    replyTo,
    replyToSessionId,
    /** In seconds; undefined if it never expires. */
    timeToLive: Number.isFinite(message.timeToLive) ? Number(message.timeToLive) / 1_000 : undefined,
    applicationProperties: Object.fromEntries(kept.filter(([, value]) => isSimple(value))) as Record<
      string,
      string | number | boolean
    >,
    /** The names of properties whose values are of other types: a form cannot hold them. */
    leftOut: kept.flatMap(([name, value]) => (isSimple(value) ? [] : [name])),
  };
}

function isSimple(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
