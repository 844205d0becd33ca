import { Connection } from "rhea-promise";
import { type InnerConnection, innerOf } from "./connection-end.js";

type Open = Connection["open"] & { isRepaired?: boolean };

/**
 * Takes a connection that the broker closes for broken at once. By itself (`@azure/service-bus` 7.9.5, rhea-promise 3.0.3) the SDK opens it
 * again as long as its socket is not gone, with links of before: sends and requests that were waiting on those then ask for an address
 * that there is none of, in a timer where nobody can catch the `TypeError`, and the process ends.
 */
export function breakClosedConnections(): void {
  const open: Open = Connection.prototype.open;
  if (open.isRepaired) return;
  Connection.prototype.open = Object.assign(
    async function (this: Connection, options: Parameters<Open>[0]): Promise<Connection> {
      const connection = await open.call(this, options);
      const inner = innerOf(connection);
      if (inner?.listeners("connection_close").includes(onClosed) === false) {
        inner.once("connection_close", onClosed);
      }
      return connection;
    },
    { isRepaired: true },
  );
}

/** Who closes a connection is told so, too: then both ends are closed. */
function onClosed(this: InnerConnection): void {
  if (!this.is_closed()) this.abort_socket(this.socket);
}
