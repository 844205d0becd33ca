import { isObject, type OptionNames, requireInteger, requireOneOf, withDefaults } from "@waybill/foundation";
import { type ContentCoding, contentCodings } from "../body-transforms/compression.js";
import {
  type EncryptionOptions,
  type ResolvedEncryptionOptions,
  resolveEncryption,
} from "../body-transforms/encryption-options.js";
import {
  type BodySchemaOptions,
  type BodySchemas,
  compileValidator,
  resolveBodySchemas,
  type StandardSchema,
  type ValidateFunction,
} from "../contracts/body-schema.js";
import {
  type ClaimCheckOptions,
  type ResolvedClaimCheckOptions,
  resolveClaimCheck,
} from "../contracts/claim-check-store.js";
import type { Serializer } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import type { MessageType } from "../message-types/message-type.js";
import {
  createRegistry,
  type MessageTypeOptions,
  type MessageTypeRegistry,
} from "../message-types/message-type-registry.js";
import { TypesToSend } from "../message-types/types-to-send.js";
import { type ReadBackOptions, resolveReadBackOptions } from "../read-back/read-back-options.js";
import { ReadBackSampling } from "../read-back/read-back-sampling.js";
import { type MaxItems, resolveMaxItems } from "./limits.js";

/**
 * What to do with a body whose content type does not decide the format: try all serializers that recognise it (`"try-all"`), dead-letter it
 * (`"reject"`), or assume a format.
 */
export type ContentTypePolicy = "try-all" | "reject" | AssumedFormat;

/**
 * Reads a body as if its content type named this serializer, so that any well-formed value is valid, also a scalar. If that fails, the
 * others are tried, which must recognise the bytes. The report has the assumption as `assumed`.
 */
export interface AssumedFormat {
  /** The name of a serializer of the pipeline, such as `"json"`. */
  readonly assume: string;
}

/** A schema of a pipeline, for bodies of every format: a Standard Schema (zod, valibot …) or a function that returns the value or throws. */
export type PipelineSchema = StandardSchema | ValidateFunction;

/** How a pipeline writes and reads bodies. */
export interface PipelineOptions<Types extends MessageType = MessageType> extends MessageTypeOptions<Types> {
  /** Writes the bodies of messages whose own `contentType` and `writeAs` choose no other serializer, and reads bodies of its format. */
  readonly serializer: Serializer;
  /**
   * For reading older formats and other producers. They are used when declared, or tried when none is declared or the declared one fails.
   * Default: none.
   */
  readonly additionalDeserializers?: readonly Serializer[] | undefined;
  /** What to do when the content type does not decide the format. Default: see {@link ContentTypePolicies}. */
  readonly contentTypePolicies?: Partial<ContentTypePolicies> | undefined;
  /**
   * Validates every body that `schemas` does not cover, in every format, including AMQP values and messages without a body: before handlers
   * receive it, and before it is sent. Default: none.
   */
  readonly schema?: PipelineSchema | undefined;
  /** Schemas by message type, or a function that returns the schema for a message, or `undefined` for `schema`. Default: none. */
  readonly schemas?: BodySchemaOptions<PipelineSchema>["schemas"];
  /**
   * Which written bodies are read back before they are sent, so that a body which its readers would dead-letter is refused here. `false`:
   * none. Defaults: see {@link ReadBackOptions}.
   */
  readonly readBack?: ReadBackOptions | false | undefined;
  /**
   * Compresses bodies of at least `minBytes` bytes, default 1,024, when sending. Off by default: switch it on when every reader uses
   * waybill. Reading always decompresses.
   */
  readonly compression?: { readonly coding: ContentCoding; readonly minBytes?: number } | undefined;
  /**
   * What to do with the content encoding of a received body, in an application property or AMQP's: `"undo"` decompresses it, `"ignore"` leaves
   * it compressed, as the SDK does. Default: `"undo"`.
   */
  readonly contentEncoding?: "undo" | "ignore" | undefined;
  /** Encrypts bodies when sending, after compression, and requires received bodies to be encrypted. Off by default. */
  readonly encryption?: EncryptionOptions | undefined;
  /** Keeps large bodies in a store and sends a reference to them. Off by default. */
  readonly claimCheck?: ClaimCheckOptions | undefined;
  /** Maximum size of a body in bytes, before and after compression. Default 104,857,600 (100 MiB), the service's largest message. */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum size of a body in bytes after decompression. Default 16,777,216 (16 MiB): a decompression bomb takes a few hundredths of a second. */
  readonly maxDecompressedBytes?: number | undefined;
  /** Maximum nesting depth of values. Default 128: enough for real data, and far from a stack overflow. */
  readonly maxDepth?: number | undefined;
  /**
   * Maximum number of items in all arrays, objects, maps and records of a body together; a byte string counts as four. Default: one for
   * each 4 bytes of the body, but at least 131,072 and at most 1,048,576, which fit into a heap of 512 MB. Checked before anything is built.
   */
  readonly maxItems?: number | undefined;
  /**
   * How long an asynchronous serializer, an upcaster, a downcaster, a key provider or a claim-check store may take, in
   * milliseconds; then the outcome is `unavailable`, and writing rejects with it. Default 30,000.
   */
  readonly attemptTimeoutInMs?: number | undefined;
}

