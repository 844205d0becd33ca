/** Bytes with a view on the numbers in them. */
export interface ViewedBytes extends Uint8Array {
  dataView: DataView;
}

/**
 * The same memory as another array. The decoder uses this view, which takes long to create, or would add one of its own to the array that it
 * gets.
 */
export function viewed({ buffer, byteOffset, byteLength }: Uint8Array): ViewedBytes {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength) as ViewedBytes;
  bytes.dataView = new DataView(buffer, byteOffset, byteLength);
  return bytes;
}
