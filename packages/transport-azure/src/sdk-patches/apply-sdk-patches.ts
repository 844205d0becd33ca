import type { ServiceBusClientLike } from "../sdk/service-bus-client.js";
import { closedConnections } from "./closed-connections.js";
import { closesCutShort } from "./closes-cut-short.js";
import { exactValues } from "./exact-values.js";
import { idleRequestLinks } from "./idle-request-links.js";
import { interruptedOpenings } from "./interrupted-openings.js";
import { patchParts } from "./patch-parts.js";
import {
  fixedReason,
  type SdkPatchOutcome,
  type SdkPatchReport,
  testedSdkVersions,
  warningOf,
} from "./report.js";
import {
  type ConnectionContext,
  connectionContextOf,
  missingMethods,
  type SdkClient,
} from "./sdk-internals.js";
import type { SdkPatch } from "./sdk-patch.js";
import { unansweredRequests } from "./unanswered-requests.js";

const reports = new WeakMap<object, SdkPatchReport>();
const warnings = new Set<string>();

/**
 * Patches the libraries of a client, once, and returns a report. A process warning, once per text, reports what users should know. Only the
 * client's own objects are changed.
 */
export function applySdkPatches(client: ServiceBusClientLike): SdkPatchReport {
  const known = reports.get(client);
  if (known !== undefined) return known;
  const context = connectionContextOf(client);
  const outcomes = context === undefined ? skipAll(noContext) : apply(client as never, context);
  const report = reportOf(context, outcomes);
  reports.set(client, report);
  warn(report);
  return report;
}

/** The report of a client whose patches are switched off. */
export function withoutSdkPatches(client: ServiceBusClientLike): SdkPatchReport {
  return reportOf(connectionContextOf(client), skipAll("sdkPatches is false"));
}

const noContext = "the client has no connection context";

function allPatches(): SdkPatch[] {
  return [
    closedConnections,
    interruptedOpenings(),
    unansweredRequests,
    closesCutShort,
    idleRequestLinks(),
    exactValues,
  ];
}

function apply(client: SdkClient, context: ConnectionContext): SdkPatchOutcome[] {
  const obstacle =
    missingMethods("connection context", context, ["refreshConnection", "getManagementClient"]) ??
    missingMethods("AMQP connection", context.connection, ["createSession"]);
  if (obstacle !== undefined) return skipAll(obstacle);
  const outcomes = allPatches().map((patch) => {
    const reason = patch.isFixed?.(context) ? fixedReason : patch.obstacle(context, client);
    return { patch, reason };
  });
  const applied = outcomes.filter(({ reason }) => reason === undefined);
  patchParts(
    client,
    context,
    applied.map(({ patch }) => patch),
  );
  return outcomes.map(({ patch, reason }) => outcome(patch, reason));
}

function skipAll(reason: string): SdkPatchOutcome[] {
  return allPatches().map((patch) => outcome(patch, reason));
}

function outcome({ name }: SdkPatch, reason: string | undefined): SdkPatchOutcome {
  return Object.freeze({ name, status: reason === undefined ? "applied" : "skipped", reason });
}

function reportOf(
  context: ConnectionContext | undefined,
  patches: readonly SdkPatchOutcome[],
): SdkPatchReport {
  const version = context?.connection.options?.properties?.version;
  const sdkVersion = typeof version === "string" ? version : undefined;
  return Object.freeze({
    sdkVersion,
    isTestedVersion: sdkVersion !== undefined && testedSdkVersions.includes(sdkVersion),
    patches: Object.freeze(patches),
  });
}

function warn(report: SdkPatchReport): void {
  const text = warningOf(report);
  if (text === undefined || warnings.has(text)) return;
  warnings.add(text);
  process.emitWarning(text, { type: "WaybillWarning", code: "WAYBILL_SDK_PATCHES" });
}
