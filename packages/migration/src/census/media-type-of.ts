import { parseMediaType } from "@waybill/core/serializer";

/** A content type's media type without parameters, cut to group by; `"(none)"` without a content type, `"(malformed)"` for one that cannot be parsed. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType.trim() === "") return "(none)";
  return parseMediaType(contentType)?.essence.slice(0, 128) ?? "(malformed)";
}
