import { randomBytes, X509Certificate } from "node:crypto";
import { type OptionNames, requireInteger, requireKnownOptions } from "@waybill/foundation";
import type { Authorization } from "../authorization/claims.js";
import {
  emulatorKey,
  resolveSharedAccessKeys,
  type SharedAccessKey,
} from "../authorization/shared-access-key.js";
import type { PageRules } from "../authorization/web-pages.js";
import type { ServerEvent } from "../events/server-event.js";
import { defaultIdleTimeouts, type IdleTimeouts } from "./idle-timeouts.js";
import { defaultServeLimits, resolveServeLimits, type ServeLimits } from "./serve-limits.js";

/** A certificate with its private key, PEM. */
export interface TlsOptions {
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
  /** Also accepts clients without TLS on the same ports. Default: only if `host` is a loopback address. */
  readonly allowPlain?: boolean | undefined;
}

/** Options of a broker server. */
export interface ServeOptions {
  /**
   * Default 5672, or 5671 with TLS; 0 chooses a free port. The port serves AMQP, AMQP over WebSockets, HTTP and, with `tls`, TLS; they are
   * distinguished by the first bytes that a client sends.
   */
  readonly port?: number | undefined;
  /** Further ports with the same protocols, for clients with fixed ports: 5300, 5671, 443. Default none. */
  readonly additionalPorts?: readonly number[] | undefined;
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** The namespace's name in the management API. Default `local`. */
  readonly namespace?: string | undefined;
  /** Serves TLS. Default plain TCP, which SDKs use with `UseDevelopmentEmulator=true`. */
  readonly tls?: TlsOptions | undefined;
  /** The keys that may connect. Default: one generated key with all rights, available in `connectionString`. */
  readonly keys?: readonly SharedAccessKey[] | undefined;
  /**
   * Accepts every client, whatever credentials it sends, as well-known emulator connection strings need. Allowed only on a loopback address
   * and without `keys`; a process warning is emitted at start. Default false.
   */
  readonly acceptAnyone?: boolean | undefined;
  /**
   * Origins whose web pages may connect with AMQP over WebSockets, such as `http://localhost:8080`. Requests from all other pages are
   * refused. Default none.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Names by which clients may address the server over HTTP and WebSockets, besides IP addresses, names without a dot, `*.localhost`,
   * `*.internal` and the names of the certificate. Applies on a loopback address, with `acceptAnyone`, and with the emulator's well-known
   * key: a web page can make its own name resolve to this machine. Default none.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** How long `close` waits for clients to answer before it disconnects them. In ms, default 2,000. */
  readonly closeTimeoutMs?: number | undefined;
  /** How long clients may leave unused what they open. Default: no limit, but 20 s without a valid token. */
  readonly idleTimeouts?: IdleTimeouts | undefined;
  /** Limits of what clients use at the same time, before and after they have sent a valid token. Default: see `ServeLimits`. */
  readonly limits?: ServeLimits | undefined;
  /** Called with each connection and each refused token, for logs. It must not throw. Default: none. */
  readonly onEvent?: ((event: ServerEvent) => void) | undefined;
}

/** Options with every default filled in. */
export type ResolvedServeOptions = Readonly<ReturnType<typeof resolveServeOptions>>;

/** The defaults of `serve`; `tlsPort` is the default port with TLS. */
const defaultServeOptions = Object.freeze({
  host: "127.0.0.1",
  port: 5672,
  tlsPort: 5671,
  additionalPorts: Object.freeze([]) as readonly number[],
  namespace: "local",
  closeTimeoutMs: 2000,
  idleTimeouts: defaultIdleTimeouts,
  limits: defaultServeLimits,
});

const optionNames: OptionNames<ServeOptions> = {
  port: true,
  additionalPorts: true,
  host: true,
  namespace: true,
  tls: true,
  keys: true,
  acceptAnyone: true,
  allowedOrigins: true,
  allowedHosts: true,
  closeTimeoutMs: true,
  idleTimeouts: true,
  limits: true,
  onEvent: true,
};
const loopbackForm = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** The service's rules for names, without its minimum length. */
const namespaceForm = /^[A-Za-z][A-Za-z0-9-]{0,49}$/;

