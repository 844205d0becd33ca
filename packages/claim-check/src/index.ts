// For applications

export type { BlobClaimCheckStoreOptions } from "./blob-claim-check-store.js";
export { blobClaimCheckStore } from "./blob-claim-check-store.js";
export type { BlobContainer, BlobDownload, BlobItem } from "./blob-container.js";
export type { FileClaimCheckStore } from "./file-claim-check-store.js";
export { fileClaimCheckStore } from "./file-claim-check-store.js";
