import type { PartPatches } from "./client-parts.js";
import type { ConnectionContext, SdkClient } from "./sdk-internals.js";

/** The faults beneath the SDK that are patched. The README says of each what it does. */
export type SdkPatchName =
  | "closed-connections"
  | "interrupted-openings"
  | "unanswered-requests"
  | "closes-cut-short"
  | "exact-integers";

/** One patch of what lies beneath a client. */
export interface SdkPatch extends PartPatches {
  readonly name: SdkPatchName;
  /** Whether the libraries beneath the client are without the fault, where that can be seen. */
  isMended?(context: ConnectionContext): boolean;
  /** Why it cannot be applied to a client; `undefined` when it can. */
  obstacle(context: ConnectionContext, client: SdkClient): string | undefined;
}
