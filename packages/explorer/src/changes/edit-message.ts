import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type ApplicationProperties, type EncodedMessage, WaybillError } from "@waybill/core";
import { checkMessage, type DeliveredMessage } from "@waybill/core/transport";
import { openReceiptFile, resendEdited, unchangedResubmission } from "@waybill/migration/repair";
import { describePlan, planOf, targetText } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { mayReach } from "../reads/may-send.js";
import { idText } from "../reads/message-row.js";
import { isFormProperty } from "../reads/message-template.js";
import { peekOne, readMessage } from "../reads/peek.js";
import type { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";
import { differenceOf, requireTarget } from "./preview-repair.js";
import {
  deadLettersOf,
  interruptedIn,
  readPreviewRequest,
  receiptFile,
  repairOptions,
} from "./repair-request.js";
import { bodyOf, propertiesOf } from "./send-message.js";

/** What would be sent in place of a dead letter, and what the chain would make of it. */
export type EditPreview = Awaited<ReturnType<typeof previewEdit>>;

/** What became of a dead letter that was edited. */
export type EditedView = Awaited<ReturnType<typeof sendEdited>>;

/** Shows what a changed dead letter would be. Locks, sends and stores nothing. Rejects with `RequestError`. */
export async function previewEdit(context: ExplorerContext, fields: Fields, abortSignal?: AbortSignal) {
  const { options, original, message } = await editOf(
    context,
    fields,
    { bodyTransforms: false },
    abortSignal,
  );
  const { to } = planOf(options);
  const [{ answer, why }, outcome] = await Promise.all([
    mayReach(context, to, abortSignal),
    readMessage(context, original, { abortSignal }),
  ]);
  return {
    to: targetText({ to }),
    /** Why nothing can be sent there. */
    forbidden: answer === "no" ? why : undefined,
    difference: await differenceOf(context, { message: original, outcome, planned: message }),
    /** Whether the dead letter gets another id, because the target detects duplicates. */
    hasOwnId: options.targetDetectsDuplicates === true,
  };
}

/**
 * Sends a changed dead letter, and then removes the dead letter: in one run that holds its lock, with the receipts of the queue's repairs. Rejects with
 * `RequestError`.
 */
export async function sendEdited(context: ExplorerContext, fields: Fields) {
  const from = deadLettersOf(fields);
  if ((await interruptedIn(context, from)) !== undefined)
    throw new RequestError(409, "A repair of this queue was interrupted. Resume it, or give it up, first.");
  const { options, number, message } = await editOf(context, fields, { bodyTransforms: true });
  await requireTarget(context, options);
  const path = receiptFile(context, from);
  await mkdir(dirname(path), { recursive: true });
  const receipts = await openReceiptFile(path);
  try {
    const { to, throughTopic, targetDetectsDuplicates, includeUndeserializable } = options;
    const { transport, pipeline } = context;
    const { resubmitted, resumed, skipped, possibleDuplicates, locked } = await resendEdited({
      transport,
      pipeline,
      from,
      to,
      throughTopic,
      targetDetectsDuplicates,
      includeUndeserializable,
      maxWaitTimeInMs: options.maxWaitTimeInMs,
      number,
      message,
      receipts,
    });
    return {
      /** `gone`: somebody else received or moved it. `sent-before`: an earlier run sent it, and this one only removed it. */
      outcome:
        resubmitted > 0
          ? ("sent" as const)
          : resumed > 0
            ? ("sent-before" as const)
            : locked !== undefined
              ? ("locked" as const)
              : Object.keys(skipped).some((why) => why !== "not-selected")
                ? ("refused" as const)
                : ("gone" as const),
      /** Why it was refused. */
      skipped: Object.keys(skipped).filter((why) => why !== "not-selected"),
      messageId: idText(message.messageId),
      to: targetText(planOf(options)),
      isPossibleDuplicate: possibleDuplicates.includes(number),
      lockedUntil: locked?.until.toISOString(),
    };
  } finally {
    await receipts.close();
  }
}

async function editOf(
  context: ExplorerContext,
  fields: Fields,
  call: { readonly bodyTransforms: boolean },
  abortSignal?: AbortSignal,
) {
  const number = fields.sequenceNumber("number");
  const request = await readPreviewRequest(context, fields.without("number", "transcode"));
  const options = await repairOptions(context, request, abortSignal);
  const original = await peekOne(context, deadLettersOf(fields), number, abortSignal);
  const base = unchangedResubmission(original, options);
  try {
    const message = await changed(context, fields, { original, base, call });
    checkMessage(message, describePlan(planOf(options))[1] ?? "");
    return { options, number, original, message };
  } catch (error) {
    if (error instanceof WaybillError) throw new RequestError(422, `${error.code}: ${error.text}`);
    if (error instanceof TypeError) throw new RequestError(400, error.message);
    throw error;
  }
}

interface Edit {
  readonly original: DeliveredMessage;
  /** What would be sent without changes. */
  readonly base: EncodedMessage;
  readonly call: { readonly bodyTransforms: boolean };
}

async function changed(
  { pipeline }: ExplorerContext,
  fields: Fields,
  { original, base, call }: Edit,
): Promise<EncodedMessage> {
  const messageId = fields.optionalText("messageId");
  const sessionId = fields.optionalText("sessionId");
  const isOwnId = base.messageId !== original.messageId;
  const message: EncodedMessage = {
    ...base,
    messageId: isOwnId || messageId === idText(base.messageId) ? base.messageId : messageId,
    subject: fields.optionalText("subject"),
    correlationId: sameOr(base.correlationId, fields.optionalText("correlationId")),
    sessionId,
    replyTo: fields.optionalText("replyTo"),
    replyToSessionId: fields.optionalText("replyToSessionId"),
    timeToLive: timeToLiveOf(base, fields),
    // The broker refuses a message in which they differ.
    partitionKey: base.partitionKey === base.sessionId ? sessionId : base.partitionKey,
    applicationProperties: propertiesWith(base, propertiesOf(fields.raw("applicationProperties"))),
  };
  const [text, base64] = [fields.raw("body"), fields.raw("base64")];
  if (typeof base64 === "string") {
    const contentType = fields.optionalText("contentType");
    return withoutEncoding({ ...message, contentType, body: Uint8Array.from(Buffer.from(base64, "base64")) });
  }
  if (typeof text !== "string") return { ...message, contentType: fields.optionalText("contentType") };
  return await pipeline.serialize(
    { ...withoutEncoding(message), contentType: undefined, body: bodyOf(text) },
    {
      ...call,
      writeAs: {
        serializer: fields.optionalText("serializer"),
        version: fields.optionalCount("version", { min: 0 }) || undefined,
      },
    },
  );
}

/** Bytes that a person gives are not compressed. */
function withoutEncoding({ contentEncoding: _, ...message }: EncodedMessage): EncodedMessage {
  const properties = Object.entries(message.applicationProperties ?? {});
  return {
    ...message,
    applicationProperties: Object.fromEntries(
      properties.filter(([name]) => name.toLowerCase() !== "content-encoding"),
    ),
  };
}

/** The id itself where the text is only how a form shows it: it may be bytes or a number. */
function sameOr(
  id: EncodedMessage["correlationId"],
  text: string | undefined,
): EncodedMessage["correlationId"] {
  return text === idText(id) ? id : text;
}

function timeToLiveOf({ timeToLive }: EncodedMessage, fields: Fields): number | undefined {
  const seconds = fields.optionalRate("timeToLive");
  return seconds === undefined || seconds * 1_000 === timeToLive ? timeToLive : seconds * 1_000;
}

/** The properties of the form instead of those that a form can hold; values that it did not change keep their AMQP types, and so do the others. */
function propertiesWith(
  { applicationProperties = {} }: EncodedMessage,
  given: ApplicationProperties = {},
): ApplicationProperties {
  const properties = new Map(Object.entries(applicationProperties));
  for (const [name, value] of properties)
    if (isFormProperty(name, value) && !Object.hasOwn(given, name)) properties.delete(name);
  for (const [name, value] of Object.entries(given))
    if (properties.get(name) !== value) properties.set(name, value);
  return Object.fromEntries(properties);
}
