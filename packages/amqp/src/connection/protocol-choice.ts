import { amqpProtocol, protocolHeader, saslProtocol } from "../frames/frame.js";
import type { ResolvedConnectionOptions } from "./connection-options.js";
import type { ConnectionState } from "./connection-state.js";

/** The protocol of a client's first header. */
export function firstProtocol({ saslCredentials }: ResolvedConnectionOptions): number {
  return saslCredentials ? saslProtocol : amqpProtocol;
}

/** The protocol of a peer's header; undefined if it is not supported in this state. */
export function protocolOf(
  header: Buffer,
  state: ConnectionState,
  options: ResolvedConnectionOptions,
): "sasl" | "amqp" | undefined {
  const protocol = header[4];
  if (!header.equals(protocolHeader(protocol ?? 0))) return undefined;
  if (protocol === saslProtocol && state === "start" && speaksSasl(options)) return "sasl";
  const isExpected = state === "sasl-done" || mayOmitSasl(state, options);
  return protocol === amqpProtocol && isExpected ? "amqp" : undefined;
}

/** The protocol that a server offers to a peer whose header it refuses (2.2). */
export function offeredProtocol(state: ConnectionState, options: ResolvedConnectionOptions): number {
  return mayOmitSasl(state, options) ? amqpProtocol : saslProtocol;
}

function speaksSasl({ role, saslMechanisms, saslCredentials }: ResolvedConnectionOptions): boolean {
  return role === "server" ? saslMechanisms.length > 0 : saslCredentials !== undefined;
}

function mayOmitSasl(state: ConnectionState, options: ResolvedConnectionOptions): boolean {
  if (state !== "start") return false;
  const { role, withoutSasl } = options;
  return !speaksSasl(options) || (role === "server" && withoutSasl === "accept");
}
