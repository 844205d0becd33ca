import { cut, parseJson } from "@waybill/foundation";
import type { Serializer } from "../contracts/serializer.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { ReasonCode } from "../errors/reason.js";
import { parseMediaType } from "../message/media-type.js";
import type { Decoded, Undeserializable } from "../message/outcome.js";
import type { Pipeline } from "../pipeline/pipeline.js";

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
const byMediaType: Readonly<Record<string, string>> = {
  "text/plain": "text()",
  "application/octet-stream": "bytes()",
  "application/json": "json()",
  "+json": "json()",
  "application/avro": "avro()",
  "avro/binary": "avro()",
  "application/vnd.apache.avro": "avro()",
  "application/vnd.msgpack": "msgpack()",
  "application/msgpack": "msgpack()",
  "application/x-msgpack": "msgpack()",
};

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
  const label = labelOf(report);
  const additional = serializerOf(label.essence);
  // Under any label, what the SDK's receiver parses as JSON is JSON to the handlers of today.
  const isJson = jsonIn(body) !== undefined;
  if (additional !== undefined && (!isJson || additional === "json()")) return add(label, additional, body);
  const reader = await findReader(pipeline, message, body);
  if (reader !== undefined) return assume(label, reader);
  if (isJson && label.kind !== "missing" && !hasJson(pipeline)) return addJson(label);
  return label.kind === "missing" ? byLook(pipeline, body) : undefined;
}

/** The value that the SDK's receiver would give; undefined if it would give the bytes. */
function jsonIn(body: Uint8Array): { readonly value: unknown } | undefined {
  const text = textOf(body);
  const value = text === undefined ? undefined : parseJson(text);
  return value === undefined ? undefined : { value };
}

function hasJson({ serializers }: Pipeline): boolean {
  return serializers.some(readsJson);
}

/** The text is JSON, but the client has no serializer for it to try. */
function addJson({ kind, text }: Label): Suggestion {
  return {
    trait: `${text} and look like JSON`,
    option: `additionalDeserializers: [json()], contentTypePolicies: { ${kind}: { assume: "json" } }`,
    isTried: false,
  };
}

interface Label {
  readonly kind: "missing" | "unknown" | "foreign";
  readonly essence: string | undefined;
  /** For use in a sentence, with control characters escaped, and truncated. */
  readonly text: string;
}

function labelOf({ contentType = "", attempts }: Undeserializable["report"]): Label {
  const has = (code: ReasonCode) => attempts.some(({ reason }) => reason === code);
  const isUnknown = has("content-type-unknown") || has("content-type-malformed");
  const text =
    contentType === ""
      ? "have no content type"
      : `have the content type ${JSON.stringify(cut(contentType, 64))}`;
  const essence = contentType === "" ? undefined : parseMediaType(contentType)?.essence;
  const kind = has("content-type-foreign") ? "foreign" : isUnknown ? "unknown" : "missing";
  return { kind, essence, text };
}

/**
 * The serializer of the chain that can read the body as if declared. JSON serializers are tried first on JSON, because a single digit is
 * also a number in MessagePack.
 */
async function findReader(
  pipeline: Pipeline,
  message: DeliveredMessage,
  body: Uint8Array,
): Promise<string | undefined> {
  const json = jsonIn(body);
  const serializers =
    json === undefined
      ? pipeline.serializers
      : pipeline.serializers.toSorted((a, b) => Number(readsJson(b)) - Number(readsJson(a)));
  for (const { name } of serializers) {
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
function isAsBefore({ body, report }: Decoded, json: { readonly value: unknown } | undefined): boolean {
  if (json === undefined || report.messageType !== undefined) return true;
  return JSON.stringify(body, rounded) === JSON.stringify(json.value);
}

/** The SDK rounds integers that a number cannot hold. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

function readsJson({ mediaTypes }: Serializer): boolean {
  return mediaTypes.includes("application/json");
}

function assume({ kind, text }: Label, reader: string): Suggestion {
  const look = reader === "json" ? "look like JSON" : `can be read as ${JSON.stringify(reader)}`;
  return {
    trait: `${text} and ${look}`,
    option: `contentTypePolicies: { ${kind}: { assume: ${JSON.stringify(reader)} } }`,
    isTried: true,
  };
}

function serializerOf(essence = ""): string | undefined {
  return byMediaType[essence] ?? (essence.endsWith("+json") ? byMediaType["+json"] : undefined);
}

/** Bytes and UTF-8 can be tried without a serializer of another package. */
function add({ text }: Label, serializer: string, body: Uint8Array): Suggestion | undefined {
  const isText = textOf(body) !== undefined;
  if (serializer === "text()" && !isText) return undefined;
  const isTried = serializer === "bytes()" || serializer === "text()";
  return { trait: text, option: `additionalDeserializers: [${serializer}]`, isTried };
}

/** If no serializer of the chain can read it, it may still be JSON or text. One that the chain has was tried: its schema refuses the value. */
function byLook({ serializers }: Pipeline, body: Uint8Array): Suggestion | undefined {
  const text = textOf(body);
  if (text === undefined || text.trim() === "") return undefined;
  const serializer = parseJson(text) === undefined ? "text" : "json";
  if (serializers.some(({ name }) => name === serializer)) return undefined;
  return {
    trait: `have no content type and look like ${serializer === "json" ? "JSON" : "text"}`,
    option: `additionalDeserializers: [${serializer}()], contentTypePolicies: { missing: { assume: "${serializer}" } }`,
    isTried: serializer === "text",
  };
}

/** Larger bodies are not examined. */
const maxLookBytes = 65_536;

function textOf(body: Uint8Array): string | undefined {
  if (body.length > maxLookBytes) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return hasControls(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Whether it has control characters other than tab, line feed and carriage return. */
function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return true;
  }
  return false;
}
