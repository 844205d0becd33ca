import { parseMediaType } from "@waybill/core/serializer";

/** Whether the media types and suffixes that a serializer or a reader claims include a content type. */
export function claims(mediaTypes: readonly string[], contentType: string): boolean {
  const parsed = parseMediaType(contentType);
  if (parsed === undefined) return false;
  const { essence, suffix } = parsed;
  return mediaTypes.includes(essence) || (suffix !== undefined && mediaTypes.includes(suffix));
}
