import type { PartPatches } from "./patch-parts.js";
import type { ConnectionContext, SdkClient } from "./sdk-internals.js";

/** The faults of the SDK's libraries that are patched. The README describes each. */
export type SdkPatchName =
  | "closed-connections"
  | "interrupted-openings"
  | "unanswered-requests"
  | "closes-cut-short"
  | "idle-request-links"
  | "exact-values";

/** One patch of a client's internals. */
export interface SdkPatch extends PartPatches {
  readonly name: SdkPatchName;
  /** Whether the libraries of the client no longer have the fault, if that can be detected. */
  isFixed?(context: ConnectionContext): boolean;
  /** Why it cannot be applied to a client; `undefined` if it can. */
  obstacle(context: ConnectionContext, client: SdkClient): string | undefined;
}
