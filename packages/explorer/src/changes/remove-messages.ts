import { type EntityAddress, entityPathOf } from "@waybill/core/transport";
import { type RemovalOptions, rehearseRemoval, removeMessages } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { listEntities } from "../reads/entities.js";
import { maySend } from "../reads/may-send.js";
import { idText, instant } from "../reads/message-row.js";
import type { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";
import { waitOf } from "./repair-request.js";

/** What a removal would remove. */
export type RemovalPreview = Awaited<ReturnType<typeof previewRemoval>>;

/** What the page is told while messages are removed, and in the end. */
export type RemovalEvent =
  | { readonly kind: "progress"; readonly removed: number }
  | ({ readonly kind: "done" } & RemovalView);

/** What was removed, and what was not. */
export interface RemovalView {
  readonly removed: number;
  readonly gone: NumbersView;
  readonly active: NumbersView;
  /** What another receiver holds, and until when at most. */
  readonly locked: (NumbersView & { readonly until: string }) | undefined;
}

/** Sequence numbers: how many, and the first of them. */
export interface NumbersView {
  readonly count: number;
  readonly examples: readonly string[];
}

/** How many messages a dry run names one by one. */
const maxShown = 100;

type Request = Pick<RemovalOptions, "from" | "numbers">;

/** Tells which messages would be removed: those of a list of numbers, or all. Locks and changes nothing. */
export async function previewRemoval(context: ExplorerContext, fields: Fields, abortSignal?: AbortSignal) {
  const request = requestOf(fields);
  const messages: {
    number: string;
    messageId: string | undefined;
    subject: string | undefined;
    reason: string | undefined;
    state: string;
    enqueuedAt: string | undefined;
  }[] = [];
  const { removable, states, gone, active, upTo } = await rehearseRemoval({
    transport: context.transport,
    ...request,
    abortSignal,
    onFound(message) {
      if (messages.length === maxShown) return;
      messages.push({
        number: String(message.sequenceNumber),
        messageId: idText(message.messageId),
        subject: message.subject?.slice(0, 256),
        reason: message.deadLetterReason?.slice(0, 256),
        state: message.state,
        enqueuedAt: instant(message.enqueuedTimeUtc),
      });
    },
  });
  const { from } = request;
  const right =
    states.scheduled > 0
      ? await maySend(context, "queue" in from ? from.queue : from.topic, abortSignal)
      : undefined;
  return {
    path: entityPathOf(from),
    removable,
    states,
    gone: numbersView(gone),
    active: numbersView(active),
    upTo: upTo.map(String),
    /** The first of them. */
    messages,
    /** Why they cannot be removed. */
    forbidden:
      right?.answer === "no" ? `Scheduled messages are cancelled through a sender. ${right.why}` : undefined,
  };
}

/**
 * Removes what a dry run has shown, at most as many and none that is newer. To remove all messages of an entity, `confirm` has to be its path. Rejects
 * with `RequestError`.
 */
export async function removeShown(
  context: ExplorerContext,
  fields: Fields,
  onEvent: (event: RemovalEvent) => void,
  abortSignal?: AbortSignal,
): Promise<void> {
  const request = requestOf(fields);
  const path = entityPathOf(request.from);
  if (request.numbers === undefined && fields.text("confirm") !== path)
    throw new RequestError(400, `To remove all messages, confirm must be ${path}.`);
  const { removed, gone, active, locked } = await removeMessages({
    transport: context.transport,
    ...request,
    upTo: numbersOf(fields, "upTo") ?? [],
    limit: fields.count("limit", { standard: 1 }),
    maxWaitTimeInMs: waitOf(fields),
    requiresSession: await requiresSession(context, request.from, abortSignal),
    abortSignal,
    onProgress: (so) => onEvent({ kind: "progress", removed: so }),
  });
  onEvent({
    kind: "done",
    removed,
    gone: numbersView(gone),
    active: numbersView(active),
    locked: locked && {
      ...numbersView(locked.examples),
      count: locked.count,
      until: locked.until.toISOString(),
    },
  });
}

/** The queue, subscription or sub-queue of a removal. */
export function removedFrom(fields: Fields): EntityAddress {
  return fields.address();
}

function requestOf(fields: Fields): Request {
  const numbers = numbersOf(fields, "number");
  if (numbers?.length === 0) throw new RequestError(400, "number must name at least one message.");
  return { from: removedFrom(fields), numbers };
}

function numbersOf(fields: Fields, name: string): readonly bigint[] | undefined {
  return fields.optionalTexts(name)?.map((text) => {
    if (/^\d{1,19}$/.test(text)) return BigInt(text);
    throw new RequestError(400, `${name} must be a list of sequence numbers.`);
  });
}

function numbersView(numbers: readonly bigint[]): NumbersView {
  return { count: numbers.length, examples: numbers.slice(0, maxShown).map(String) };
}

async function requiresSession(
  context: ExplorerContext,
  { subQueue, ...entity }: EntityAddress,
  abortSignal: AbortSignal | undefined,
): Promise<boolean> {
  if (subQueue !== undefined) return false;
  const path = entityPathOf(entity as EntityAddress).toLowerCase();
  const entities = await listEntities(context, abortSignal);
  return entities.some((each) => each.path.toLowerCase() === path && each.requiresSession);
}
