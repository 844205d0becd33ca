import type { MediaType } from "../message/media-type.js";
import type { ApplicationProperties } from "../message/message.js";
import type { BodyCheck } from "./body-schema.js";

/** A value, or a promise of it. Core awaits only promises, so a synchronous plug-in never costs a microtask. */
export type Awaitable<T> = T | Promise<T>;

/**
 * How surely a serializer knows its own bytes when no content type names it:
 * `"magic"` – by a header of its own (Avro single-object encoding); `"structure"` – the bytes describe themselves and a strict parse
 * of a whole container is evidence (JSON, MessagePack); `"label"` – not at all, it reads only what the content type gives it.
 */
export type Detection = "magic" | "structure" | "label";

/**
 * A payload format. Bytes in, bytes out, values or promises. It consumes all its input or throws; it neither changes nor keeps the
 * input; it returns nothing that changes later (no view into a pooled buffer); it bounds depth and size. It throws `decodeFailure`,
 * `validationFailure`, `unavailableFailure` or `encodeFailure`; anything else it throws is recorded as `serializer-fault`.
 * `@waybill/conformance` checks all of this; `docs/writing-a-serializer.md` shows a complete one.
 */
export interface Serializer {
  /** Stands in reports, metrics and dead-letter records, for example `"json"`. Unique in a pipeline. */
  readonly name: string;
  /**
   * The media types it claims, in lower case without parameters; `"+json"` claims a structured suffix. The first is what it writes.
   * Only one serializer of a pipeline may claim a type.
   */
  readonly mediaTypes: readonly string[];
  readonly detection: Detection;
  /**
   * The values that a body's first byte may have when the body is to be recognised without a label. Required unless `detection` is
   * `"label"`. Two serializers of a pipeline must not share any, so that at most one is a candidate and their order cannot matter; only
   * those whose detection is `"magic"` may, because their headers tell them apart.
   */
  readonly leadingBytes?: readonly number[];
  /**
   * The author ran the conformance cases: depth and items are bounded by the context, the input is neither changed nor kept. Core then
   * hands over the bytes themselves and trusts the value; otherwise it hands over a copy and walks the value to check its size.
   */
  readonly conforming?: true;
  /**
   * Whether application properties say for certain that the body is of this format, whatever its content type says, as some buses' do. It is
   * then asked as though the content type named it. Called for every body that is read: it must be quick and must not throw.
   */
  readonly identifies?: (applicationProperties: ApplicationProperties) => boolean;
  /**
   * No bytes at all are a value of the format, as the empty text is: a body without bytes whose content type names the serializer is given
   * to it. Otherwise such a message has no body, and none is asked.
   */
  readonly readsEmptyBodies?: true;
  /**
   * What keeps bodies of the wrong shape out. `"schema"`: a schema among its options, of which other serializers know nothing, so that a
   * pipeline refuses to have it beside one without. `"format"`: the format itself, which is bound to a schema. Absent: nothing.
   */
  readonly validation?: "schema" | "format" | undefined;
  /**
   * Compiles a schema that a message type's definition holds under this serializer's name, when a pipeline is made; `where` names it in
   * errors. Answers with a check of values; throws `TypeError` for a schema that is not valid.
   */
  readonly compileSchema?: (schema: unknown, where: string) => BodyCheck;
  /** Writes a value. Throws `encodeFailure` when the format or the schema cannot hold it. */
  serialize(value: unknown, context: SerializeContext): Awaitable<SerializedBody>;
  /** Reads a body. Throws when the bytes are not exactly one value of this format. */
  deserialize(bytes: Uint8Array, context: DeserializeContext): Awaitable<unknown>;
}

/** A written body. */
export interface SerializedBody {
  readonly bytes: Uint8Array;
  /** The content type to send; the serializer's first media type when absent. */
  readonly contentType?: string;
}

/** What a serializer may know of the message beside its body. */
export interface SerializerContext {
  /** The message type, by default the message's `subject`; a schema can differ by it. */
  readonly messageType: string | undefined;
  /** The version that the body travels in, when the pipeline knows its message type. */
  readonly messageVersion?: number | undefined;
  /** The schema that the message type's definition holds for this version under this serializer's name. It outranks the serializer's own. */
  readonly schema?: unknown;
  /** The content type as it stands on the message. */
  readonly contentType: string | undefined;
  /** The content type parsed, if it is well-formed. */
  readonly mediaType: MediaType | undefined;
  readonly applicationProperties: ApplicationProperties;
  /** Aborts when the caller gave up. */
  readonly signal: AbortSignal | undefined;
}

/** What a serializer is given when it writes. */
export interface SerializeContext extends SerializerContext {
  /** The nesting depth that the written value must not exceed. */
  readonly maxDepth: number;
  /**
   * How many items a written body of so many bytes may hold, counted as by {@link DeserializeContext.maxItems}. Without it there is no limit.
   */
  readonly maxItemsIn?: ((byteLength: number) => number) | undefined;
}

/** What a serializer is given when it reads. */
export interface DeserializeContext extends SerializerContext {
  /**
   * Whether the content type names this serializer. If so, any well-formed value is legal, scalars too. If not, the bytes must prove
   * themselves: a container at the root (in a binary format not an empty one), or the format's own header.
   */
  readonly isDeclared: boolean;
  /** The nesting depth beyond which a body is refused with `depth-exceeded`, before anything is built. */
  readonly maxDepth: number;
  /**
   * How many items a body may hold; one with more is refused with `items-exceeded`, before anything is built. An item is what stands in an
   * array, an object, a map or a record; a byte string is four, because it costs that much. Without it there is no limit.
   */
  readonly maxItems?: number | undefined;
}