/**
 * Fills in defaults. Throws `TypeError` for an unknown option, a port or time out of range, and for `acceptAnyone` if other machines could
 * connect.
 */
export function resolveServeOptions(options: ServeOptions) {
  // `tls` may have further properties: tools that create certificates often add the CA's.
  requireKnownOptions("serve", options, optionNames);
  const { tls } = options;
  const { tlsPort, closeTimeoutMs, idleTimeouts } = defaultServeOptions;
  const host = options.host ?? defaultServeOptions.host;
  const resolved = {
    port: options.port ?? (tls ? tlsPort : defaultServeOptions.port),
    additionalPorts: [...(options.additionalPorts ?? defaultServeOptions.additionalPorts)],
    host,
    namespace: options.namespace ?? defaultServeOptions.namespace,
    tls: tls && { cert: tls.cert, key: tls.key, allowPlain: tls.allowPlain ?? loopbackForm.test(host) },
    closeTimeoutMs: options.closeTimeoutMs ?? closeTimeoutMs,
    idleTimeouts: { ...idleTimeouts, ...options.idleTimeouts },
    limits: resolveServeLimits(options.limits ?? {}),
    onEvent: options.onEvent,
  };
  requireKnownOptions("serve: idleTimeouts", options.idleTimeouts ?? {}, idleTimeouts);
  requireInteger("serve: port", resolved.port, 0, 65_535);
  for (const port of resolved.additionalPorts) requireInteger("serve: additionalPorts", port, 0, 65_535);
  if (!namespaceForm.test(resolved.namespace)) {
    throw new TypeError("serve: namespace must be letters, digits and hyphens, and begin with a letter");
  }
  requireInteger("serve: closeTimeoutMs", resolved.closeTimeoutMs, 0, 2 ** 31 - 1);
  for (const [name, ms] of Object.entries(resolved.idleTimeouts)) {
    requireInteger(`serve: idleTimeouts.${name}`, ms, 0, 2 ** 31 - 1);
  }
  const authorization = resolveAuthorization(options, host);
  return { ...resolved, authorization, pages: resolvePages(options, host, authorization) };
}

function resolveAuthorization({ acceptAnyone = false, keys }: ServeOptions, host: string): Authorization {
  if (!acceptAnyone) return { kind: "keys", keys: resolveKeys(keys) };
  if (keys !== undefined) throw new TypeError("serve: set either acceptAnyone or keys");
  if (!loopbackForm.test(host)) {
    throw new TypeError(`serve: acceptAnyone is for loopback addresses only, and host is ${host}`);
  }
  return { kind: "development" };
}

function resolveKeys(keys: readonly SharedAccessKey[] | undefined): SharedAccessKey[] {
  if (keys === undefined) {
    const key = randomBytes(32).toString("base64");
    return [{ name: "RootManageSharedAccessKey", key, rights: ["Manage"] }];
  }
  if (keys.length === 0) throw new TypeError("serve: keys is empty, so nobody could connect");
  return resolveSharedAccessKeys(keys);
}

/** A page that does not know the key cannot do anything, so that other servers accept every name. */
function resolvePages(
  { allowedOrigins = [], allowedHosts = [], tls }: ServeOptions,
  host: string,
  authorization: Authorization,
): PageRules {
  for (const origin of allowedOrigins) requireOrigin(origin);
  const isKeyKnown =
    authorization.kind === "development" || authorization.keys.some(({ key }) => key === emulatorKey);
  const isChecked = loopbackForm.test(host) || isKeyKnown;
  const names = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
  const isOwnHost = (name: string) =>
    names.has(name) || (tls !== undefined && new X509Certificate(tls.cert).checkHost(name) !== undefined);
  return { origins: new Set(allowedOrigins), isOwnHost: isChecked ? isOwnHost : undefined };
}

function requireOrigin(text: string): void {
  if (URL.canParse(text) && (new URL(text).origin === text || !/^https?:/.test(text))) return;
  throw new TypeError(`serve: allowedOrigins: "${text}" is no origin such as http://localhost:8080`);
}
