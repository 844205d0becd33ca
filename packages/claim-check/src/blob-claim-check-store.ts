import type { ClaimCheckStore } from "@waybill/core";
import { requireKnownOptions } from "@waybill/core/serializer";
import type { BlobContainer, BlobDownload } from "./blob-container.js";

/** Options of {@link blobClaimCheckStore}. */
export interface BlobClaimCheckStoreOptions {
  /** A prefix for the names of blobs, for example `"orders/"`, by which a lifecycle rule can select them. Default: none. */
  readonly prefix?: string;
}

/**
 * Stores bodies as blobs in one container of Azure Blob Storage, with your own container client, which decides about credentials, retries and
 * encryption at rest. Delete old blobs by a lifecycle management policy. Throws `TypeError`.
 */
export function blobClaimCheckStore(
  container: BlobContainer,
  options: BlobClaimCheckStoreOptions = {},
): ClaimCheckStore {
  if (typeof container?.getBlockBlobClient !== "function") {
    throw new TypeError("blobClaimCheckStore needs a ContainerClient of @azure/storage-blob.");
  }
  requireKnownOptions("blobClaimCheckStore", options, { prefix: true });
  const { prefix = "" } = options;
  if (typeof prefix !== "string") {
    throw new TypeError(`blobClaimCheckStore: prefix must be a string; got a ${typeof prefix}.`);
  }
  const blob = (key: string) => container.getBlockBlobClient(`${prefix}${key}`);
  return Object.freeze<ClaimCheckStore>({
    async put(key, bytes, options) {
      await blob(key).uploadData(bytes as Uint8Array<ArrayBuffer>, signalOf(options));
    },
    async get(key, options) {
      try {
        // One byte more than expected reveals a longer body.
        const count = options.maxBytes + 1;
        return await readAll(await blob(key).download(0, count, signalOf(options)), count);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (isBeyondTheEnd(error)) return new Uint8Array();
        throw error;
      }
    },
    async delete(key, options = {}) {
      await blob(key).deleteIfExists(signalOf(options));
    },
  });
}

function signalOf({ abortSignal }: { abortSignal?: AbortSignal | undefined }): { abortSignal?: AbortSignal } {
  return abortSignal === undefined ? {} : { abortSignal };
}

async function readAll({ readableStreamBody }: BlobDownload, maxBytes: number): Promise<Uint8Array> {
  if (readableStreamBody === undefined)
    throw new TypeError("The download has no stream: this is no Node.js.");
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of readableStreamBody) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    length += bytes.length;
    if (length > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

/** Only a missing blob: if the container is missing, the store is unavailable, which says nothing about the message. */
function isNotFound(error: unknown): boolean {
  return propertyOf(error, "statusCode") === 404 && propertyOf(error, "code") === "BlobNotFound";
}

/** The service refuses every range of an empty blob. */
function isBeyondTheEnd(error: unknown): boolean {
  return propertyOf(error, "statusCode") === 416;
}

function propertyOf(error: unknown, name: string): unknown {
  return error instanceof Error ? (error as unknown as Record<string, unknown>)[name] : undefined;
}
