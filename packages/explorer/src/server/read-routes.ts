import { groupDeadLetters } from "../reads/dead-letters.js";
import { decodeBody } from "../reads/decode-body.js";
import { listEntities, listRules } from "../reads/entities.js";
import { listMessages, numberRange } from "../reads/list-messages.js";
import { hexOf, viewMessage, viewValuePart } from "../reads/message-view.js";
import { peekOne } from "../reads/peek.js";
import { listSessions, readSessionState } from "../reads/sessions.js";
import { addressAt } from "../wire/entity-path.js";
import { RequestError } from "../wire/request-error.js";
import type { Call, Routes } from "./route.js";

const states = ["active", "deferred", "scheduled"] as const;

/** The routes that only read. */
export const readRoutes: Routes = {
  "GET /api/about": { kind: "json", answer: about },
  "GET /api/entities": {
    kind: "json",
    answer: ({ context, abortSignal }) => listEntities(context, abortSignal),
  },
  "GET /api/rules": {
    kind: "json",
    answer: ({ context, fields, abortSignal }) => listRules(context, fields.text("entity"), abortSignal),
  },
  "GET /api/messages": { kind: "json", answer: messages },
  "GET /api/range": {
    kind: "json",
    answer: ({ context, fields, abortSignal }) =>
      numberRange(
        context,
        addressAt(fields.text("entity")),
        fields.count("expected", { standard: 1_000, max: Number.MAX_SAFE_INTEGER, min: 0 }),
        abortSignal,
      ),
  },
  "GET /api/message": {
    kind: "json",
    answer: ({ context, fields, abortSignal }) =>
      viewMessage(context, addressAt(fields.text("entity")), fields.sequenceNumber("number"), {
        readAs: fields.optionalText("readAs"),
        abortSignal,
      }),
  },
  "GET /api/value": { kind: "json", answer: valuePart },
  "GET /api/hex": { kind: "json", answer: hex },
  "GET /api/sessions": {
    kind: "json",
    answer: ({ context, fields, abortSignal }) =>
      listSessions(
        context,
        addressAt(fields.text("entity")),
        fields.count("skip", { standard: 0, min: 0, max: 1_000_000 }),
        abortSignal,
      ),
  },
  // Not a GET: the session is locked while its state is read.
  "POST /api/session-state": {
    kind: "json",
    answer: ({ context, fields }) =>
      readSessionState(context, addressAt(fields.text("entity")), fields.text("sessionId")),
  },
  "GET /api/dead-letters": {
    kind: "json",
    answer: ({ context, fields, abortSignal }) =>
      groupDeadLetters(context, addressAt(fields.text("entity")), abortSignal),
  },
  "POST /api/decode-body": { kind: "json", maxBytes: 150 * 1024 * 1024, answer: looseBody },
};

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
    directory: context.directory,
  };
}

function messages({ context, fields, abortSignal }: Call) {
  const stateText = fields.optionalText("state");
  const state = states.find((each) => each === stateText);
  if (stateText !== undefined && state === undefined)
    throw new RequestError(400, `state must be one of ${states.join(", ")}.`);
  return listMessages(context, {
    address: addressAt(fields.text("entity")),
    from: fields.optionalSequenceNumber("from"),
    before: fields.optionalSequenceNumber("before"),
    max: fields.count("max", { standard: 100, max: 250 }),
    state,
    abortSignal,
  });
}

async function valuePart({ context, fields, abortSignal }: Call) {
  const address = addressAt(fields.text("entity"));
  const message = await peekOne(context, address, fields.sequenceNumber("number"), abortSignal);
  const path = fields.optionalText("path") ?? "";
  if (!/^(?:\d{1,9}(?:\.\d{1,9}){0,512})?$/.test(path))
    throw new RequestError(400, "path must be steps such as 0.3.1.");
  return await viewValuePart(context, message, {
    path: path === "" ? [] : path.split(".").map(Number),
    from: fields.count("from", { standard: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
    readAs: fields.optionalText("readAs"),
  });
}

async function hex({ context, fields, abortSignal }: Call) {
  const address = addressAt(fields.text("entity"));
  const { body } = await peekOne(context, address, fields.sequenceNumber("number"), abortSignal);
  if (!(body instanceof Uint8Array)) throw new RequestError(404, "The body is an AMQP value, not bytes.");
  const from = fields.count("from", { standard: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
  return hexOf(body, from, fields.count("length", { standard: 4_096, max: 65_536 }));
}

async function looseBody({ context, fields }: Call) {
  return await decodeBody(context, {
    body: Uint8Array.from(Buffer.from(fields.text("base64"), "base64")),
    contentType: fields.optionalText("contentType"),
    subject: fields.optionalText("subject"),
  });
}
