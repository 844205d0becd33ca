import type { DeliveredMessage } from "@waybill/core/transport";
import { toPortableValue } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { idText } from "./message-row.js";
import { readMessage } from "./peek.js";

/** What the form to send a message is filled in with. */
export type MessageTemplate = Awaited<ReturnType<typeof messageTemplate>>;

/** Properties that dead-lettering and resubmitting add: another message does not have them. */
const ofItsPast = /^(?:DeadLetter|waybill-)/;

/** A message as a template for another one: without its id, and without what happened to it. */
export async function messageTemplate(context: ExplorerContext, message: DeliveredMessage) {
  const outcome = await readMessage(context, message);
  const { body, applicationProperties, subject, contentType, sessionId, replyTo, replyToSessionId } = message;
  const kept = Object.entries(applicationProperties).filter(([name]) => !ofItsPast.test(name));
  const isSimple = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
  return {
    /** As JSON, if the chain reads it. */
    body:
      outcome.status === "decoded" && outcome.report.isEmpty !== true
        ? JSON.stringify(toPortableValue(outcome.body), undefined, 2)
        : undefined,
    /** The serializer that reads it, to write the other one, too. */
    serializer: outcome.report.serializer,
    base64: body instanceof Uint8Array ? Buffer.from(body).toString("base64") : undefined,
    contentType,
    subject,
    correlationId: idText(message.correlationId),
    sessionId,
    replyTo,
    replyToSessionId,
    applicationProperties: Object.fromEntries(kept.filter(([, value]) => isSimple(value))) as Record<
      string,
      string | number | boolean
    >,
    /** The names of properties whose values are of other types: a form cannot hold them. */
    leftOut: kept.flatMap(([name, value]) => (isSimple(value) ? [] : [name])),
  };
}
