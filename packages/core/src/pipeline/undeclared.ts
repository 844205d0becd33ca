import type { ReasonCode } from "../errors/reason.js";
import type { Selection } from "./chain.js";
import type { ContentTypePolicies } from "./options.js";

/** The policy and the recorded reason for a content type that selects no serializer. */
export const undeclared = {
  missing: { policy: "missing", reason: "content-type-missing", detail: "The message has no content type." },
  malformed: {
    policy: "unknown",
    reason: "content-type-malformed",
    detail: "The content type is not a media type.",
  },
  unknown: {
    policy: "unknown",
    reason: "content-type-unknown",
    detail: "No serializer claims the content type.",
  },
  foreign: {
    policy: "foreign",
    reason: "content-type-foreign",
    detail: "The content type names another format, which no serializer of the pipeline reads.",
  },
} as const satisfies Readonly<
  Record<
    Exclude<Selection["kind"], "declared">,
    { readonly policy: keyof ContentTypePolicies; readonly reason: ReasonCode; readonly detail: string }
  >
>;
