import { Connection, Receiver, Session } from "rhea-promise";
import { endOf } from "./connection-end.js";

type Close = ((this: unknown, options?: unknown) => Promise<void>) & { isRepaired?: boolean };

interface Closable {
  close: Close;
}

/**
 * Lets links, sessions and connections of rhea-promise, the AMQP library beneath the SDK, be closed when their connection breaks while they
 * are being closed. By themselves they then wait for ever, and so does `close()` of the SDK (3.0.3, `onDisconnected` in three methods
 * `close`).
 */
export function endClosesCutShort(): void {
  const link = Object.getPrototypeOf(Receiver.prototype) as Closable;
  repair(link, ({ connection }: Receiver) => connection);
  repair(Session.prototype as Closable, ({ connection }: Session) => connection);
  repair(Connection.prototype as Closable, (connection: Connection) => connection);
}

function repair<Entity>(prototype: Closable, connectionOf: (entity: Entity) => Connection): void {
  const { close } = prototype;
  if (close.isRepaired) return;
  prototype.close = Object.assign(
    function (this: unknown, options?: unknown): Promise<void> {
      const closed = close.call(this, options);
      const end = endOf(connectionOf(this as Entity));
      if (end === undefined) return closed;
      return new Promise((resolve, reject) => {
        const onEnd = () => resolve();
        end.addEventListener("abort", onEnd);
        closed.then(resolve, reject).finally(() => end.removeEventListener("abort", onEnd));
      });
    },
    { isRepaired: true },
  );
}
