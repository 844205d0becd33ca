import { isObject } from "@waybill/foundation";
import { WaybillError } from "../errors/error.js";
import type { EncodedBody } from "../message/body.js";
import { attemptDetails } from "../message/decisive-attempt.js";
import type { ApplicationProperties, ApplicationPropertyValue, EncodedMessage } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";

/**
 * The broker stores a session's state as bytes without a content type. waybill's envelope adds one: four magic bytes that begin no JSON or
 * MessagePack, and no Avro with a standard header, then the length of a header, the header as JSON, and the serialized state. A state without
 * the magic bytes was written by another client, and is read as a body without a content type. `docs/wire-formats.md` has the layout.
 */
const magic = Uint8Array.of(0xc1, 0x57, 0x42, 1);

/** After the magic bytes: the length of the header as an unsigned 16-bit big-endian integer. */
const headerAt = magic.length + 2;
const maxHeaderBytes = 0xffff;
const jsonSpaces: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

interface StateHeader {
  readonly contentType?: string | undefined;
  /** The state's type, passed to serializers as the message type. */
  readonly subject?: string | undefined;
  readonly applicationProperties?: ApplicationProperties | undefined;
}

/** The bytes of a state in its envelope. */
export function toSessionState({
  body,
  contentType,
  subject,
  applicationProperties,
}: EncodedMessage): Uint8Array {
  requireBytes(body);
  const properties = Object.entries(applicationProperties ?? {}).map(([name, value]) => [
    name,
    toHeaderValue(name, value),
  ]);
  const header: StateHeader = {
    contentType,
    subject,
    ...(properties.length > 0 && { applicationProperties: Object.fromEntries(properties) }),
  };
  const headerBytes = new TextEncoder().encode(JSON.stringify(header));
  if (headerBytes.length > maxHeaderBytes) {
    throw new WaybillError(
      "serialization-failed",
      `the header of a session state has ${headerBytes.length} bytes, more than ${maxHeaderBytes}.`,
    );
  }
  const state = new Uint8Array(headerAt + headerBytes.length + body.length);
  state.set(magic);
  new DataView(state.buffer).setUint16(magic.length, headerBytes.length);
  state.set(headerBytes, headerAt);
  state.set(body, headerAt + headerBytes.length);
  return state;
}

/**
 * The bytes of a state without an envelope. Throws `serialization-failed` if it could not be read again without its application
 * properties.
 */
export function toBareState({ body, applicationProperties }: EncodedMessage): Uint8Array {
  requireBytes(body);
  const names = Object.keys(applicationProperties ?? {});
  if (names.length === 0) return body;
  throw new WaybillError(
    "serialization-failed",
    `a session state without an envelope has no place for its application properties (${names.join(", ").slice(0, 128)}): leave ` +
      "compression, encryption and message types out, or sessionStateEnvelope on.",
  );
}

function requireBytes(body: EncodedBody): asserts body is Uint8Array {
  if (!(body instanceof Uint8Array)) throw new TypeError("A session's state is bytes, not an AMQP value.");
}

/**
 * The message from which the pipeline reads a state. `stateType` is for states without a type of their own. Throws
 * `deserialization-failed` when the header is damaged or of a later version.
 */
export function fromSessionState(
  state: Uint8Array,
  stateType: string | undefined,
  entityPath: string,
): EncodedMessage {
  if (!hasMagic(state)) return fromBareState(state, stateType);
  try {
    return fromEnvelope(state, stateType);
  } catch (error) {
    const text = `The header of the session's state cannot be read: ${(error as Error).message}.`;
    throw new WaybillError("deserialization-failed", text, {
      entityPath,
      stage: "select",
      reason: "content-type-malformed",
    });
  }
}

/** Whether a state is empty: the official JavaScript SDK clears a state by writing JSON's `null`. */
export function isNoState(state: Uint8Array): boolean {
  return state.length === 0 || (state.length === 4 && new TextDecoder().decode(state) === "null");
}

