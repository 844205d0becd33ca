import {
  type ClaimCheckOptions,
  type ResolvedClaimCheckOptions,
  resolveClaimCheck,
} from "../claim-check/claim-check-store.js";
import { type ContentCoding, isContentCoding } from "../compression.js";
import {
  type EncryptionOptions,
  type ResolvedEncryptionOptions,
  resolveEncryption,
} from "../encryption/encryption-options.js";
import { KeyRing } from "../encryption/key-ring.js";
import type { MessageType } from "../message-types/message-type.js";
import {
  createRegistry,
  type MessageTypeOptions,
  type MessageTypeRegistry,
} from "../message-types/message-type-registry.js";
import type { Serializer } from "../serializer.js";

/** What to do with a body whose content type does not settle the matter: try every deserializer, or dead-letter it. */
export type ContentTypePolicy = "try-all" | "reject";

/** How a pipeline writes and reads bodies. */
export interface PipelineOptions<Types extends MessageType = MessageType> extends MessageTypeOptions<Types> {
  /** Writes every body, and reads what its content type names or nobody else claims. */
  readonly serializer: Serializer;
  /** May be needed to read: older formats, other producers. They are tried when the declared one fails or none is declared. */
  readonly additionalDeserializers?: readonly Serializer[] | undefined;
  /** What to do when the content type does not lead to a value; each `"try-all"` by default. */
  readonly contentType?: Partial<ContentTypePolicies> | undefined;
  /** Compresses bodies when sending. Off by default: switch it on when every reader uses waybill. Reading always decompresses. */
  readonly compression?: { readonly coding: ContentCoding; readonly minBytes?: number } | undefined;
  /** Encrypts bodies when sending, after compression, and asks of received bodies that they are. Off by default. */
  readonly encryption?: EncryptionOptions | undefined;
  /** Keeps large bodies in a store and sends a reference to them. Off by default. */
  readonly claimCheck?: ClaimCheckOptions | undefined;
  /** The largest body in bytes, before and after compression. Default 104,857,600 (100 MiB), the service's own largest message. */
  readonly maxBodyBytes?: number | undefined;
  /** The largest body in bytes after decompression. Default 16,777,216 (16 MiB): a bomb costs a few hundredths of a second. */
  readonly maxDecompressedBytes?: number | undefined;
  /** How deep values may be nested. Default 128: enough for real data, far from the end of the stack. */
  readonly maxDepth?: number | undefined;
  /**
   * How long a serializer that answers with a promise, a key provider or a claim-check store may take, in milliseconds. Default 30,000;
   * then the body counts as unavailable.
   */
  readonly attemptTimeoutMs?: number | undefined;
}

/** What to do with a content type that does not settle who reads the body. */
export interface ContentTypePolicies {
  /** The message has no content type, an empty one, or `application/octet-stream`. */
  readonly missing: ContentTypePolicy;
  /** Nobody claims the content type, or it is malformed. */
  readonly unknown: ContentTypePolicy;
  /** The serializer that the content type names could not read the body. */
  readonly mismatch: ContentTypePolicy;
}

/** {@link PipelineOptions} with every default filled in. */
export interface ResolvedPipelineOptions {
  /** The main serializer first, then the additional ones. */
  readonly serializers: readonly Serializer[];
  /** Undefined without message types. */
  readonly messageTypes: MessageTypeRegistry | undefined;
  readonly contentType: ContentTypePolicies;
  readonly compression: { readonly coding: ContentCoding; readonly minBytes: number } | undefined;
  readonly encryption: ResolvedEncryptionOptions | undefined;
  readonly keyRing: KeyRing | undefined;
  readonly isPlaintextRefused: boolean;
  readonly claimCheck: ResolvedClaimCheckOptions | undefined;
  readonly maxBodyBytes: number;
  readonly maxDecompressedBytes: number;
  readonly maxDepth: number;
  readonly attemptTimeoutMs: number;
}

/** The values of the options that are left out. */
export const defaultPipelineOptions = Object.freeze({
  contentType: Object.freeze({ missing: "try-all", unknown: "try-all", mismatch: "try-all" } as const),
  minCompressedBytes: 1024,
  maxBodyBytes: 100 * 1024 * 1024,
  maxDecompressedBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  attemptTimeoutMs: 30_000,
});

/**
 * Checks the options and fills in the defaults. Throws `TypeError` for values that no program should pass, `configuration-invalid` for
 * message types that clash.
 */
export function resolvePipelineOptions(options: PipelineOptions): ResolvedPipelineOptions {
  const defaults = defaultPipelineOptions;
  const { serializer, additionalDeserializers = [] } = options;
  if (!Array.isArray(additionalDeserializers)) {
    throw new TypeError("additionalDeserializers must be an array of serializers.");
  }
  const serializers = Object.freeze([serializer, ...additionalDeserializers]);
  const attemptTimeoutMs = positive(
    "attemptTimeoutMs",
    options.attemptTimeoutMs ?? defaults.attemptTimeoutMs,
  );
  const encryption = resolveEncryption(options.encryption);
  return Object.freeze({
    serializers,
    messageTypes: createRegistry(options, serializers),
    contentType: Object.freeze({
      missing: policy("missing", options.contentType?.missing),
      unknown: policy("unknown", options.contentType?.unknown),
      mismatch: policy("mismatch", options.contentType?.mismatch),
    }),
    compression: resolveCompression(options.compression),
    encryption,
    keyRing: encryption === undefined ? undefined : new KeyRing(encryption, attemptTimeoutMs),
    isPlaintextRefused: encryption !== undefined && !encryption.allowPlaintext,
    claimCheck: resolveClaimCheck(options.claimCheck),
    maxBodyBytes: positive("maxBodyBytes", options.maxBodyBytes ?? defaults.maxBodyBytes),
    maxDecompressedBytes: positive(
      "maxDecompressedBytes",
      options.maxDecompressedBytes ?? defaults.maxDecompressedBytes,
    ),
    maxDepth: positive("maxDepth", options.maxDepth ?? defaults.maxDepth),
    attemptTimeoutMs,
  });
}

function resolveCompression(
  compression: PipelineOptions["compression"],
): ResolvedPipelineOptions["compression"] {
  if (compression === undefined) return undefined;
  if (!isContentCoding(compression.coding)) {
    throw new TypeError(
      `compression.coding must be "gzip", "deflate" or "br", not ${JSON.stringify(compression.coding)}.`,
    );
  }
  const minBytes = compression.minBytes ?? defaultPipelineOptions.minCompressedBytes;
  if (!Number.isInteger(minBytes) || minBytes < 0)
    throw new TypeError("compression.minBytes must be an integer from 0.");
  return Object.freeze({ coding: compression.coding, minBytes });
}

function policy(name: keyof ContentTypePolicies, value: ContentTypePolicy | undefined): ContentTypePolicy {
  const chosen = value ?? defaultPipelineOptions.contentType[name];
  if (chosen !== "try-all" && chosen !== "reject") {
    throw new TypeError(`contentType.${name} must be "try-all" or "reject", not ${JSON.stringify(chosen)}.`);
  }
  return chosen;
}

function positive(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 1)
    throw new TypeError(`${name} must be a positive integer, not ${String(value)}.`);
  return value;
}
