/** How long a client may leave unused what it opens, by the broker's clock. All in ms; 0 means forever. */
export interface IdleTimeouts {
  /** A connection on which no valid token has been put since it was opened. Default 20,000. */
  readonly authenticationMs?: number;
  /** A connection on which no link has been attached since it was opened. Default 0. */
  readonly firstLinkMs?: number;
  /** A connection whose last link has been detached. Default 0. */
  readonly noLinkMs?: number;
  /** A link without transfer in either direction and without new credit. Default 0. */
  readonly linkMs?: number;
}

/** Times with every default filled in. */
export type ResolvedIdleTimeouts = Required<IdleTimeouts>;

/** Only who shows no token is sent away: clients recover from the rest, but slowly. */
export const DEFAULT_IDLE_TIMEOUTS: ResolvedIdleTimeouts = Object.freeze({
  authenticationMs: 20_000,
  firstLinkMs: 0,
  noLinkMs: 0,
  linkMs: 0,
});

/**
 * The times of the service. Source: "AMQP 1.0 in Azure Service Bus protocol guide" for tokens, "AMQP errors in Azure Service Bus" for
 * the others.
 */
export const SERVICE_IDLE_TIMEOUTS: ResolvedIdleTimeouts = Object.freeze({
  authenticationMs: 20_000,
  firstLinkMs: 60_000,
  noLinkMs: 300_000,
  linkMs: 600_000,
});
