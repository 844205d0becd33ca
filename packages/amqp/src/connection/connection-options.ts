import { requireInteger } from "@waybill/foundation";
import type { ConnectionHandler } from "../api.js";
import type { AmqpMap } from "../codec/value.js";
import { type MemoryBudget, unlimited } from "../memory/memory-budget.js";
import type { SaslCredentials, SaslMechanism } from "./sasl.js";

/** Limits of a peer. */
export interface PeerLimits {
  /** Maximum frame size accepted, in bytes; at least 512. Default 65,536, like the service. */
  readonly maxFrameSize: number;
  /** Maximum sessions. Default: as `channelMax` allows. */
  readonly maxSessions: number;
  /** Maximum links in all sessions together. Default 10,000. */
  readonly maxLinks: number;
  /** Maximum length of a link name, in UTF-16 units. Default 1,024. */
  readonly maxNameLength: number;
}

/** Options of one end of a connection. */
export interface ConnectionOptions extends Partial<PeerLimits> {
  /** The side that speaks first: a client sends its header and open first. Default "server". */
  readonly role?: "server" | "client";
  /** The local container-id in open (2.7.1). */
  readonly containerId: string;
  /** The host that a client wants to reach. Default none. */
  readonly hostname?: string;
  /** Maximum channel number of a peer. Default 4,999, like the service. */
  readonly channelMax?: number;
  /** Maximum link handle of a peer in a session. Default 4,999. */
  readonly handleMax?: number;
  /** Lower limits for a peer until `trust` is called. Default none: the peer is trusted from the start. */
  readonly untrusted?: Partial<PeerLimits>;
  /** Limits the memory held for the peer: sessions, links, unfinished frames and messages, deliveries. Default: unlimited. */
  readonly budget?: MemoryBudget;
  /** The peer is disconnected after twice this time of silence; 0 for never. In ms, default 120,000. */
  readonly idleTimeOutMs?: number;
  /** Timeout from the first `tick` to the peer's open; 0 for none. In ms, default 60,000. */
  readonly handshakeTimeoutMs?: number;
  /** Maximum message size of a link without its own, in bytes; 0 for unlimited. Default 1,048,576. */
  readonly maxMessageSize?: number;
  /** Maximum pending transfer frames of a peer in one session. Default 5,000. */
  readonly incomingWindow?: number;
  /** Extension capabilities to announce in open. Default none. */
  readonly offeredCapabilities?: readonly string[];
  /** Properties to announce in open. Default none. */
  readonly properties?: AmqpMap;
  /** Server: the mechanisms offered, in order of preference. Default none: SASL is not used. */
  readonly saslMechanisms?: readonly SaslMechanism[];
  /** Server: whether to accept a peer that skips SASL. Default "accept", like the service. */
  readonly withoutSasl?: "accept" | "refuse";
  /** Client: its SASL credentials. Default: no SASL. */
  readonly saslCredentials?: SaslCredentials;
  readonly handler: ConnectionHandler;
}

type Optional = "hostname" | "offeredCapabilities" | "properties" | "saslCredentials";

/** Options with every default filled in. */
export type ResolvedConnectionOptions = Required<Omit<ConnectionOptions, Optional>> &
  Pick<ConnectionOptions, Optional>;

/** The defaults of {@link ConnectionOptions}; that of `maxSessions` follows from `channelMax`. */
const defaultConnectionOptions = Object.freeze({
  role: "server",
  maxFrameSize: 65_536,
  channelMax: 4_999,
  handleMax: 4_999,
  maxLinks: 10_000,
  maxNameLength: 1_024,
  untrusted: Object.freeze({}),
  budget: unlimited,
  idleTimeOutMs: 120_000,
  handshakeTimeoutMs: 60_000,
  maxMessageSize: 1_048_576,
  incomingWindow: 5_000,
  saslMechanisms: [],
  withoutSasl: "accept",
} as const);

/** Fills in defaults. Throws `TypeError` with the name of an option that is out of range. */
export function resolveConnectionOptions(options: ConnectionOptions): ResolvedConnectionOptions {
  const { channelMax } = { ...defaultConnectionOptions, ...options };
  const resolved = { ...defaultConnectionOptions, maxSessions: channelMax + 1, ...options };
  if (typeof resolved.containerId !== "string") throw new TypeError("containerId must be a string");
  checkLimits(resolved);
  checkLimits({ ...resolved, ...resolved.untrusted });
  requireInteger("channelMax", resolved.channelMax, 0, 0xffff);
  requireInteger("handleMax", resolved.handleMax, 0, 0xffffffff);
  requireInteger("idleTimeOutMs", resolved.idleTimeOutMs, 0, 0xffffffff);
  requireInteger("handshakeTimeoutMs", resolved.handshakeTimeoutMs, 0, 0xffffffff);
  requireInteger("maxMessageSize", resolved.maxMessageSize, 0, Number.MAX_SAFE_INTEGER);
  requireInteger("incomingWindow", resolved.incomingWindow, 1, 0x7fffffff);
  return resolved;
}

function checkLimits(limits: PeerLimits): void {
  requireInteger("maxFrameSize", limits.maxFrameSize, 512, 0xffffffff);
  requireInteger("maxSessions", limits.maxSessions, 1, 0xffffffff);
  requireInteger("maxLinks", limits.maxLinks, 1, 0xffffffff);
  requireInteger("maxNameLength", limits.maxNameLength, 1, 0xffffffff);
}
