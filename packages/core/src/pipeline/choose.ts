import type { Awaitable } from "../contracts/serializer.js";
import type { ReasonCode } from "../errors/reason.js";
import { isPromise } from "../foundation/is-promise.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import { attempt } from "./attempt.js";
import type { ChainLink, Selection } from "./chain.js";
import { checked, conclude, received } from "./conclude.js";
import { isAnyText } from "./foreign-media-type.js";
import type { ContentTypePolicies } from "./options.js";
import { failed, noProperties, type Reading } from "./reading.js";

/** Finds the serializer for a body: the declared or assumed one, or else one that recognises the bytes. */
export function choose(reading: Reading, bytes: Uint8Array): Awaitable<DeserializationOutcome> {
  if (bytes.length === 0 && !isEmptyValue(reading)) {
    reading.isEmpty = true;
    return received(reading, undefined);
  }
  const { readAs, selection } = reading;
  if (readAs?.serializer !== undefined) {
    return chooseNamed(reading, readAs.serializer, readAs.isDeclared ?? true, bytes);
  }
  return selection.kind === "declared"
    ? ask(reading, selection.link, bytes)
    : chooseUndeclared(reading, selection.kind, bytes);
}

/** Whether zero bytes are a value of the declared format, such as the empty string. */
function isEmptyValue(reading: Reading): boolean {
  const { readAs, selection } = reading;
  const name = readAs?.serializer;
  const link = name === undefined ? selection.link : linkOf(reading, name);
  return link?.serializer.readsEmptyBodies === true && readAs?.isDeclared !== false;
}

/** The policy and the recorded reason for a content type that selects no serializer. */
const undeclared = {
  missing: { policy: "missing", reason: "content-type-missing", detail: "The message has no content type." },
  malformed: {
    policy: "unknown",
    reason: "content-type-malformed",
    detail: "The content type is not a media type.",
  },
  unknown: {
    policy: "unknown",
    reason: "content-type-unknown",
    detail: "No serializer claims the content type.",
  },
  foreign: {
    policy: "foreign",
    reason: "content-type-foreign",
    detail: "The content type names another format, which no serializer of the pipeline reads.",
  },
} as const satisfies Readonly<
  Record<
    Exclude<Selection["kind"], "declared">,
    { readonly policy: keyof ContentTypePolicies; readonly reason: ReasonCode; readonly detail: string }
  >
>;

function chooseUndeclared(
  reading: Reading,
  kind: keyof typeof undeclared,
  bytes: Uint8Array,
): Awaitable<DeserializationOutcome> {
  const { policy: name, reason, detail } = undeclared[kind];
  const policy = reading.options.contentTypePolicies[name];
  if (kind !== "missing" || policy === "reject") reading.note(undefined, reason, detail);
  if (policy === "reject") return reading.refused();
  if (typeof policy === "string") return guess(reading, bytes, undefined);
  const assumed = reading.chain.links[policy.position];
  reading.assumed = assumed;
  return assumed === undefined ? reading.refused() : ask(reading, assumed, bytes);
}

/** Reads the body with the declared or assumed serializer. */
function ask(reading: Reading, link: ChainLink, bytes: Uint8Array): Awaitable<DeserializationOutcome> {
  const value = tryLink(reading, link, bytes, true);
  return isPromise(value)
    ? value.then((settled) => answered(reading, settled, link, bytes))
    : answered(reading, value, link, bytes);
}

function chooseNamed(
  reading: Reading,
  name: string,
  isDeclared: boolean,
  bytes: Uint8Array,
): Awaitable<DeserializationOutcome> {
  const link = linkOf(reading, name);
  const isCandidate = isDeclared || reading.chain.candidates(bytes).includes(link);
  if (!isCandidate) {
    noteUnrecognized(reading, [], undefined, bytes);
    return reading.refused();
  }
  const value = tryLink(reading, link, bytes, isDeclared);
  const settle = (settled: unknown) =>
    settled === failed ? reading.refused() : conclude(reading, settled, link);
  return isPromise(value) ? value.then(settle) : settle(value);
}

function linkOf({ chain }: Reading, name: string): ChainLink {
  const link = chain.links.find(({ serializer }) => serializer.name === name);
  if (link === undefined) throw new TypeError(`No serializer of the pipeline is named "${name}".`);
  return link;
}

