import type { SdkPatchName } from "./sdk-patch.js";

/** What was patched in the libraries of a `ServiceBusClient`, for that client only. */
export interface SdkPatchReport {
  /** The version of `@azure/service-bus` that the client reports; `undefined` if it reports none. */
  readonly sdkVersion: string | undefined;
  /** Whether it is one of {@link testedSdkVersions}. */
  readonly isTestedVersion: boolean;
  /** Each patch: applied, or skipped with the reason. */
  readonly patches: readonly SdkPatchOutcome[];
}

/** The outcome of one patch. */
export interface SdkPatchOutcome {
  readonly name: SdkPatchName;
  readonly status: "applied" | "skipped";
  /** Why it was skipped. */
  readonly reason: string | undefined;
}

/**
 * The versions of `@azure/service-bus` that the patches are tested with. With other versions they are applied where possible, and a warning
 * says so.
 */
export const testedSdkVersions: readonly string[] = Object.freeze([
  "7.9.2",
  "7.9.3",
  "7.9.4",
  "7.9.5",
  "7.10.0-beta.2",
]);

/** The reason of a patch that is not needed. */
export const fixedReason = "the fault is fixed";

/** What users should know about the report; `undefined` if nothing. */
export function warningOf({ sdkVersion, isTestedVersion, patches }: SdkPatchReport): string | undefined {
  const skipped = patches.filter(({ status, reason }) => status === "skipped" && reason !== fixedReason);
  if (isTestedVersion && skipped.length === 0) return undefined;
  const parts = skipped.map(({ name, reason }) => `${name} was not applied, because ${reason}`);
  if (!isTestedVersion) parts.unshift(`it is tested with ${testedSdkVersions.join(", ")}`);
  return `waybill patches faults beneath @azure/service-bus ${sdkVersion ?? "of unknown version"}: ${parts.join("; ")}.`;
}
