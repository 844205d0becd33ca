import { parseMediaType } from "@waybill/core/serializer";

/** A content type's media type without parameters, short enough to group by; `"(none)"` and `"(malformed)"` where there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType.trim() === "") return "(none)";
  return parseMediaType(contentType)?.essence.slice(0, 128) ?? "(malformed)";
}
