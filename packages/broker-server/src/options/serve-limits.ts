import { requireInteger, requireKnownOptions } from "@waybill/foundation";

/** Limits of clients that have not yet sent a valid token or key. */
export interface UnauthenticatedLimits {
  /** Connections; a new one closes the oldest. Default 1,000. */
  readonly connections?: number;
  /** Memory held for all of them together, in bytes. Default 33,554,432 (32 MiB). */
  readonly totalBytes?: number;
  /** Memory held for each, in bytes. Default 131,072 (128 KiB). */
  readonly connectionBytes?: number;
  /** Sessions per connection. Default 32. */
  readonly sessions?: number;
  /** Links per connection. Default 10. */
  readonly links?: number;
  /** Maximum length of a link's name, in characters. Default 256. */
  readonly linkNameLength?: number;
  /** Maximum frame size, in bytes. Default 32,768. */
  readonly frameBytes?: number;
}

/**
 * Limits of what clients use at the same time. Requests beyond them are refused with `amqp:resource-limit-exceeded`; clients within them
 * are not affected.
 */
export interface ServeLimits {
  /** Connections; the default is the service's limit per namespace. Default 5,000. */
  readonly connections?: number;
  /**
   * Memory of all connections together, in bytes: links, unfinished messages, unsettled deliveries, unread output. When it is used up, the
   * connection that holds most is closed. Default 268,435,456 (256 MiB).
   */
  readonly totalBytes?: number;
  /** Memory of one connection, in bytes; always enough for one message of its largest entity. Default 67,108,864 (64 MiB). */
  readonly connectionBytes?: number;
  /** Sessions per connection. Default 5,000. */
  readonly sessions?: number;
  /** Links per connection. Default 10,000. */
  readonly links?: number;
  /** Maximum length of a link's name, in characters. Default 1,024. */
  readonly linkNameLength?: number;
  /** Messages in one batch, one schedule request, or one management request. Default 4,500. */
  readonly batchMessages?: number;
  /**
   * Limits of clients that have not yet sent a valid token or key. With `acceptAnyone`, none is needed. Defaults: see
   * {@link UnauthenticatedLimits}.
   */
  readonly unauthenticated?: UnauthenticatedLimits;
}

/** Limits with every default filled in. */
export type ResolvedServeLimits = Required<Omit<ServeLimits, "unauthenticated">> & {
  readonly unauthenticated: Required<UnauthenticatedLimits>;
};

const kib = 1024;
const mib = 1024 * kib;

/** The defaults of {@link ServeLimits}. */
export const defaultServeLimits: ResolvedServeLimits = Object.freeze({
  connections: 5_000,
  totalBytes: 256 * mib,
  connectionBytes: 64 * mib,
  sessions: 5_000,
  links: 10_000,
  linkNameLength: 1_024,
  batchMessages: 4_500,
  unauthenticated: Object.freeze({
    connections: 1_000,
    totalBytes: 32 * mib,
    connectionBytes: 128 * kib,
    sessions: 32,
    links: 10,
    linkNameLength: 256,
    frameBytes: 32 * kib,
  }),
});

/** The minimum of the protocol (2.7.1). */
const minFrameBytes = 512;

/** Fills in defaults. Throws `TypeError` for an unknown limit, or one that is not a positive integer. */
export function resolveServeLimits(options: ServeLimits): ResolvedServeLimits {
  requireKnownOptions("serve: limits", options, defaultServeLimits);
  const { unauthenticated, ...limits } = options;
  const { unauthenticated: early, ...late } = defaultServeLimits;
  const resolved = fill("limits", late, limits);
  requireKnownOptions("serve: limits.unauthenticated", unauthenticated ?? {}, early);
  const resolvedEarly = fill("limits.unauthenticated", early, unauthenticated ?? {});
  if (resolvedEarly.frameBytes < minFrameBytes) {
    throw new TypeError(`serve: limits.unauthenticated.frameBytes must be at least ${minFrameBytes}`);
  }
  return { ...resolved, unauthenticated: resolvedEarly };
}

function fill<Limits extends Readonly<Record<string, number>>>(
  at: string,
  defaults: Limits,
  given: { readonly [Name in keyof Limits]?: number | undefined },
): Limits {
  const filled: Record<string, number> = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) filled[name] = requireInteger(`serve: ${at}.${name}`, value, 1);
  }
  return filled as Limits;
}
