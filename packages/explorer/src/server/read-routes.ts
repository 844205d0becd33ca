import { bodyTextView, textOf } from "../reads/body-text.js";
import { listBreakers } from "../reads/breakers.js";
import { groupDeadLetters } from "../reads/dead-letters.js";
import { decodeBody } from "../reads/decode-body.js";
import { listEntities, listRules } from "../reads/entities.js";
import { numberAt, numberRange } from "../reads/find-number.js";
import { listMessages } from "../reads/list-messages.js";
import { maySend } from "../reads/may-send.js";
import { messageTemplate } from "../reads/message-template.js";
import { hexOf, type ValueReading, valueText, viewMessage, viewValuePart } from "../reads/message-view.js";
import { peekOne } from "../reads/peek.js";
import { listSessions, readSessionState } from "../reads/sessions.js";
import { RequestError } from "../wire/request-error.js";
import { type Call, json, type Routes } from "./route.js";

const states = ["active", "deferred", "scheduled"] as const;

/** The routes that only read. */
export const readRoutes: Routes = {
  "GET /api/about": json(about),
  "GET /api/entities": json(({ context, abortSignal }) => listEntities(context, abortSignal)),
  "GET /api/breakers": json(({ context, abortSignal }) => listBreakers(context, abortSignal)),
  "GET /api/rules": json(({ context, fields, abortSignal }) =>
    listRules(context, fields.text("entity"), abortSignal),
  ),
  "GET /api/may-send": json(({ context, fields, abortSignal }) =>
    maySend(context, fields.text("entity"), abortSignal),
  ),
  "GET /api/messages": json(messages),
  "GET /api/range": json(({ context, fields, abortSignal }) =>
    numberRange(
      context,
      fields.address(),
      fields.count("expected", { standard: 1_000, min: 0 }),
      abortSignal,
    ),
  ),
  "GET /api/number-at": json(({ context, fields, abortSignal }) =>
    numberAt(context, fields.address(), fields.instant("at"), abortSignal),
  ),
  "GET /api/message": json(({ context, fields, abortSignal }) =>
    viewMessage(context, fields.address(), fields.sequenceNumber("number"), {
      readAs: fields.optionalText("readAs"),
      abortSignal,
    }),
  ),
  "GET /api/template": json(async ({ context, fields, abortSignal }) => {
    const message = await peekOne(context, fields.address(), fields.sequenceNumber("number"), abortSignal);
    return await messageTemplate(context, message);
  }),
  "GET /api/value": json(valuePart),
  "GET /api/hex": json(hex),
  "GET /api/text": json(async ({ context, fields, abortSignal }) => {
    const message = await peekOne(context, fields.address(), fields.sequenceNumber("number"), abortSignal);
    return bodyTextView(message) ?? refuseText();
  }),
  "GET /api/copied": json(copied),
  "GET /api/sessions": json(({ context, fields, abortSignal }) => {
    const skip = fields.count("skip", { standard: 0, min: 0, max: 1_000_000 });
    return listSessions(context, fields.address(), skip, abortSignal);
  }),
  // Not a GET: the session is locked while its state is read.
  "POST /api/session-state": json(({ context, fields }) =>
    readSessionState(context, fields.address(), fields.text("sessionId")),
  ),
  "GET /api/dead-letters": json(({ context, fields, abortSignal }) =>
    groupDeadLetters(context, fields.address(), abortSignal),
  ),
  "POST /api/decode-body": json(looseBody, { maxBytes: 150 * 1024 * 1024 }),
};

/** The explorer's settings. */
export type About = ReturnType<typeof about>;

function about({ context }: Call) {
  const { namespace, allowChanges, pipeline, writePlans } = context;
  return {
    namespace,
    allowChanges,
    serializers: pipeline.serializers.map(({ name, mediaTypes }) => ({ name, mediaTypes })),
    messageTypes: pipeline.messageTypes.map(({ name, version, versions }) => ({
      name,
      version,
      versions: versions.map((each) => each.version),
    })),
    writePlans: writePlans.length,
    /** Whether running readers can be known by their beacons. */
    hasBeacons: context.beacons !== undefined,
    directory: context.directory,
  };
}

function messages({ context, fields, abortSignal }: Call) {
  const stateText = fields.optionalText("state");
  const state = states.find((each) => each === stateText);
  if (stateText !== undefined && state === undefined)
    throw new RequestError(400, `state must be one of ${states.join(", ")}.`);
  return listMessages(context, {
    address: fields.address(),
    from: fields.optionalSequenceNumber("from"),
    before: fields.optionalSequenceNumber("before"),
    isNewest: fields.flag("newest"),
    max: fields.count("max", { standard: 100, max: 250 }),
    state,
    abortSignal,
  });
}

async function valuePart({ context, fields, abortSignal }: Call) {
  const message = await peekOne(context, fields.address(), fields.sequenceNumber("number"), abortSignal);
  const path = fields.optionalText("path") ?? "";
  if (!/^(?:\d{1,9}(?:\.\d{1,9}){0,512})?$/.test(path))
    throw new RequestError(400, "path must be steps such as 0.3.1.");
  return await viewValuePart(context, message, {
    path: path === "" ? [] : path.split(".").map(Number),
    from: fields.count("from", { standard: 0, min: 0 }),
    ...readingOf(fields),
  });
}

function readingOf(fields: Call["fields"]): ValueReading {
  return { readAs: fields.optionalText("readAs"), isPlainJson: fields.flag("plainJson") };
}

function refuseText(): never {
  throw new RequestError(404, "The body is not text.");
}

/** What a page copies: the whole value as JSON, or the body as text, in Base64 if it is none. */
async function copied({ context, fields, abortSignal }: Call) {
  const message = await peekOne(context, fields.address(), fields.sequenceNumber("number"), abortSignal);
  if (fields.text("part") === "value") return { text: await valueText(context, message, readingOf(fields)) };
  const { body } = message;
  const text =
    textOf(message) ?? (body instanceof Uint8Array ? Buffer.from(body).toString("base64") : undefined);
  if (text === undefined) throw new RequestError(404, "The body is an AMQP value, not bytes.");
  return { text };
}

async function hex({ context, fields, abortSignal }: Call) {
  const { body } = await peekOne(context, fields.address(), fields.sequenceNumber("number"), abortSignal);
  if (!(body instanceof Uint8Array)) throw new RequestError(404, "The body is an AMQP value, not bytes.");
  const from = fields.count("from", { standard: 0, min: 0 });
  return hexOf(body, from, fields.count("length", { standard: 4_096, max: 65_536 }));
}

async function looseBody({ context, fields }: Call) {
  return await decodeBody(context, {
    body: Uint8Array.from(Buffer.from(fields.text("base64"), "base64")),
    contentType: fields.optionalText("contentType"),
    subject: fields.optionalText("subject"),
  });
}
