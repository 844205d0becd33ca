/** How long a client may leave unused what it opens, by the broker's clock. In ms; 0 means no limit. */
export interface IdleTimeouts {
  /** A connection without a valid token since it was opened. Default 20,000. */
  readonly authenticationMs?: number;
  /** A connection without a link since it was opened. Default 0. */
  readonly firstLinkMs?: number;
  /** A connection after its last link was detached. Default 0. */
  readonly noLinkMs?: number;
  /** A link without transfer in either direction and without new credit. Default 0. */
  readonly linkMs?: number;
}

/** Times with every default filled in. */
export type ResolvedIdleTimeouts = Required<IdleTimeouts>;

/** Only unauthenticated clients are disconnected: clients recover from the other timeouts, but slowly. */
export const defaultIdleTimeouts: ResolvedIdleTimeouts = Object.freeze({
  authenticationMs: 20_000,
  firstLinkMs: 0,
  noLinkMs: 0,
  linkMs: 0,
});

/**
 * The service's timeouts. Source: "AMQP 1.0 in Azure Service Bus protocol guide" for tokens, "AMQP errors in Azure Service Bus" for the
 * others.
 */
export const serviceIdleTimeouts: ResolvedIdleTimeouts = Object.freeze({
  authenticationMs: 20_000,
  firstLinkMs: 60_000,
  noLinkMs: 300_000,
  linkMs: 600_000,
});
