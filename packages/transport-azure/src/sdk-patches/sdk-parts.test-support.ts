import type { EventEmitter } from "node:events";
import type { ServiceBusClient } from "@azure/service-bus";

/** Internals of a client that tests inspect. */
export interface SdkParts {
  readonly connection: EventEmitter & {
    readonly _connection: { find_receiver(filter: (link: SdkLink) => boolean): SdkLink | undefined };
    readonly options: { operationTimeoutInSeconds: number };
    isOpen(): boolean;
    close(): Promise<void>;
  };
  readonly cbsSession: { isOpen(): boolean };
  readonly managementClients: Readonly<Record<string, { readonly link?: { isOpen(): boolean } }>>;
}

interface SdkLink {
  is_remote_open(): boolean;
}

/** The internals of a client, which its types hide. */
export function sdkParts(client: ServiceBusClient): SdkParts {
  return (client as unknown as { readonly _connectionContext: SdkParts })._connectionContext;
}

/** Whether a client is waiting for the broker to open a receiving link. */
export function isOpeningReceiver(client: ServiceBusClient): boolean {
  const { cbsSession, connection } = sdkParts(client);
  return (
    cbsSession.isOpen() &&
    connection._connection.find_receiver((link) => !link.is_remote_open()) !== undefined
  );
}

/** Shortens the one-minute timeouts of the SDK's libraries to a second. */
export function shortenTimeouts(client: ServiceBusClient): void {
  sdkParts(client).connection.options.operationTimeoutInSeconds = 1;
}
