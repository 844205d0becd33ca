/** The part of `ContainerClient` of `@azure/storage-blob` that is used. */
export interface BlobContainer {
  getBlockBlobClient(name: string): BlobItem;
}

/** The part of `BlockBlobClient` that is used. */
export interface BlobItem {
  /** Uploads the data as one blob, in blocks if it is large; all of it or nothing is stored. */
  uploadData(data: Uint8Array<ArrayBuffer>, options: { abortSignal?: AbortSignal }): Promise<unknown>;
  /** Downloads a range of the blob; a range beyond the end of the blob is shortened. */
  download(offset: number, count: number, options: { abortSignal?: AbortSignal }): Promise<BlobDownload>;
  deleteIfExists(options: { abortSignal?: AbortSignal }): Promise<unknown>;
}

/** The part of a download's answer that is used. */
export interface BlobDownload {
  readonly readableStreamBody?: AsyncIterable<Uint8Array | string> | NodeJS.ReadableStream | undefined;
}
