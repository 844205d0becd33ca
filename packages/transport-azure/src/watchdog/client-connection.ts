import type { ServiceBusClientLike } from "../sdk/service-bus-client.js";
import { connectionContextOf } from "../sdk-patches/sdk-internals.js";
import type { WatchedConnection } from "./watched-link.js";

/** The connection of a client, as far as it is accessible. The client creates a new one whenever one breaks. */
export function clientConnection(client: ServiceBusClientLike): WatchedConnection {
  const current = () => connectionContextOf(client)?.connection._connection;
  return {
    get bytesRead() {
      const socket = current()?.socket as { readonly bytesRead?: number } | undefined;
      return socket?.bytesRead;
    },
    break() {
      const connection = current();
      if (typeof connection?.abort_socket !== "function" || connection.socket === undefined) return false;
      connection.abort_socket(connection.socket);
      return true;
    },
  };
}
