import { missingMethods, type RheaConnection } from "./sdk-internals.js";
import type { SdkPatch } from "./sdk-patch.js";

/**
 * Takes a connection that the broker closes for broken at once. By itself (`@azure/service-bus` 7.9.5, rhea-promise 3.0.3) the SDK opens it
 * again as long as its socket is not gone, with links of before: sends and requests that were waiting on those then ask for an address
 * that there is none of, in a timer where nobody can catch the `TypeError`, and the process ends.
 */
export const closedConnections: SdkPatch = {
  name: "closed-connections",
  obstacle: ({ connection: { _connection } }) =>
    missingMethods("AMQP connection", _connection, ["on", "is_closed", "abort_socket"]),
  connection(connection) {
    const { _connection: inner } = connection;
    // Not before it is open: whoever opens it listens for its close, and is notified first.
    const listen = () => {
      if (!inner.listeners("connection_close").includes(onClosed)) inner.once("connection_close", onClosed);
    };
    if (connection.isOpen()) listen();
    inner.on("connection_open", listen);
  },
};

/** Who closes a connection is notified, too: then both ends are closed. */
function onClosed(this: RheaConnection): void {
  // rhea arms the timer of its idle time-out when it has done with what came in, and would do so for a connection that is gone.
  process.nextTick(() => {
    if (!this.is_closed()) this.abort_socket(this.socket);
  });
}
