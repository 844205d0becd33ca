import { decodeFailure } from "../errors/failure.js";
import type { ReasonCode } from "../errors/reason.js";
import { isAnyText } from "../message/foreign-media-type.js";
import type { ChainLink, Selection } from "./chain.js";
import { note } from "./conclude.js";
import type { ContentTypePolicies } from "./options.js";
import type { Reading } from "./reading.js";

/** Whether the zero bytes of a body are the absence of a body. They are a value of a declared format that says so, such as the empty text. */
export function isWithoutBody(reading: Reading): boolean {
  const { named, call, selection } = reading;
  if (assumedFor(reading)?.serializer.readsAnyBytes === true) return false;
  const link = named ?? selection.link;
  return link?.serializer.readsEmptyBodies !== true || call.readAs?.isDeclared === false;
}

/**
 * The serializer to try first: the one that the call or the content type names, or that a policy assumes, else the first that may recognise
 * the bytes; undefined if none may. Throws if a policy rejects the content type.
 */
export function select(reading: Reading, bytes: Uint8Array): ChainLink | undefined {
  const asked = askedFor(reading);
  reading.asked = asked;
  return asked ?? nextLink(reading, undefined, bytes);
}

/** The serializer to try after `tried` failed, or the first if it is undefined; undefined if no other may read the body. */
export function nextLink(
  reading: Reading,
  tried: ChainLink | undefined,
  bytes: Uint8Array,
): ChainLink | undefined {
  if (reading.unavailable !== undefined || (tried !== undefined && isLast(reading, tried))) return undefined;
  if (bytes.length === 0) {
    note(reading, undefined, "body-empty", "The body is empty.");
    return undefined;
  }
  const candidates = candidatesFor(reading, bytes);
  const from = tried === undefined ? 0 : candidates.indexOf(tried) + 1;
  const next = candidates[from];
  if (next === undefined) noteUnrecognized(reading, candidates, bytes);
  return next;
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

/** The serializer that reads the body as if declared. Undefined if the bytes must be recognised. */
function askedFor(reading: Reading): ChainLink | undefined {
  const { named, call, selection } = reading;
  if (named !== undefined) return call.readAs?.isDeclared === false ? undefined : named;
  return selection.kind === "declared" ? selection.link : assumedByPolicy(reading, selection.kind);
}

/** The serializer that the policy assumes for a content type that selects none. Throws if the policy rejects it. */
function assumedByPolicy(reading: Reading, kind: keyof typeof undeclared): ChainLink | undefined {
  const { policy, reason, detail } = undeclared[kind];
  if (reading.options.contentTypePolicies[policy] === "reject") throw decodeFailure(reason, detail);
  if (kind !== "missing") note(reading, undefined, reason, detail);
  return assumedFor(reading);
}

/** The serializer that a policy assumes for the body. */
export function assumedFor({
  chain,
  named,
  options,
  selection: { kind },
}: Pick<Reading, "chain" | "named" | "options" | "selection">): ChainLink | undefined {
  if (kind === "declared" || named !== undefined) return undefined;
  const policy = options.contentTypePolicies[undeclared[kind].policy];
  return typeof policy === "string" ? undefined : chain.links[policy.position];
}

/** Whether no other serializer is tried after this one. */
function isLast({ named, selection, options }: Reading, tried: ChainLink): boolean {
  if (named !== undefined) return true;
  return tried === selection.link && options.contentTypePolicies.mismatch === "reject";
}

/**
 * The serializers that may recognise the bytes, without the one that was asked first: it failed when declared, so it cannot succeed under the
 * stricter rules for undeclared bodies.
 */
function candidatesFor(reading: Reading, bytes: Uint8Array): readonly ChainLink[] {
  const { chain, named, asked } = reading;
  const isOnlyMagic = named === undefined && isLabelBelieved(reading, bytes);
  return chain.candidates(bytes).filter((link) => {
    if (link === asked || (named !== undefined && link !== named)) return false;
    return !isOnlyMagic || link.serializer.detection === "magic";
  });
}

/** Whether the content type names another format, so that only a header of its own lets a serializer read the body. */
function isLabelBelieved({ selection: { kind, mediaType }, options }: Reading, bytes: Uint8Array): boolean {
  if (kind !== "foreign" || options.contentTypePolicies.foreign === "try-all") return false;
  // A content type of text rules out binary formats. Their maps and arrays do not begin with a character of ASCII or a byte order mark.
  const isText = (bytes[0] ?? 0) < 0x80 || bytes[0] === 0xef;
  return mediaType === undefined || !isText || !isAnyText(mediaType);
}

function noteUnrecognized(reading: Reading, tried: readonly ChainLink[], bytes: Uint8Array): void {
  for (const link of reading.chain.links) {
    if (link === reading.asked || tried.includes(link)) continue;
    const detail =
      link.serializer.detection === "label"
        ? "It reads only bodies whose content type names it."
        : link.serializer.detection === "structure" && isLabelBelieved(reading, bytes)
          ? "It has no header by which it would be known under the label of another format."
          : "The body does not start like this format.";
    note(reading, link, "not-recognized", detail);
  }
}
