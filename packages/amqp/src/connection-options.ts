import type { ConnectionHandler } from "./api.js";
import type { AmqpMap } from "./codec/value.js";
import type { SaslCredentials, SaslMechanism } from "./sasl.js";

export interface ConnectionOptions {
  /** Who speaks first: a client sends its header and open unasked. Default "server". */
  readonly role?: "server" | "client";
  /** Our container-id in open (2.7.1). */
  readonly containerId: string;
  /** The host a client means to reach. Default none. */
  readonly hostname?: string;
  /** Largest frame accepted, in bytes; at least 512. Default 65,536, as the service announces. */
  readonly maxFrameSize?: number;
  /** Highest channel number a peer may use. Default 4,999, as the service announces. */
  readonly channelMax?: number;
  /** Highest link handle a peer may use in a session. Default 4,999. */
  readonly handleMax?: number;
  /** Links a peer may have attached at once over all its sessions. Default 10,000. */
  readonly maxLinks?: number;
  /** Silence after which the peer is given up is twice this; 0 for never. In ms, default 120,000. */
  readonly idleTimeOutMs?: number;
  /** Time from the first `tick` until the peer's open must have arrived; 0 for ever. In ms, default 60,000. */
  readonly handshakeTimeoutMs?: number;
  /** Largest message a link accepts unless it says otherwise, in bytes; 0 for any. Default 1,048,576. */
  readonly maxMessageSize?: number;
  /** Transfer frames a peer may have under way in one session. Default 5,000. */
  readonly incomingWindow?: number;
  readonly offeredCapabilities?: readonly string[];
  /** Properties to announce in open. */
  readonly properties?: AmqpMap;
  /** Server: the mechanisms offered, in order of preference. Default none: SASL is not spoken. */
  readonly saslMechanisms?: readonly SaslMechanism[];
  /** Server: what to do with a peer that skips SASL. Default "accept", which the service does. */
  readonly withoutSasl?: "accept" | "refuse";
  /** Client: how to present itself. Default: no SASL. */
  readonly saslCredentials?: SaslCredentials;
  readonly handler: ConnectionHandler;
}

type Optional = "hostname" | "offeredCapabilities" | "properties" | "saslCredentials";

/** Options with every default filled in. */
export type ResolvedConnectionOptions = Required<Omit<ConnectionOptions, Optional>> &
  Pick<ConnectionOptions, Optional>;

export const defaultConnectionOptions = Object.freeze({
  role: "server",
  maxFrameSize: 65_536,
  channelMax: 4_999,
  handleMax: 4_999,
  maxLinks: 10_000,
  idleTimeOutMs: 120_000,
  handshakeTimeoutMs: 60_000,
  maxMessageSize: 1_048_576,
  incomingWindow: 5_000,
  saslMechanisms: [],
  withoutSasl: "accept",
} as const);

/** Fills in defaults. Throws `TypeError` naming the option that is out of its range. */
export function resolveConnectionOptions(options: ConnectionOptions): ResolvedConnectionOptions {
  const resolved = { ...defaultConnectionOptions, ...options };
  if (typeof resolved.containerId !== "string") throw new TypeError("containerId must be a string");
  checkRange("maxFrameSize", resolved.maxFrameSize, 512, 0xffffffff);
  checkRange("channelMax", resolved.channelMax, 0, 0xffff);
  checkRange("handleMax", resolved.handleMax, 0, 0xffffffff);
  checkRange("maxLinks", resolved.maxLinks, 1, 0xffffffff);
  checkRange("idleTimeOutMs", resolved.idleTimeOutMs, 0, 0xffffffff);
  checkRange("handshakeTimeoutMs", resolved.handshakeTimeoutMs, 0, 0xffffffff);
  checkRange("maxMessageSize", resolved.maxMessageSize, 0, Number.MAX_SAFE_INTEGER);
  checkRange("incomingWindow", resolved.incomingWindow, 1, 0x7fffffff);
  return resolved;
}

function checkRange(name: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new TypeError(`${name} must be a whole number from ${min} to ${max}`);
  }
}
