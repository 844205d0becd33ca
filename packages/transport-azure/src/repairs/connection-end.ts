import type { EventEmitter } from "node:events";
import type { Connection } from "rhea-promise";
import { controllerForMany } from "../controller-for-many.js";

/** A connection of rhea, in which one of rhea-promise is wrapped. */
export interface InnerConnection extends EventEmitter {
  readonly socket: unknown;
  is_closed(): boolean;
  abort_socket(socket: unknown): void;
}

/** Where it is; not part of the types. */
interface WithInner {
  readonly _connection?: InnerConnection;
}

/** What rhea-promise wraps; `undefined` should that change one day. */
export function innerOf(connection: Connection): InnerConnection | undefined {
  return (connection as unknown as WithInner)._connection;
}

const ends = new WeakMap<Connection, AbortSignal>();

/** Aborts when the connection breaks or has ended; `undefined` where nobody would tell. One listener on the connection serves all. */
export function endOf(connection: Connection): AbortSignal | undefined {
  const known = ends.get(connection);
  if (known !== undefined) return known;
  const inner = innerOf(connection);
  if (inner === undefined) return undefined;
  const controller = controllerForMany();
  ends.set(connection, controller.signal);
  inner.once("disconnected", () => {
    // It may be opened again.
    ends.delete(connection);
    controller.abort();
  });
  return controller.signal;
}
