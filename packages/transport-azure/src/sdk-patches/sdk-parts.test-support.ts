import type { EventEmitter } from "node:events";
import type { ServiceBusClient } from "@azure/service-bus";

/** What tests look at beneath a client. */
export interface SdkParts {
  readonly connection: EventEmitter & {
    readonly _connection: { find_receiver(filter: (link: SdkLink) => boolean): SdkLink | undefined };
    readonly options: { operationTimeoutInSeconds: number };
    isOpen(): boolean;
    close(): Promise<void>;
  };
  readonly cbsSession: { isOpen(): boolean };
}

interface SdkLink {
  is_remote_open(): boolean;
}

/** What lies beneath a client; its types do not tell. */
export function sdkParts(client: ServiceBusClient): SdkParts {
  return (client as unknown as { readonly _connectionContext: SdkParts })._connectionContext;
}

/** Whether a client waits for the broker to open a link on which it receives. */
export function isOpeningReceiver(client: ServiceBusClient): boolean {
  const { cbsSession, connection } = sdkParts(client);
  return (
    cbsSession.isOpen() &&
    connection._connection.find_receiver((link) => !link.is_remote_open()) !== undefined
  );
}

/** Lets what the SDK's libraries wait a minute for take a second. */
export function shortenTimeouts(client: ServiceBusClient): void {
  sdkParts(client).connection.options.operationTimeoutInSeconds = 1;
}