/** The names of {@link PipelineOptions}. */
export const pipelineOptionNames: OptionNames<PipelineOptions> = Object.freeze({
  serializer: true,
  additionalDeserializers: true,
  contentTypePolicies: true,
  schema: true,
  schemas: true,
  readBack: true,
  compression: true,
  contentEncoding: true,
  encryption: true,
  claimCheck: true,
  maxBodyBytes: true,
  maxDecompressedBytes: true,
  maxDepth: true,
  maxItems: true,
  attemptTimeoutInMs: true,
  messageTypes: true,
  messageTypeResolver: true,
  messageTypePolicies: true,
});

/** What to do when the content type does not decide the format. */
export interface ContentTypePolicies {
  /**
   * The message has no content type, an empty one, or `application/octet-stream` that no serializer reads. Default `"try-all"`; a pipeline
   * with one serializer assumes its format.
   */
  readonly missing: ContentTypePolicy;
  /** No serializer reads the content type, and it names no known format; or it is malformed. Default `"try-all"`. */
  readonly unknown: ContentTypePolicy;
  /**
   * The content type names a known format that no serializer reads, such as `text/plain`, `application/xml` or `application/cbor`. Default
   * `"try-magic"`: only serializers that recognise a header of their own may read the body. Under `text/plain`,
   * `application/x-www-form-urlencoded` (which `curl --data` sends) and that of an Atom entry, JSON and XML are recognised as without a content type.
   */
  readonly foreign: ContentTypePolicy | "try-magic";
  /** The serializer that the content type names could not read the body. Default `"try-all"`. */
  readonly mismatch: "try-all" | "reject";
}

/** A policy with the position of the assumed serializer in the chain. */
export type ResolvedContentTypePolicy = "try-all" | "try-magic" | "reject" | { readonly position: number };

/** {@link PipelineOptions} with every default filled in. */
export interface ResolvedPipelineOptions {
  /** The main serializer first, then the additional ones. */
  readonly serializers: readonly Serializer[];
  /** The schemas for bodies of every format; undefined when there are none. */
  readonly bodySchemas: BodySchemas | undefined;
  /** Undefined without message types. */
  readonly messageTypes: MessageTypeRegistry | undefined;
  readonly typesToSend: TypesToSend;
  readonly contentTypePolicies: Readonly<Record<keyof ContentTypePolicies, ResolvedContentTypePolicy>>;
  readonly readBacks: ReadBackSampling;
  readonly compression: { readonly coding: ContentCoding; readonly minBytes: number } | undefined;
  readonly contentEncoding: "undo" | "ignore";
  readonly encryption: ResolvedEncryptionOptions | undefined;
  readonly isPlaintextRefused: boolean;
  readonly claimCheck: ResolvedClaimCheckOptions | undefined;
  readonly maxBodyBytes: number;
  readonly maxDecompressedBytes: number;
  readonly maxDepth: number;
  readonly maxItemsIn: MaxItems;
  /** Whether the limits are those for a body that may have crashed a process. */
  readonly isTightened: boolean;
  readonly attemptTimeoutInMs: number;
}

const defaultPipelineOptions = Object.freeze({
  contentTypePolicies: Object.freeze({
    missing: "try-all",
    unknown: "try-all",
    foreign: "try-magic",
    mismatch: "try-all",
  } as const),
  compression: Object.freeze({ coding: undefined, minBytes: 1024 }),
  maxBodyBytes: 100 * 1024 * 1024,
  maxDecompressedBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  attemptTimeoutInMs: 30_000,
});

/**
 * Checks the options and fills in the defaults. Throws `TypeError` for invalid values, `configuration-invalid` for serializers or message
 * types that conflict.
 */
