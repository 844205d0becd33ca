import { cut, parseJson } from "@waybill/foundation";
import type { Serializer } from "../contracts/serializer.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { ReasonCode } from "../errors/reason.js";
import { parseMediaType } from "../message/media-type.js";
import type { Decoded, Undeserializable } from "../message/outcome.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { wholeText } from "../recognition/by-text.js";

/** What undeserializable messages have in common, and the option with which they could be read. */
export interface Suggestion {
  /** What they have in common, as it follows "100 messages": "have no content type and look like JSON". */
  readonly trait: string;
  /** The option as code: `contentTypePolicies: { missing: { assume: "json" } }`. */
  readonly option: string;
  /** Whether it was tried on the message: it reads the body, to the value that the SDK's receiver would give if it gives one. */
  readonly isTried: boolean;
}

/** Without the outcome of trying it: the option needs something that only the user has. */
type Untried = Omit<Suggestion, "isTried">;

/** The suggestion for a reason, whatever the body contains. */
const byReason: { readonly [Reason in ReasonCode]?: Untried } = {
  "claim-check-unsupported": { trait: "lie in a claim-check store", option: "claimCheck: { store }" },
  "encryption-unsupported": { trait: "are encrypted", option: "encryption: { keys }" },
  "plaintext-refused": {
    trait: "are not encrypted",
    option: "encryption: { keys, allowPlaintext: true }",
  },
  "message-type-missing": { trait: "do not say their message type", option: "messageTypeResolver" },
  "message-type-unknown": { trait: "are of a message type that is not defined", option: "messageTypes" },
  "message-version-unknown": { trait: "are of a version that is not defined", option: "messageTypes" },
  "message-version-missing": { trait: "do not say their version", option: "messageTypes: unversioned" },
  "message-version-removed": { trait: "are of a version that was removed", option: "messageTypes" },
  "message-type-unhandled": { trait: "are of a type without a handler", option: "processUnhandled" },
};

/** The serializers to add for media types that no serializer of the chain reads. */
const byMediaType: readonly (readonly [serializer: string, mediaTypes: RegExp])[] = [
  ["text", /^text\/plain$/],
  ["bytes", /^application\/octet-stream$/],
  ["json", /^application\/json$|\+json$/],
  ["avro", /^(?:application\/(?:vnd\.apache\.)?avro|avro\/binary)$/],
  ["msgpack", /^application\/(?:vnd\.|x-)?msgpack$/],
];

/**
 * Finds an option with which an undeserializable body could be read: by the reason of the failure, by the content type, by reading it with
 * each serializer as if declared, by its appearance. Undefined if no option would help, for example for a damaged body.
 */
export async function suggestOption(
  pipeline: Pipeline,
  message: DeliveredMessage,
  outcome: Undeserializable,
): Promise<Suggestion | undefined> {
  const { report } = outcome;
  for (const { reason } of report.attempts) {
    const known = byReason[reason];
    if (known !== undefined) return { ...known, isTried: false };
  }
  const { body } = message;
  if (report.declared !== undefined || !(body instanceof Uint8Array)) return undefined;
  const { kind, label, named } = labelOf(report);
  const text = wholeText(body);
  // Under any label, what the SDK's receiver parses as JSON is JSON to the handlers of today.
  const json = text === undefined ? undefined : parseJson(text);
  if (named !== undefined && (json === undefined || named === "json")) {
    return named === "text" && text === undefined
      ? undefined
      : { trait: label, option: add(named), isTried: isInCore(named) };
  }
  const reader = await findReader(pipeline, message, json);
  if (reader !== undefined) {
    return {
      trait: `${label} and ${lookOf(reader)}`,
      option: assume(kind, reader),
      isTried: true,
    };
  }
  // No serializer of the chain can read it, so that one which claims the format must have refused the value.
  const look = json !== undefined ? "json" : kind === "missing" && text?.trim() ? "text" : undefined;
  if (look === undefined || pipeline.serializers.some((each) => claims(each, look))) return undefined;
  return {
    trait: `${label} and ${lookOf(look)}`,
    option: `${add(look)}, ${assume(kind, look)}`,
    isTried: isInCore(look),
  };
}

interface Label {
  readonly kind: "missing" | "unknown" | "foreign";
  /** For use in a sentence, with control characters escaped, and truncated. */
  readonly label: string;
  /** The serializer that reads the content type, if waybill has one. */
  readonly named: string | undefined;
}

function labelOf({ contentType = "", attempts }: Undeserializable["report"]): Label {
  const has = (code: ReasonCode) => attempts.some(({ reason }) => reason === code);
  const isUnknown = has("content-type-unknown") || has("content-type-malformed");
  const kind = has("content-type-foreign") ? "foreign" : isUnknown ? "unknown" : "missing";
  if (contentType === "") return { kind, label: "have no content type", named: undefined };
  const { essence = "" } = parseMediaType(contentType) ?? {};
  const [named] = byMediaType.find(([, mediaTypes]) => mediaTypes.test(essence)) ?? [];
  return { kind, label: `have the content type ${JSON.stringify(cut(contentType, 64))}`, named };
}

function lookOf(serializer: string): string {
  if (serializer === "json") return "look like JSON";
  return serializer === "text" ? "look like text" : `can be read as ${JSON.stringify(serializer)}`;
}

function add(serializer: string): string {
  return `additionalDeserializers: [${serializer}()]`;
}

function assume(kind: Label["kind"], serializer: string): string {
  return `contentTypePolicies: { ${kind}: { assume: ${JSON.stringify(serializer)} } }`;
}

/** Bytes and UTF-8 can be tried without a serializer of another package. */
function isInCore(serializer: string): boolean {
  return serializer === "text" || serializer === "bytes";
}

/**
 * The serializer of the chain that can read the body as if declared. JSON serializers are tried first on JSON, because a single digit is
 * also a number in MessagePack.
 */
async function findReader(
  pipeline: Pipeline,
  message: DeliveredMessage,
  json: unknown,
): Promise<string | undefined> {
  const rank = (each: Serializer) => Number(json !== undefined && claims(each, "json"));
  for (const { name } of pipeline.serializers.toSorted((a, b) => rank(b) - rank(a))) {
    try {
      const outcome = await pipeline.deserialize(message, { readAs: { serializer: name } });
      if (outcome.status === "decoded" && isAsBefore(outcome, json)) return name;
    } catch {
      // A custom pipeline may not support `readAs`.
    }
  }
  return undefined;
}

/** Whether handlers would get what the SDK gave them. Typed bodies may be converted, which is meant. */
function isAsBefore({ body, report }: Decoded, json: unknown): boolean {
  if (json === undefined || report.messageType !== undefined) return true;
  return JSON.stringify(body, rounded) === JSON.stringify(json);
}

/** The SDK rounds integers that a number cannot hold. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

function claims({ mediaTypes }: Serializer, format: "json" | "text"): boolean {
  return mediaTypes.includes(format === "json" ? "application/json" : "text/plain");
}
