import { entityPathOf } from "@waybill/core/transport";
import { takeCensus } from "@waybill/migration/census";
import {
  type CensusProgress,
  captureGoldenMessage,
  describePlan,
  formatGoldenMessage,
} from "@waybill/migration/tools";
import { censusPoints, planViews } from "../census/census-view.js";
import { verdictOf } from "../census/verdict.js";
import { previewEdit, sendEdited } from "../changes/edit-message.js";
import { previewRepair, requireTarget } from "../changes/preview-repair.js";
import { previewRemoval, type RemovalEvent, removedFrom, removeShown } from "../changes/remove-messages.js";
import {
  deadLettersOf,
  interruptedIn,
  readPreviewRequest,
  readRepairRequest,
  receiptFile,
} from "../changes/repair-request.js";
import { sendMessage } from "../changes/send-message.js";
import { decodePayloads } from "../reads/codec-server.js";
import { eachHealth, healthRequests } from "../reads/health.js";
import { instant } from "../reads/message-row.js";
import { peekOne } from "../reads/peek.js";
import { type ConversationEvent, findConversation } from "../search/conversation.js";
import { listSearches, removeSearch, saveSearch } from "../search/saved-searches.js";
import { searchCriteria } from "../search/search-criteria.js";
import { type SearchEvent, searchMessages } from "../search/search-messages.js";
import { RequestError } from "../wire/request-error.js";
import { toWire } from "../wire/to-wire.js";
import type { LineStream } from "./line-stream.js";
import { streamLive } from "./live.js";
import { type Call, type Download, json, type Routes } from "./route.js";

/** A message of 100 MiB, the largest of the Premium tier, in Base64. */
const maxSentBytes = 150 * 1024 * 1024;

/** The sequence numbers of some hundred thousand selected messages. */
const maxSelectionBytes = 8 * 1024 * 1024;

/** The routes that run long, store something, or change something. */
export const workRoutes: Routes = {
  "GET /api/live": { kind: "lines", answer: streamLive },
  "POST /api/health": {
    kind: "lines",
    answer: ({ context, fields, abortSignal }, lines) =>
      eachHealth(context, healthRequests(fields), (health) => lines.write(health), abortSignal),
  },
  "GET /api/search": { kind: "lines", answer: search },
  "GET /api/searches": json(({ context }) => listSearches(context.directory)),
  "POST /api/searches": json(({ context, fields }) =>
    saveSearch(context.directory, fields.text("name"), searchCriteria(fields)),
  ),
  "POST /api/searches/remove": json(async ({ context, fields }) => {
    await removeSearch(context.directory, fields.text("name"));
    return {};
  }),
  "GET /api/conversation": { kind: "lines", answer: conversation },
  "GET /api/golden": { kind: "download", answer: golden },
  "GET /api/raw": { kind: "download", answer: raw },
  "GET /api/census": json(censuses),
  "POST /api/census": { kind: "lines", answer: census },
  "GET /api/verdict": json(({ context, history, fields }) => verdictOf(context, history, fields)),
  "POST /decode": json(({ context, body }) => decodePayloads(context, body), { maxBytes: maxSentBytes }),
  "POST /api/repair/preview": json(preview, { maxBytes: maxSelectionBytes }),
  "GET /api/repairs": json(({ jobs }) => jobs.list()),
  "GET /api/repair/interrupted": json(interrupted),
  "POST /api/repair": json(repair, { isChange: true, maxBytes: maxSelectionBytes }),
  "POST /api/repair/cancel": json(({ jobs, fields }) => jobs.cancel(fields.text("id")), { isChange: true }),
  "POST /api/remove/preview": json(
    ({ context, fields, abortSignal }) => previewRemoval(context, fields, abortSignal),
    { maxBytes: maxSelectionBytes },
  ),
  "POST /api/remove": { kind: "lines", answer: remove, isChange: true, maxBytes: maxSelectionBytes },
  "POST /api/edit/preview": json(
    ({ context, fields, abortSignal }) => previewEdit(context, fields, abortSignal),
    { maxBytes: maxSentBytes },
  ),
  "POST /api/edit": json(
    ({ context, jobs, fields }) => jobs.exclusively(deadLettersOf(fields), () => sendEdited(context, fields)),
    { isChange: true, maxBytes: maxSentBytes },
  ),
  "POST /api/send/check": json(({ context, fields }) => sendMessage(context, fields, { isCheck: true }), {
    maxBytes: maxSentBytes,
  }),
  "POST /api/send": json(({ context, fields }) => sendMessage(context, fields, { isCheck: false }), {
    isChange: true,
    maxBytes: maxSentBytes,
  }),
};

