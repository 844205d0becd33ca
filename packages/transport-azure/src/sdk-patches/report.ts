import type { SdkPatchName } from "./sdk-patch.js";

/** What was done to the libraries beneath a `ServiceBusClient`, for that client alone. */
export interface SdkPatchReport {
  /** The version of `@azure/service-bus` that the client says it is; `undefined` when it does not say. */
  readonly sdkVersion: string | undefined;
  /** Whether it is one of {@link testedSdkVersions}. */
  readonly isTestedVersion: boolean;
  /** Each patch: applied, or skipped with the reason. */
  readonly patches: readonly SdkPatchOutcome[];
}

/** What happened to one patch. */
export interface SdkPatchOutcome {
  readonly name: SdkPatchName;
  readonly status: "applied" | "skipped";
  /** Why it was skipped. */
  readonly reason: string | undefined;
}

/** The versions of `@azure/service-bus` with which the patches are tested. With others they are applied where they fit, and a warning says so. */
export const testedSdkVersions: readonly string[] = Object.freeze([
  "7.9.2",
  "7.9.3",
  "7.9.4",
  "7.9.5",
  "7.10.0-beta.2",
]);

/** The reason of a patch that is not needed. */
export const mendedReason = "the fault is mended";

/** What a user should know of the report; `undefined` when all is as it should be. */
export function warningOf({ sdkVersion, isTestedVersion, patches }: SdkPatchReport): string | undefined {
  const skipped = patches.filter(({ status, reason }) => status === "skipped" && reason !== mendedReason);
  if (isTestedVersion && skipped.length === 0) return undefined;
  const parts = skipped.map(({ name, reason }) => `${name} was not applied, because ${reason}`);
  if (!isTestedVersion) parts.unshift(`it is tested with ${testedSdkVersions.join(", ")}`);
  return `waybill patches faults beneath @azure/service-bus ${sdkVersion ?? "of unknown version"}: ${parts.join("; ")}.`;
}
