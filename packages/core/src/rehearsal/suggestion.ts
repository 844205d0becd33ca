import type { Serializer } from "../contracts/serializer.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { ReasonCode } from "../errors/reason.js";
import { cut } from "../errors/wire-text.js";
import { parseJson } from "../foundation/parse-json.js";
import { parseMediaType } from "../message/media-type.js";
import type { Undeserializable } from "../message/outcome.js";
import type { Pipeline } from "../pipeline/pipeline.js";

/** What undeserializable messages have in common, and the option with which they could be read. */
export interface Suggestion {
  /** What they have in common, as it follows "100 messages": "have no content type and look like JSON". */
  readonly trait: string;
  /** The option as code: `contentTypePolicies: { missing: { assume: "json" } }`. */
  readonly option: string;
}

/** The suggestion for a reason, whatever the body contains. */
const byReason: { readonly [Reason in ReasonCode]?: Suggestion } = {
  "claim-check-unsupported": { trait: "lie in a claim-check store", option: "claimCheck: { store }" },
  "encryption-unsupported": { trait: "are encrypted", option: "encryption: { keys }" },
  "plaintext-refused": {
    trait: "are not encrypted",
    option: "encryption: { keys, allowPlaintext: true }",
  },
  "message-type-missing": { trait: "do not say their message type", option: "messageTypeResolver" },
  "message-type-unknown": { trait: "are of a message type that is not defined", option: "messageTypes" },
  "message-version-unknown": { trait: "are of a version that is not defined", option: "messageTypes" },
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
  for (const { reason } of report.attempts) if (byReason[reason] !== undefined) return byReason[reason];
  if (report.declared !== undefined || !(message.body instanceof Uint8Array)) return undefined;
  const label = labelOf(report);
  const additional = serializerOf(label.essence);
  if (additional !== undefined) return add(label, additional);
  const reader = await findReader(pipeline, message, message.body);
  if (reader !== undefined) return assume(label, reader);
  return label.kind === "missing" ? byLook(pipeline, message.body) : undefined;
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
  const text = textOf(body);
  const serializers =
    text === undefined || parseJson(text) === undefined
      ? pipeline.serializers
      : pipeline.serializers.toSorted((a, b) => Number(readsJson(b)) - Number(readsJson(a)));
  for (const { name } of serializers) {
    try {
      const { status } = await pipeline.deserialize(message, { readAs: { serializer: name } });
      if (status === "decoded") return name;
    } catch {
      // A custom pipeline may not support `readAs`.
    }
  }
  return undefined;
}

function readsJson({ mediaTypes }: Serializer): boolean {
  return mediaTypes.includes("application/json");
}

function assume({ kind, text }: Label, reader: string): Suggestion {
  const look = reader === "json" ? "look like JSON" : `can be read as ${JSON.stringify(reader)}`;
  return {
    trait: `${text} and ${look}`,
    option: `contentTypePolicies: { ${kind}: { assume: ${JSON.stringify(reader)} } }`,
  };
}

function serializerOf(essence = ""): string | undefined {
  return byMediaType[essence] ?? (essence.endsWith("+json") ? byMediaType["+json"] : undefined);
}

function add({ text }: Label, serializer: string): Suggestion {
  return { trait: text, option: `additionalDeserializers: [${serializer}]` };
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
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return true;
  }
  return false;
}
