import type { MediaType } from "../message/media-type.js";
import type { ApplicationProperties } from "../message/message.js";
import type { BodyCheck } from "./body-schema.js";

/** A value, or a promise of it. Core awaits only promises, so a synchronous plug-in never costs a microtask. */
export type Awaitable<T> = T | Promise<T>;

/**
 * How a serializer recognises its format when no content type names it:
 * `"magic"` – by a header of its own (Avro single-object encoding); `"structure"` – by a strict parse of a whole container, because
 * the bytes describe themselves (JSON, MessagePack); `"label"` – not at all, it reads only bodies whose content type names it.
 */
export type Detection = "magic" | "structure" | "label";

/**
 * A payload format. Its methods may return values or promises. It reads all its input or throws; it neither changes nor keeps the
 * input; it returns nothing that changes later (no view into a pooled buffer); it limits depth and size. It throws `decodeFailure`,
 * `validationFailure`, `unavailableFailure` or `encodeFailure`; anything else it throws is recorded as `serializer-fault`.
 * `@waybill/conformance` checks all of this; `docs/writing-a-serializer.md` shows a complete one.
 */
export interface Serializer {
  /** Its name in reports, metrics and dead-letter records, for example `"json"`. Unique in a pipeline. */
  readonly name: string;
  /**
   * The media types it reads, in lower case without parameters; `"+json"` stands for a structured suffix. It writes the first.
   * Two serializers of a pipeline must not share one.
   */
  readonly mediaTypes: readonly string[];
  readonly detection: Detection;
  /**
   * The possible first bytes of bodies that are recognised without a content type; of a text they may stand behind a byte order mark or white space,
   * which are not removed. Required unless `detection` is `"label"`. Two
   * serializers of a pipeline must not share any, so that at most one is a candidate and their order does not matter; only those whose
   * detection is `"magic"` may, because their headers distinguish them.
   */
  readonly leadingBytes?: readonly number[];
  /**
   * Set it if the serializer passes the conformance cases: it keeps the context's limits, and neither changes nor keeps the input. Core then
   * passes the bytes without copying and does not check the size of the value; otherwise it passes a copy and walks the value.
   */
  readonly conforming?: true;
  /**
   * Whether the application properties prove that the body has this format, whatever its content type is; some message buses write such
   * properties. The body is then read as if the content type named this serializer. Called for every body: it must be fast and must not throw.
   */
  readonly identifies?: (applicationProperties: ApplicationProperties) => boolean;
  /**
   * Set it if zero bytes are a value of the format, such as the empty text. An empty body whose content type names the serializer is then
   * passed to it; otherwise the message has no body, and no serializer is called.
   */
  readonly readsEmptyBodies?: true;
  /**
   * Set it if any bytes are a value of the format. Where a policy assumes the serializer, it is then also passed empty bodies, and the bytes of an
   * AMQP value section.
   */
  readonly readsAnyBytes?: true;
  /**
   * How it validates bodies. `"schema"`: by a schema in its options; a pipeline then refuses serializers that have none, because they would
   * let invalid bodies through. `"format"`: the format itself requires a schema. Absent: it does not validate.
   */
  readonly validation?: "schema" | "format" | undefined;
  /**
   * Compiles a schema that a message type's definition has under this serializer's name, when a pipeline is created; `where` names it in
   * errors. Returns a check of values; throws `TypeError` for a schema that is not valid.
   */
  readonly compileSchema?: (schema: unknown, where: string) => BodyCheck;
  /**
   * The check by the schema in its options for a message, undefined if it has none for it. It validates what no serializer decodes: AMQP values, and
   * messages without a body. Required if `validation` is `"schema"`.
   */
  readonly checkFor?: (context: SerializerContext) => BodyCheck | undefined;
  /**
   * Why no value at all can be written for a message type and version, as a sentence without a full stop: it has no schema, for example. Undefined
   * when values can be written, or when that is only known with a value, with the properties of a message, or from a registry. Write plans call
   * it when they are made. It is synchronous, and must not throw. Absent: every message type can be written.
   */
  readonly cannotWrite?: (target: WriteContext) => string | undefined;
  /** What a contract file says of it, for checks against other deployments. Absent: only its name and media types are compared. */
  readonly contract?: SerializerContract | undefined;
  /** Writes a value. Throws `encodeFailure` when the format or the schema cannot hold it. */
  serialize(value: unknown, context: SerializeContext): Awaitable<SerializedBody>;
  /** Reads a body. Throws when the bytes are not exactly one value of this format. */
  deserialize(bytes: Uint8Array, context: DeserializeContext): Awaitable<unknown>;
}

