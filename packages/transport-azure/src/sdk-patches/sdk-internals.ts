import type { EventEmitter } from "node:events";
import type { ServiceBusClientLike } from "../sdk/service-bus-client.js";

// The internal objects of a client that the patches use. None of this is in the SDK's types, and nothing is imported: every object is
// reached from the client, so it belongs to the copy of the library that the client uses.

/** A connection of rhea. */
export interface RheaConnection extends EventEmitter {
  readonly socket?: unknown;
  is_closed(): boolean;
  abort_socket(socket: unknown): void;
  create_session(...options: unknown[]): RheaSession;
}

/** A session of rhea. */
export interface RheaSession {
  create_link(...options: unknown[]): RheaLink;
  on_transfer(frame: unknown): void;
}

/** A link of rhea. */
export interface RheaLink {
  dispatch(event: string, context: unknown): boolean;
}

/** The AMQP types of one copy of rhea. */
export interface RheaTypes {
  readonly by_code?: Record<number, TypeDescription | undefined>;
}

/** How rhea reads values of one type. */
export interface TypeDescription {
  read?: ((buffer: Buffer, offset: number) => unknown) | undefined;
}

/** A connection of rhea-promise around one of rhea. */
export interface AmqpConnection {
  readonly _connection: RheaConnection;
  readonly container?: { readonly types?: RheaTypes };
  readonly options?: { readonly properties?: { readonly version?: unknown } };
  isOpen(): boolean;
  open(options?: Abortable): Promise<unknown>;
  close(options?: unknown): Promise<void>;
  createSession(options?: Abortable): Promise<AmqpSession>;
}

/** A session of rhea-promise. */
export interface AmqpSession {
  close(options?: unknown): Promise<void>;
  createReceiver(options?: Abortable): Promise<AmqpLink>;
  createSender(options?: Abortable): Promise<AmqpLink>;
  createAwaitableSender(options?: Abortable): Promise<AmqpLink>;
}

/** A link of rhea-promise. */
export interface AmqpLink {
  close(options?: unknown): Promise<void>;
}

/** A link of core-amqp for requests and their answers. */
export interface RequestLink {
  readonly connection: AmqpConnection;
  isOpen(): boolean;
  sendRequest(request: unknown, options?: Abortable): Promise<unknown>;
}

/** The client of core-amqp that sends tokens to the broker. */
export interface CbsClient {
  isOpen(): boolean;
  init(options?: Abortable): Promise<void>;
  negotiateClaim(audience: string, token: string, type: unknown, options?: Abortable): Promise<unknown>;
}

/** The SDK's client for management requests of one entity. */
export interface ManagementClient {
  readonly link?: RequestLink | undefined;
  createRheaLink(...options: unknown[]): Promise<RequestLink>;
  /** Closes its link, which the next request opens again. */
  close(): Promise<void>;
}

/** The user's `ServiceBusClient`. */
export interface SdkClient {
  close(): Promise<void>;
}

/** What all parts of one `ServiceBusClient` share. */
export interface ConnectionContext {
  connection: AmqpConnection;
  cbsSession: CbsClient;
  readonly managementClients?: Readonly<Record<string, ManagementClient>>;
  refreshConnection(): void;
  getManagementClient(entityPath: string): ManagementClient;
  waitForDisconnectedEvent?(): Promise<unknown>;
}

/** Options with a signal, which may be a polyfill. */
export interface Abortable {
  readonly abortSignal?: AbortSignal | undefined;
}

/** The context that all parts of the client share; `undefined` if there is none, as in another version or a wrapper. */
export function connectionContextOf(client: ServiceBusClientLike): ConnectionContext | undefined {
  const { _connectionContext } = client as { readonly _connectionContext?: Partial<ConnectionContext> };
  return typeof _connectionContext?.connection === "object"
    ? (_connectionContext as ConnectionContext)
    : undefined;
}

/** Describes the names that are not methods of the object; `undefined` if all are. */
export function missingMethods(what: string, object: object | undefined, names: readonly string[]) {
  const missing = names.filter(
    (name) => typeof (object as Record<string, unknown> | undefined)?.[name] !== "function",
  );
  return missing.length === 0 ? undefined : `the SDK's ${what} has no ${missing.join(", ")}`;
}