export function resolvePipelineOptions(options: PipelineOptions): ResolvedPipelineOptions {
  const defaults = defaultPipelineOptions;
  const { serializer, additionalDeserializers = [] } = options;
  if (!Array.isArray(additionalDeserializers)) {
    throw new TypeError("additionalDeserializers must be an array of serializers.");
  }
  const serializers = Object.freeze([serializer, ...additionalDeserializers]);
  const limit = (name: "maxBodyBytes" | "maxDecompressedBytes" | "maxDepth" | "attemptTimeoutInMs") =>
    requireInteger(name, options[name] ?? defaults[name], 1);
  const attemptTimeoutInMs = limit("attemptTimeoutInMs");
  const encryption = resolveEncryption(options.encryption);
  const messageTypes = createRegistry(options, serializers);
  return Object.freeze({
    serializers,
    bodySchemas: resolveSchemas(options, serializers),
    messageTypes,
    typesToSend: new TypesToSend(options, serializers, messageTypes),
    contentTypePolicies: resolvePolicies(options.contentTypePolicies, serializers),
    readBacks: new ReadBackSampling(resolveReadBackOptions(options.readBack)),
    compression: resolveCompression(options.compression),
    contentEncoding: requireOneOf("contentEncoding", options.contentEncoding ?? "undo", ["undo", "ignore"]),
    encryption,
    isPlaintextRefused: encryption !== undefined && !encryption.allowPlaintext,
    claimCheck: resolveClaimCheck(options.claimCheck),
    maxBodyBytes: limit("maxBodyBytes"),
    maxDecompressedBytes: limit("maxDecompressedBytes"),
    maxDepth: limit("maxDepth"),
    maxItemsIn: resolveMaxItems(
      options.maxItems === undefined ? undefined : requireInteger("maxItems", options.maxItems, 1),
    ),
    isTightened: false,
    attemptTimeoutInMs,
  });
}

/**
 * Refuses a schema in only one of several serializers, because the same message would pass unchecked in another format. It belongs to the
 * pipeline, or to every serializer.
 */
function resolveSchemas(
  options: PipelineOptions,
  serializers: readonly Serializer[],
): BodySchemas | undefined {
  if (options.schema !== undefined || options.schemas !== undefined) {
    return resolveBodySchemas(options, compileValidator);
  }
  const guarded = serializers.find((serializer) => serializer?.validation === "schema");
  const open = serializers.find(
    (serializer) => serializer !== undefined && serializer.validation === undefined,
  );
  if (guarded === undefined || open === undefined) return undefined;
  throw new WaybillError(
    "configuration-invalid",
    `"${guarded.name}" checks its bodies against a schema, and "${open.name}" would let the same message through unchecked. ` +
      `Give the schema to the pipeline, as its option schema or schemas, or to "${open.name}" as well.`,
  );
}

function resolveCompression(
  compression: PipelineOptions["compression"],
): ResolvedPipelineOptions["compression"] {
  if (compression === undefined) return undefined;
  const resolved = withDefaults("compression", compression, defaultPipelineOptions.compression);
  requireOneOf("compression.coding", resolved.coding, contentCodings);
  requireInteger("compression.minBytes", resolved.minBytes, 0);
  return Object.freeze(resolved);
}

function resolvePolicies(
  policies: Partial<ContentTypePolicies> = {},
  serializers: readonly Serializer[],
): ResolvedPipelineOptions["contentTypePolicies"] {
  const defaults: ContentTypePolicies = defaultPipelineOptions.contentTypePolicies;
  const onlyName = serializers.length === 1 ? serializers[0]?.name : undefined;
  const missing = onlyName === undefined ? defaults.missing : { assume: onlyName };
  const chosen = withDefaults("contentTypePolicies", policies, { ...defaults, missing });
  return Object.freeze({
    missing: policy("missing", chosen.missing, guesses, serializers),
    unknown: policy("unknown", chosen.unknown, guesses, serializers),
    foreign: policy("foreign", chosen.foreign, ["try-magic", ...guesses], serializers),
    mismatch: policy("mismatch", chosen.mismatch, guesses, undefined),
  });
}

/** The policies that assume no format; a new one does not compile until it is here. */
const guesses = Object.keys({ "try-all": true, reject: true } satisfies Record<
  Exclude<ContentTypePolicy, object>,
  true
>) as Exclude<ContentTypePolicy, object>[];

/** `assumable` are the serializers that the policy may assume; undefined if it cannot assume any. */
function policy(
  name: keyof ContentTypePolicies,
  chosen: unknown,
  choices: readonly Exclude<ResolvedContentTypePolicy, object>[],
  assumable: readonly Serializer[] | undefined,
): ResolvedContentTypePolicy {
  const choice = choices.find((each) => each === chosen);
  if (choice !== undefined) return choice;
  const isAssumption = isObject(chosen) && "assume" in chosen;
  if (isAssumption && assumable !== undefined) {
    return { position: positionOf(name, chosen.assume, assumable) };
  }
  const known = choices.map((each) => `"${each}"`).join(", ");
  const assumption = assumable === undefined ? "" : ' or { assume: "<serializer>" }';
  throw new TypeError(
    `contentTypePolicies.${name} must be ${known}${assumption}, not ${JSON.stringify(chosen)}.`,
  );
}

function positionOf(policyName: string, assumed: unknown, serializers: readonly Serializer[]): number {
  const position = serializers.findIndex((serializer) => serializer?.name === assumed);
  if (position >= 0) return position;
  const names = serializers.map((serializer) => `"${serializer?.name}"`).join(", ");
  throw new WaybillError(
    "configuration-invalid",
    `contentTypePolicies.${policyName} assumes ${JSON.stringify(assumed)}, and no serializer of the pipeline has that name; it has ${names}.`,
  );
}