function answered(
  reading: Reading,
  value: unknown,
  link: ChainLink,
  bytes: Uint8Array,
): Awaitable<DeserializationOutcome> {
  if (value !== failed) return conclude(reading, value, link);
  if (reading.isUnavailable) return reading.refused();
  const isFinal = reading.assumed === undefined && reading.options.contentTypePolicies.mismatch === "reject";
  return isFinal ? reading.refused() : guess(reading, bytes, link);
}

/** Without a declared serializer, or after it failed, tries those that may recognise the bytes. */
function guess(
  reading: Reading,
  bytes: Uint8Array,
  asked: ChainLink | undefined,
): Awaitable<DeserializationOutcome> {
  if (bytes.length === 0) {
    reading.note(undefined, "body-empty", "The body is empty.");
    return reading.refused();
  }
  const candidates = reading.chain.candidates(bytes);
  const possible = isLabelBelieved(reading, bytes)
    ? candidates.filter(({ serializer }) => serializer.detection === "magic")
    : candidates;
  return tryCandidates(reading, possible, 0, bytes, asked);
}

/** Whether the content type names another format, so that only a header of its own lets a serializer read the body. */
function isLabelBelieved({ selection: { kind, mediaType }, options }: Reading, bytes: Uint8Array): boolean {
  if (kind !== "foreign" || options.contentTypePolicies.foreign === "try-all") return false;
  // A content type of text rules out binary formats. Their maps and arrays do not begin with a character of ASCII or a byte order mark.
  const isText = (bytes[0] ?? 0) < 0x80 || bytes[0] === 0xef;
  return mediaType === undefined || !isText || !isAnyText(mediaType);
}

function tryCandidates(
  reading: Reading,
  candidates: readonly ChainLink[],
  from: number,
  bytes: Uint8Array,
  asked: ChainLink | undefined,
): Awaitable<DeserializationOutcome> {
  for (let index = from; ; index++) {
    const link = candidates[index];
    if (link === undefined) break;
    // A serializer that failed when declared cannot succeed under the stricter rules for undeclared bodies.
    if (link === asked) continue;
    const value = tryLink(reading, link, bytes, false);
    if (isPromise(value)) {
      return value.then((settled) => {
        if (settled !== failed) return conclude(reading, settled, link);
        if (reading.isUnavailable) return reading.refused();
        return tryCandidates(reading, candidates, index + 1, bytes, asked);
      });
    }
    if (value !== failed) return conclude(reading, value, link);
    if (reading.isUnavailable) return reading.refused();
  }
  noteUnrecognized(reading, candidates, asked, bytes);
  return reading.refused();
}

/** One attempt: returns the checked value, or `failed`. */
function tryLink(reading: Reading, link: ChainLink, bytes: Uint8Array, isDeclared: boolean): unknown {
  const { message, known, options, abortSignal } = reading;
  const context = {
    messageType: known === undefined ? message.subject : known.type.name,
    messageVersion: known?.version.version,
    schema: known?.version.schemas[link.serializer.name],
    contentType: message.contentType,
    mediaType: reading.selection.mediaType,
    applicationProperties: message.applicationProperties ?? noProperties,
    abortSignal,
    isDeclared,
    maxDepth: options.maxDepth,
    maxItems: options.maxItemsIn(bytes.length),
  };
  try {
    const value = attempt(link.serializer, bytes, context, options.attemptTimeoutInMs);
    return isPromise(value)
      ? value
          .then((settled) => checked(reading, settled, link))
          .catch((error: unknown) => reading.fail(link, error))
      : checked(reading, value, link);
  } catch (error) {
    return reading.fail(link, error);
  }
}

function noteUnrecognized(
  reading: Reading,
  tried: readonly ChainLink[],
  asked: ChainLink | undefined,
  bytes: Uint8Array,
): void {
  for (const link of reading.chain.links) {
    if (link === asked || tried.includes(link)) continue;
    const detail =
      link.serializer.detection === "label"
        ? "It reads only bodies whose content type names it."
        : link.serializer.detection === "structure" && isLabelBelieved(reading, bytes)
          ? "It has no header by which it would be known under the label of another format."
          : "The body does not start like this format.";
    reading.note(link, "not-recognized", detail);
  }
}
