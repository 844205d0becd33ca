import type { ConnectionHandler } from "../api.js";
import type { AmqpMap } from "../codec/value.js";
import { type MemoryBudget, UNLIMITED } from "../memory/memory-budget.js";
import type { SaslCredentials, SaslMechanism } from "./sasl.js";

/** What a peer may do at once. */
export interface PeerLimits {
  /** Largest frame accepted, in bytes; at least 512. Default 65,536, as the service announces. */
  readonly maxFrameSize: number;
  /** Sessions a peer may have begun at once. Default as many as `channelMax` allows. */
  readonly maxSessions: number;
  /** Links a peer may have attached at once over all its sessions. Default 10,000. */
  readonly maxLinks: number;
  /** Longest name of a link, in UTF-16 units. Default 1,024. */
  readonly maxNameLength: number;
}

export interface ConnectionOptions extends Partial<PeerLimits> {
  /** Who speaks first: a client sends its header and open unasked. Default "server". */
  readonly role?: "server" | "client";
  /** Our container-id in open (2.7.1). */
  readonly containerId: string;
  /** The host a client means to reach. Default none. */
  readonly hostname?: string;
  /** Highest channel number a peer may use. Default 4,999, as the service announces. */
  readonly channelMax?: number;
  /** Highest link handle a peer may use in a session. Default 4,999. */
  readonly handleMax?: number;
  /** Lower limits for a peer nobody knows yet; they hold until `trust`. Default none: the peer is trusted from the start. */
  readonly untrusted?: Partial<PeerLimits>;
  /** What the connection may hold for its peer: sessions, links, unfinished frames and messages, deliveries. Default without bounds. */
  readonly budget?: MemoryBudget;
  /** Silence after which the peer is given up is twice this; 0 for never. In ms, default 120,000. */
  readonly idleTimeOutMs?: number;
  /** Time from the first `tick` until the peer's open must have arrived; 0 forever. In ms, default 60,000. */
  readonly handshakeTimeoutMs?: number;
  /** Largest message a link accepts unless it says otherwise, in bytes; 0 for any. Default 1,048,576. */
  readonly maxMessageSize?: number;
  /** Transfer frames a peer may have in progress in one session. Default 5,000. */
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
  maxNameLength: 1_024,
  untrusted: Object.freeze({}),
  budget: UNLIMITED,
  idleTimeOutMs: 120_000,
  handshakeTimeoutMs: 60_000,
  maxMessageSize: 1_048_576,
  incomingWindow: 5_000,
  saslMechanisms: [],
  withoutSasl: "accept",
} as const);

/** Fills in defaults. Throws `TypeError` naming the option that is out of its range. */
export function resolveConnectionOptions(options: ConnectionOptions): ResolvedConnectionOptions {
  const { channelMax } = { ...defaultConnectionOptions, ...options };
  const resolved = { ...defaultConnectionOptions, maxSessions: channelMax + 1, ...options };
  if (typeof resolved.containerId !== "string") throw new TypeError("containerId must be a string");
  checkLimits(resolved);
  checkLimits({ ...resolved, ...resolved.untrusted });
  checkRange("channelMax", resolved.channelMax, 0, 0xffff);
  checkRange("handleMax", resolved.handleMax, 0, 0xffffffff);
  checkRange("idleTimeOutMs", resolved.idleTimeOutMs, 0, 0xffffffff);
  checkRange("handshakeTimeoutMs", resolved.handshakeTimeoutMs, 0, 0xffffffff);
  checkRange("maxMessageSize", resolved.maxMessageSize, 0, Number.MAX_SAFE_INTEGER);
  checkRange("incomingWindow", resolved.incomingWindow, 1, 0x7fffffff);
  return resolved;
}

function checkLimits(limits: PeerLimits): void {
  checkRange("maxFrameSize", limits.maxFrameSize, 512, 0xffffffff);
  checkRange("maxSessions", limits.maxSessions, 1, 0xffffffff);
  checkRange("maxLinks", limits.maxLinks, 1, 0xffffffff);
  checkRange("maxNameLength", limits.maxNameLength, 1, 0xffffffff);
}

function checkRange(name: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new TypeError(`${name} must be an integer from ${min} to ${max}`);
  }
}
