import { requireDuration, requireKnownOptions } from "@waybill/foundation";

/** That another namespace is used from now on. */
export interface FailoverEvent {
  readonly from: string;
  readonly to: string;
  /** `asked`: `activeNamespace` named it. `unreachable`: the one in use did not answer for `unreachableAfterInMs`, and this one did. */
  readonly reason: "asked" | "unreachable";
}

/** Options of `failover`. */
export interface FailoverOptions {
  /**
   * Names the namespace to use, for example by what the alias of a geo-disaster recovery resolves to. It alone decides then; if it rejects, everything stays as it is. Default: the
   * first, until it is unreachable and the other one is not.
   */
  readonly activeNamespace?: (() => string | Promise<string>) | undefined;
  /** How often to ask `activeNamespace`, and an unreachable namespace whether it answers, in milliseconds. Default: 10,000. */
  readonly checkIntervalInMs?: number | undefined;
  /** For how long the namespace in use must not answer before the other one is used, in milliseconds. Default: 60,000. */
  readonly unreachableAfterInMs?: number | undefined;
  /** Called after each change. Default: none. */
  readonly onFailover?: ((event: FailoverEvent) => void) | undefined;
}

/** Defaults of {@link FailoverOptions}. */
export const failoverDefaults = Object.freeze({ checkIntervalInMs: 10_000, unreachableAfterInMs: 60_000 });

export type ResolvedFailoverOptions = ReturnType<typeof resolveFailoverOptions>;

export function resolveFailoverOptions(options: FailoverOptions) {
  requireKnownOptions("failover", options, {
    activeNamespace: true,
    checkIntervalInMs: true,
    unreachableAfterInMs: true,
    onFailover: true,
  });
  const { checkIntervalInMs = failoverDefaults.checkIntervalInMs } = options;
  const { unreachableAfterInMs = failoverDefaults.unreachableAfterInMs } = options;
  return {
    activeNamespace: options.activeNamespace,
    checkIntervalInMs: requireDuration("checkIntervalInMs", checkIntervalInMs, 1),
    unreachableAfterInMs: requireDuration("unreachableAfterInMs", unreachableAfterInMs, 0),
    onFailover: options.onFailover ?? (() => {}),
  };
}
