/** The part of `ContainerClient` of `@azure/storage-blob` that is used. */
export interface BlobContainer {
  getBlockBlobClient(name: string): BlobItem;
}

/** The part of `BlockBlobClient` that is used. */
export interface BlobItem {
  /** Uploads the data as one blob, in blocks if it is large; it is there whole or not at all. */
  uploadData(data: Uint8Array<ArrayBuffer>, options: { abortSignal?: AbortSignal }): Promise<unknown>;
  /** Downloads a piece of the blob; a piece that ends beyond the blob ends with it. */
  download(offset: number, count: number, options: { abortSignal?: AbortSignal }): Promise<BlobDownload>;
  deleteIfExists(options: { abortSignal?: AbortSignal }): Promise<unknown>;
}

/** The part of a download's answer that is used. */
export interface BlobDownload {
  readonly readableStreamBody?: AsyncIterable<Uint8Array | string> | NodeJS.ReadableStream | undefined;
}
