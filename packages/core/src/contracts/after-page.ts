import { WaybillError } from "../errors/error.js";

/** The sequence number after that of the last message of a page, from which to peek on. Throws `internal` if that would be backwards, without end. */
export function afterPage(
  { sequenceNumber }: { readonly sequenceNumber: bigint },
  requested: bigint | undefined,
  entityPath?: string,
): bigint {
  if (requested !== undefined && sequenceNumber < requested) {
    const text = "The broker returned messages with lower sequence numbers than requested.";
    throw new WaybillError("internal", text, { entityPath });
  }
  return sequenceNumber + 1n;
}
