import { entityPathOf, pause, systemScheduler } from "@waybill/core/transport";
import { captureGoldenMessage, formatGoldenMessage } from "@waybill/migration/tools";
import { censusPoints, planViews } from "../census/census-view.js";
import { takeAndKeep, verdictOf } from "../census/take-and-keep.js";
import { previewRepair } from "../changes/preview-repair.js";
import { originOf, receiptFile, repairRequest } from "../changes/repair-request.js";
import { sendMessage } from "../changes/send-message.js";
import { decodePayloads } from "../reads/codec-server.js";
import { listEntities } from "../reads/entities.js";
import { instant } from "../reads/message-row.js";
import { peekOne } from "../reads/peek.js";
import { findConversation } from "../search/conversation.js";
import { listSearches, removeSearch, saveSearch } from "../search/saved-searches.js";
import { searchCriteria } from "../search/search-criteria.js";
import { type SearchEvent, searchMessages } from "../search/search-messages.js";
import { addressAt } from "../wire/entity-path.js";
import { RequestError } from "../wire/request-error.js";
import { toWire } from "../wire/to-wire.js";
import type { LineStream } from "./line-stream.js";
import type { Call, Download, Routes } from "./route.js";

/** The routes that run long, store something, or change something. */
export const workRoutes: Routes = {
  "GET /api/live": { kind: "lines", answer: live },
  "GET /api/search": { kind: "lines", answer: search },
  "GET /api/searches": { kind: "json", answer: ({ context }) => listSearches(context.directory) },
  "POST /api/searches": {
    kind: "json",
    answer: ({ context, fields }) =>
      saveSearch(context.directory, fields.text("name"), searchCriteria(fields)),
  },
  "POST /api/searches/remove": {
    kind: "json",
    answer: async ({ context, fields }) => {
      await removeSearch(context.directory, fields.text("name"));
      return {};
    },
  },
  "GET /api/conversation": {
    kind: "json",
    answer: ({ context, fields, abortSignal }) => findConversation(context, fields.text("id"), abortSignal),
  },
  "GET /api/golden": { kind: "download", answer: golden },
  "GET /api/raw": { kind: "download", answer: raw },
  "GET /api/census": { kind: "json", answer: censuses },
  "POST /api/census": { kind: "lines", answer: census },
  "GET /api/verdict": { kind: "json", answer: ({ history, fields }) => verdictOf(history, fields) },
  "POST /decode": {
    kind: "json",
    maxBytes: 150 * 1024 * 1024,
    answer: ({ context, body }) => decodePayloads(context, body),
  },
  "POST /api/repair/preview": { kind: "json", answer: preview },
  "GET /api/repairs": { kind: "json", answer: ({ jobs }) => jobs.list() },
  "POST /api/repair": {
    kind: "json",
    isChange: true,
    answer: ({ jobs, fields }) => jobs.start(repairRequest(fields)),
  },
  "POST /api/repair/cancel": {
    kind: "json",
    isChange: true,
    answer: ({ jobs, fields }) => jobs.cancel(fields.text("id")),
  },
  "POST /api/send/check": {
    kind: "json",
    maxBytes: 8 * 1024 * 1024,
    answer: ({ context, fields }) => sendMessage(context, fields, { isCheck: true }),
  },
  "POST /api/send": {
    kind: "json",
    isChange: true,
    maxBytes: 8 * 1024 * 1024,
    answer: ({ context, fields }) => sendMessage(context, fields, { isCheck: false }),
  },
};

/** Streams the counts and repairs whenever they change. */
async function live({ context, jobs, abortSignal }: Call, lines: LineStream): Promise<void> {
  let last = "";
  while (!abortSignal.aborted) {
    const state = { entities: await listEntities(context, abortSignal), repairs: jobs.list() };
    const text = toWire(state);
    if (text !== last) lines.write({ at: new Date().toISOString(), ...state });
    last = text;
    await lines.drained();
    await pause(context.refreshIntervalInMs, systemScheduler, abortSignal);
  }
}

async function search({ context, fields, abortSignal }: Call, lines: LineStream): Promise<void> {
  const criteria = searchCriteria(fields);
  await searchMessages(context, criteria, (event: SearchEvent) => lines.write(event), abortSignal);
}

async function censuses({ context, history }: Call) {
  const all = await history.read();
  return { points: censusPoints(all), plans: planViews(context, all.at(-1)) };
}

async function census({ context, history, abortSignal }: Call, lines: LineStream): Promise<void> {
  const onProgress = ({ peeked, expected }: { peeked: number; expected: number | undefined }) =>
    lines.write({ kind: "progress", peeked, expected });
  const taken = await takeAndKeep(context, history, onProgress, abortSignal);
  lines.write({ kind: "done", at: instant(taken.startedAt) });
}

async function preview({ context, fields, abortSignal }: Call) {
  const request = repairRequest(fields);
  const rehearsed = await previewRepair(context, request, abortSignal);
  return { ...rehearsed, origin: originOf(request.from), receipts: receiptFile(context, request.from) };
}

/** One message as a golden message; redacted unless the query says `redact=false`. */
async function golden({ context, fields, abortSignal }: Call): Promise<Download> {
  const address = addressAt(fields.text("entity"));
  const message = await peekOne(context, address, fields.sequenceNumber("number"), abortSignal);
  const isRedacted = fields.optionalText("redact") !== "false";
  const { pipeline, redact, keep } = context;
  const { messages, skipped } = await captureGoldenMessage(message, {
    pipeline,
    redact: isRedacted ? redact : false,
    keep,
    abortSignal,
  });
  const [made] = messages;
  if (made !== undefined) return { name: `${made.name}.golden.json`, content: formatGoldenMessage(made) };
  const [skip] = skipped;
  throw new RequestError(
    422,
    `The message cannot become a golden message (${skip?.why ?? "not read"}): ${skip?.detail ?? ""}`,
  );
}

/** One message with its raw body, for undeserializable messages. It is not redacted, so the query must say `redact=false`. */
async function raw({ context, fields, abortSignal }: Call): Promise<Download> {
  if (fields.optionalText("redact") !== "false")
    throw new RequestError(400, "Undeserializable messages cannot be redacted: add redact=false.");
  const address = addressAt(fields.text("entity"));
  const message = await peekOne(context, address, fields.sequenceNumber("number"), abortSignal);
  const { settlement: _, ...properties } = message;
  const name = `${entityPathOf(address).replace(/[^A-Za-z0-9.-]+/g, "-")}-${message.sequenceNumber}.message.json`;
  return { name, content: `${toWire({ waybillMessage: 1, ...properties }, 2)}\n` };
}
