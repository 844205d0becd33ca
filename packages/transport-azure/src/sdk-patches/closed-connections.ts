import { missingMethods, type RheaConnection } from "./sdk-internals.js";
import type { SdkPatch } from "./sdk-patch.js";

/**
 * Treats a connection that the broker closes as broken at once. Without this patch (`@azure/service-bus` 7.9.5, rhea-promise 3.0.3), the
 * SDK reopens the connection while its socket still exists, with its old links. Pending sends and requests on those links then read an
 * address that no longer exists, in a timer where the `TypeError` cannot be caught, and the process ends.
 */
export const closedConnections: SdkPatch = {
  name: "closed-connections",
  obstacle: ({ connection: { _connection } }) =>
    missingMethods("AMQP connection", _connection, ["on", "is_closed", "abort_socket"]),
  connection(connection) {
    const { _connection: inner } = connection;
    // Not before it is open: until then, the code that opens it handles its close, and must be notified first.
    const listen = () => {
      if (!inner.listeners("connection_close").includes(onClosed)) inner.once("connection_close", onClosed);
    };
    if (connection.isOpen()) listen();
    inner.on("connection_open", listen);
  },
};

/** Also called when this side closes the connection: then both ends are closed. */
function onClosed(this: RheaConnection): void {
  // rhea arms its idle timer after processing input, and would do so for a connection that no longer exists.
  process.nextTick(() => {
    if (!this.is_closed()) this.abort_socket(this.socket);
  });
}
