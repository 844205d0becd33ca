import type { ServiceBusClientLike } from "../sdk/service-bus-client.js";
import { connectionContextOf } from "../sdk-patches/sdk-internals.js";

/** The connection of a client, which carries all links. */
export type ClientConnection = ReturnType<typeof clientConnection>;

/** The connection of a client, as far as it is accessible. The client creates a new one whenever one breaks. */
export function clientConnection(client: ServiceBusClientLike) {
  const current = () => connectionContextOf(client)?.connection._connection;
  return {
    /** Bytes received so far; undefined if unknown. */
    get bytesRead(): number | undefined {
      const socket = current()?.socket as { readonly bytesRead?: number } | undefined;
      return socket?.bytesRead;
    },
    /** Closes the socket, so that the client reconnects. Returns whether that is possible. */
    break(): boolean {
      const connection = current();
      if (typeof connection?.abort_socket !== "function" || connection.socket === undefined) return false;
      connection.abort_socket(connection.socket);
      return true;
    },
  };
}
