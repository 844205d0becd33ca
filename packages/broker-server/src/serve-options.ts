import { randomBytes } from "node:crypto";
import { DEFAULT_IDLE_TIMEOUTS, type IdleTimeouts, type ResolvedIdleTimeouts } from "./amqp/idle-timeouts.js";
import type { Authorization } from "./authorization/claims.js";
import { resolveSharedAccessKeys, type SharedAccessKey } from "./authorization/shared-access-key.js";
import {
  DEFAULT_SERVE_LIMITS,
  type ResolvedServeLimits,
  resolveServeLimits,
  type ServeLimits,
} from "./serve-limits.js";

/** A certificate with its private key, PEM. */
export interface TlsOptions {
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
}

/** How a broker is put on the network. */
export interface ServeOptions {
  /** Default 5672, or 5671 with TLS; 0 takes a free one. */
  readonly port?: number | undefined;
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Serves TLS instead of plain TCP. Default plain TCP, which the SDKs speak when told `UseDevelopmentEmulator=true`. */
  readonly tls?: TlsOptions | undefined;
  /** Who may connect. Default: one key of all rights, made up anew and told only by `connectionString`. */
  readonly keys?: readonly SharedAccessKey[] | undefined;
  /**
   * Accepts every client, whatever it shows, as well-known emulator connection strings need. Only on a loopback address and never
   * together with `keys`; a process warning says so at start. Default false.
   */
  readonly acceptAnyone?: boolean | undefined;
  /** How long `close` waits for clients to answer before it drops them. In ms, default 2,000. */
  readonly closeTimeoutMs?: number | undefined;
  /** How long clients may leave what they open unused. Default: for ever, but 20 s without a valid token. */
  readonly idleTimeouts?: IdleTimeouts | undefined;
  /** What clients may have at once, before and after they have shown a valid token. Default: see `ServeLimits`. */
  readonly limits?: ServeLimits | undefined;
}

/** Options with every default filled in. */
export interface ResolvedServeOptions {
  readonly port: number;
  readonly host: string;
  readonly tls: TlsOptions | undefined;
  readonly authorization: Authorization;
  readonly closeTimeoutMs: number;
  readonly idleTimeouts: ResolvedIdleTimeouts;
  readonly limits: ResolvedServeLimits;
}

/** What `serve` takes where its options say nothing; `tlsPort` is the port with TLS. */
export const DEFAULT_SERVE_OPTIONS = Object.freeze({
  host: "127.0.0.1",
  port: 5672,
  tlsPort: 5671,
  closeTimeoutMs: 2000,
  idleTimeouts: DEFAULT_IDLE_TIMEOUTS,
  limits: DEFAULT_SERVE_LIMITS,
});

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Fills in defaults. Throws `TypeError` for a port or time out of range, and for `acceptAnyone` where strangers could connect. */
export function resolveServeOptions(options: ServeOptions): ResolvedServeOptions {
  const { tls, keys, acceptAnyone = false } = options;
  const { host, tlsPort, closeTimeoutMs, idleTimeouts } = DEFAULT_SERVE_OPTIONS;
  const resolved = {
    port: options.port ?? (tls ? tlsPort : DEFAULT_SERVE_OPTIONS.port),
    host: options.host ?? host,
    tls: tls && { cert: tls.cert, key: tls.key },
    closeTimeoutMs: options.closeTimeoutMs ?? closeTimeoutMs,
    idleTimeouts: { ...idleTimeouts, ...options.idleTimeouts },
    limits: resolveServeLimits(options.limits ?? {}),
  };
  requireWhole("port", resolved.port, 65_535);
  requireWhole("closeTimeoutMs", resolved.closeTimeoutMs, 2 ** 31 - 1);
  for (const [name, ms] of Object.entries(resolved.idleTimeouts)) {
    requireWhole(`idleTimeouts.${name}`, ms, 2 ** 31 - 1);
  }
  if (!acceptAnyone) return { ...resolved, authorization: { kind: "keys", keys: resolveKeys(keys) } };
  if (keys !== undefined) throw new TypeError("serve: acceptAnyone makes keys meaningless; give one of them");
  if (!LOOPBACK.test(resolved.host)) {
    throw new TypeError(`serve: acceptAnyone is for loopback addresses only, and host is ${resolved.host}`);
  }
  return { ...resolved, authorization: { kind: "development" } };
}

function resolveKeys(keys: readonly SharedAccessKey[] | undefined): SharedAccessKey[] {
  if (keys === undefined) {
    const key = randomBytes(32).toString("base64");
    return [{ name: "RootManageSharedAccessKey", key, rights: ["Manage"] }];
  }
  if (keys.length === 0) throw new TypeError("serve: keys is empty, so nobody could connect");
  return resolveSharedAccessKeys(keys);
}

function requireWhole(name: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new TypeError(`serve: ${name} is ${value}, not a whole number from 0 to ${max}`);
  }
}