/** The value of a state. Throws the error if it could not be read. */
export function stateValue(outcome: DeserializationOutcome, entityPath: string): unknown {
  if (outcome.status === "decoded") return outcome.body;
  if (outcome.status === "unavailable") {
    throw new WaybillError("unavailable", "Something needed to read the session's state is out of reach.", {
      entityPath,
      cause: outcome.error,
    });
  }
  throw new WaybillError("deserialization-failed", `The session's state: ${outcome.description}`, {
    entityPath,
    ...attemptDetails(outcome.report),
  });
}

/**
 * A state of another client is recognised like a body without a content type, for which a string, number or boolean is no evidence. But the
 * official SDK writes states as JSON, and the bytes of other formats are no complete JSON text of that kind.
 */
function fromBareState(state: Uint8Array, stateType: string | undefined): EncodedMessage {
  const contentType = isJsonScalar(state) ? "application/json" : undefined;
  return { body: state, contentType, subject: stateType, applicationProperties: {} };
}

/** Whether bytes are JSON, and neither an object nor an array. */
function isJsonScalar(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => !jsonSpaces.includes(byte));
  return first !== undefined && first !== 0x7b && first !== 0x5b && utf8Json(bytes) !== undefined;
}

/** The value of JSON in UTF-8; undefined for anything else. */
function utf8Json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function fromEnvelope(state: Uint8Array, stateType: string | undefined): EncodedMessage {
  if (state[3] !== magic[3]) throw new Error(`it is of version ${state[3]}, and this is version ${magic[3]}`);
  if (state.length < headerAt) throw new Error("it is cut off");
  const bodyAt = headerAt + new DataView(state.buffer, state.byteOffset).getUint16(magic.length);
  if (state.length < bodyAt) throw new Error("it is cut off");
  const { contentType, subject, applicationProperties } = parseHeader(state.subarray(headerAt, bodyAt));
  return {
    // A copy, so that no serializer receives a view into other bytes.
    body: state.slice(bodyAt),
    contentType: textOrNone("contentType", contentType),
    subject: textOrNone("subject", subject) ?? stateType,
    applicationProperties: fromHeaderProperties(applicationProperties),
  };
}

function hasMagic(state: EncodedBody): boolean {
  return (
    state instanceof Uint8Array && state[0] === magic[0] && state[1] === magic[1] && state[2] === magic[2]
  );
}

function parseHeader(bytes: Uint8Array): Record<keyof StateHeader, unknown> {
  const header = utf8Json(bytes);
  if (header === undefined) throw new Error("it is not JSON");
  if (!isObject(header) || Array.isArray(header)) throw new Error("it is not an object");
  return header as Record<keyof StateHeader, unknown>;
}

/** Numbers, strings and booleans unchanged; values that JSON does not support as a list of kind and text. */
function toHeaderValue(name: string, value: ApplicationPropertyValue): unknown {
  if (typeof value === "bigint") return ["bigint", String(value)];
  if (value instanceof Date) return ["date", value.toISOString()];
  if (!(value instanceof Uint8Array)) return value;
  throw new WaybillError(
    "serialization-failed",
    `the application property "${name.slice(0, 128)}" of a session state is binary, which its header cannot hold.`,
  );
}

/** Uses `Object.fromEntries`, because assigning to names such as `__proto__` would not create a property. */
function fromHeaderProperties(properties: unknown): ApplicationProperties {
  if (properties === undefined) return {};
  if (!isObject(properties) || Array.isArray(properties)) {
    throw new Error("its applicationProperties are not an object");
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, fromHeaderValue(value)]),
  );
}

function fromHeaderValue(value: unknown): ApplicationPropertyValue {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) {
    return value as ApplicationPropertyValue;
  }
  if (Array.isArray(value) && value.length === 2) {
    const [kind, text] = value as readonly unknown[];
    if (kind === "bigint" && typeof text === "string" && /^-?\d{1,20}$/.test(text)) return BigInt(text);
    if (kind === "date" && typeof text === "string" && !Number.isNaN(Date.parse(text))) return new Date(text);
  }
  throw new Error("it has an application property of an unknown kind");
}

function textOrNone(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw new Error(`its ${name} is not a string`);
}
