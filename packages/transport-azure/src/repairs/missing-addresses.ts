import { Receiver } from "rhea-promise";

interface Link {
  readonly source?: { readonly address?: string };
}

/**
 * Makes links of rhea-promise, the AMQP library beneath the SDK, tell no address where they have none, instead of throwing. A link has none
 * after the broker closed the connection and the SDK opened it anew before the socket was gone. Who asks for it are timers and listeners
 * that write the text of an error, of sends and of requests that wait for an answer: the throw ends the process (3.0.3, `address` in
 * `link.js`).
 */
export function tolerateMissingAddresses(): void {
  Object.defineProperty(Object.getPrototypeOf(Receiver.prototype), "address", {
    configurable: true,
    get(this: Link): string | undefined {
      return this.source?.address;
    },
  });
}