/** How a serializer describes itself in a contract file, and how a check makes the one of another deployment from its description. */
export interface SerializerContract {
  /** The options that decide what it writes and reads, with their defaults, as JSON values. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The schema with which it writes and reads a message type in a version; undefined if it has none for it. */
  schemaOf(target: WriteContext): DescribedSchema | undefined;
  /** The serializer as another deployment has it. Throws `TypeError` for a description that is not valid. */
  rebuild(description: SerializerDescription): Serializer;
}

/** A schema as a JSON value, in the language `"json-schema"`, `"avro"` or `"protobuf"`; or `"code"`, of which nothing can be compared. */
export interface DescribedSchema {
  readonly language: string;
  /** Undefined for code. */
  readonly schema?: unknown;
}

/** What a serializer of another deployment is made of. */
export interface SerializerDescription {
  /** {@link SerializerContract.options} of the other one. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The schema of all bodies: a Standard Schema if its language is JSON Schema, else as described; undefined without one. */
  readonly schema: unknown;
  /** Schemas of further deployments, as described, that a schema registry would deliver. */
  readonly registered: readonly unknown[];
}

/** A written body. */
export interface SerializedBody {
  readonly bytes: Uint8Array;
  /** The content type to send; the serializer's first media type when absent. */
  readonly contentType?: string;
}

/** The parts of the message that a serializer can use, besides the body. */
export interface SerializerContext {
  /** The message type, by default the message's `subject`; schemas can depend on it. */
  readonly messageType: string | undefined;
  /** The version of the encoded body, when the pipeline knows its message type. */
  readonly messageVersion?: number | undefined;
  /** The schema of the message type's definition for this version and serializer. It takes precedence over the serializer's own schema. */
  readonly schema?: unknown;
  /** The content type of the message, unparsed. */
  readonly contentType: string | undefined;
  /** The content type parsed, if it is well-formed. */
  readonly mediaType: MediaType | undefined;
  readonly applicationProperties: ApplicationProperties;
  /**
   * Whether the value is, or when reading may be, an envelope around the body of the message type. Schemas in the options are then not for it, and
   * the pipeline validates the body by `checkFor`. Never set for a serializer whose `validation` is `"format"`. Default: no.
   */
  readonly isEnvelope?: boolean | undefined;
  /** Aborts when the caller's `abortSignal` does. */
  readonly abortSignal: AbortSignal | undefined;
}

/** What `cannotWrite` receives: what is known before there is a message. Without a `messageType` the question is whether it can write messages of any. */
export type WriteContext = Pick<SerializerContext, "messageType" | "messageVersion" | "schema">;

/** What `serialize` receives besides the value. */
export interface SerializeContext extends SerializerContext {
  /** The nesting depth that the written value must not exceed. */
  readonly maxDepth: number;
  /**
   * How many items a body of this many bytes may have, counted as for {@link DeserializeContext.maxItems}. Without it there is no limit.
   */
  readonly maxItemsIn?: ((byteLength: number) => number) | undefined;
}

/** What `deserialize` receives besides the bytes. */
export interface DeserializeContext extends SerializerContext {
  /**
   * Whether the content type names this serializer. If so, any well-formed value is valid, also a scalar. If not, the bytes must show that
   * they are of this format: by a container at the root (not an empty one in a binary format), or by the format's own header.
   */
  readonly isDeclared: boolean;
  /** The nesting depth beyond which a body is refused with `depth-exceeded`, before anything is built. */
  readonly maxDepth: number;
  /**
   * How many items a body may have; one with more is refused with `items-exceeded`, before anything is built. Items are the members of
   * arrays, objects, maps and records; a byte string counts as four, because of its memory. Without it there is no limit.
   */
  readonly maxItems?: number | undefined;
}
