import { X509Certificate } from "node:crypto";
import type { Broker } from "@waybill/broker";
import { emulatorKey } from "./authorization/shared-access-key.js";
import { decodeWire } from "./messages/wire-decoder.js";
import {
  type ResolvedServeOptions,
  resolveServeOptions,
  type ServeOptions,
} from "./options/serve-options.js";
import { listen } from "./port/listen.js";

/** A broker on the network. Closing it leaves the broker open. */
export interface BrokerServer {
  /** The address it listens on. */
  readonly host: string;
  /** The main port. */
  readonly port: number;
  /** All ports it listens on, the main one first. */
  readonly ports: readonly number[];
  /**
   * For `ServiceBusClient` and `ServiceBusAdministrationClient` of any language: the address, and the name and secret of the first
   * namespace-wide key.
   */
  readonly connectionString: string;
  /** Closes every connection properly and leaves no socket or timer; messages stay locked until their locks expire. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a broker on the network, for the unchanged SDKs of Azure Service Bus: AMQP 1.0, AMQP over WebSockets, and the management API over
 * HTTP, all on one port. Resolves when it listens; rejects if a port cannot be opened. Throws `TypeError` for invalid options.
 */
export async function serve(broker: Broker, options: ServeOptions = {}): Promise<BrokerServer> {
  const resolved = resolveServeOptions(options);
  broker.setWireDecoder(decodeWire);
  const listener = await listen(broker, resolved);
  const [port = resolved.port] = listener.ports;
  if (resolved.authorization.kind === "development") warn(resolved, port);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= listener.close();
    return closed;
  };
  return {
    host: resolved.host,
    port,
    ports: listener.ports,
    connectionString: toConnectionString(resolved, port),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function warn({ host }: ResolvedServeOptions, port: number): void {
  process.emitWarning(
    `The broker on ${host}:${port} accepts every client (acceptAnyone). Use it for development only.`,
    {
      type: "WaybillWarning",
      code: "WAYBILL_ACCEPT_ANYONE",
    },
  );
}

function toConnectionString({ host, tls, authorization }: ResolvedServeOptions, port: number): string {
  const name = hostInUrl(host, tls);
  const emulator = tls === undefined ? ";UseDevelopmentEmulator=true" : "";
  return `Endpoint=sb://${name}:${port};${toCredentials(authorization)}${emulator}`;
}

/** TLS names the server, and from Node 26 on JavaScript clients cannot name it by an address: `localhost` if the certificate covers it. */
function hostInUrl(host: string, tls: ResolvedServeOptions["tls"]): string {
  const isLoopback = host === "127.0.0.1" || host === "::1";
  if (isLoopback && tls !== undefined && new X509Certificate(tls.cert).checkHost("localhost"))
    return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function toCredentials(authorization: ResolvedServeOptions["authorization"]): string {
  const key =
    authorization.kind === "development"
      ? { name: "RootManageSharedAccessKey", key: emulatorKey }
      : (authorization.keys.find(({ entity }) => entity === undefined) ?? authorization.keys[0]);
  if (key === undefined) throw new TypeError("A server that asks for keys needs at least one.");
  return `SharedAccessKeyName=${key.name};SharedAccessKey=${key.key}`;
}
