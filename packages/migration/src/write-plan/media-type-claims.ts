import { parseMediaType } from "@waybill/core/serializer";

/** Whether one of the claims of a serializer or a reader, media types and suffixes, covers a content type. */
export function claims(mediaTypes: readonly string[], contentType: string): boolean {
  const parsed = parseMediaType(contentType);
  if (parsed === undefined) return false;
  const { essence, suffix } = parsed;
  return mediaTypes.includes(essence) || (suffix !== undefined && mediaTypes.includes(suffix));
}