/** With `again`, what earlier searches remember is read again. */
async function search({ context, seen, fields, abortSignal }: Call, lines: LineStream): Promise<void> {
  const criteria = searchCriteria(fields);
  if (fields.flag("again")) seen.forget();
  await searchMessages(context, seen, criteria, (event: SearchEvent) => lines.write(event), abortSignal);
}

async function conversation({ context, seen, fields, abortSignal }: Call, lines: LineStream): Promise<void> {
  const onEvent = (event: ConversationEvent) => lines.write(event);
  await findConversation(context, seen, fields.text("id"), onEvent, abortSignal);
}

async function censuses({ context, history }: Call) {
  const all = await history.read();
  return { points: censusPoints(all), plans: planViews(context, all.at(-1)) };
}

async function census({ context, history, abortSignal }: Call, lines: LineStream): Promise<void> {
  const { transport, pipeline, catalog } = context;
  const onProgress = ({ peeked, expected }: CensusProgress) =>
    lines.write({ kind: "progress", peeked, expected });
  const taken = await takeCensus({ transport, pipeline, catalog, onProgress, abortSignal });
  await history.add(taken);
  lines.write({ kind: "done", at: instant(taken.startedAt) });
}

async function preview({ context, fields, abortSignal }: Call) {
  const request = await readPreviewRequest(context, fields);
  const rehearsed = await previewRepair(context, request, abortSignal);
  return { ...rehearsed, receipts: receiptFile(context, request.from) };
}

/** Whether the target exists is asked before a plan is written to the receipts. */
async function repair({ context, jobs, fields, abortSignal }: Call) {
  const request = await readRepairRequest(context, fields);
  await requireTarget(context, request, abortSignal);
  return jobs.start(request);
}

/** Stops between two batches when the page is closed. */
async function remove({ context, jobs, fields, abortSignal }: Call, lines: LineStream): Promise<void> {
  const onEvent = (event: RemovalEvent) => lines.write(event);
  await jobs.exclusively(removedFrom(fields), () => removeShown(context, fields, onEvent, abortSignal));
}

/** The interrupted repair of a dead-letter queue, from its receipts: it outlives the explorer. */
async function interrupted({
  context,
  fields,
}: Call): Promise<{ readonly found: InterruptedView | undefined }> {
  const found = await interruptedIn(context, deadLettersOf(fields));
  if (found === undefined) return { found };
  const { plan, startedAt, sent, maybeSent } = found;
  return { found: { plan: describePlan(plan), startedAt: startedAt.toISOString(), sent, maybeSent } };
}

/** An interrupted repair as the page shows it. */
export interface InterruptedView {
  /** In words: target, selection, bodies, rate and limit. */
  readonly plan: readonly string[];
  readonly startedAt: string;
  readonly sent: number;
  readonly maybeSent: number;
}

/** One message as a golden message; redacted unless the query says `redact=false`. */
async function golden({ context, fields, abortSignal }: Call): Promise<Download> {
  const message = await peekOne(context, fields.address(), fields.sequenceNumber("number"), abortSignal);
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
  const address = fields.address();
  const message = await peekOne(context, address, fields.sequenceNumber("number"), abortSignal);
  const { settlement: _, ...properties } = message;
  const name = `${entityPathOf(address).replace(/[^A-Za-z0-9.-]+/g, "-")}-${message.sequenceNumber}.message.json`;
  return { name, content: `${toWire({ waybillMessage: 1, ...properties }, 2)}\n` };
}
