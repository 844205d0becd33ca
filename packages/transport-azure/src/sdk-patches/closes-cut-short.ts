import { onAbort } from "@waybill/foundation";
import { endOf } from "./connection-end.js";
import { type AmqpConnection, missingMethods } from "./sdk-internals.js";
import type { SdkPatch } from "./sdk-patch.js";

interface Closable {
  close(options?: unknown): Promise<void>;
}

/**
 * Lets links, sessions and connections of rhea-promise, the AMQP library of the SDK, finish closing when their connection breaks meanwhile.
 * Without this patch they wait forever, and so does `close()` of the SDK (3.0.3, `onDisconnected` in three methods `close`).
 */
export const closesCutShort: SdkPatch = {
  name: "closes-cut-short",
  obstacle: ({ connection }) =>
    missingMethods("AMQP connection", connection, ["close", "createSession"]) ??
    missingMethods("AMQP connection", connection._connection, ["on", "off"]),
  connection: (connection) => endClose(connection, connection),
  session: endClose,
  link: endClose,
};

function endClose(part: Closable, connection: AmqpConnection): void {
  const { close } = part;
  part.close = function (options) {
    const end = endOf(connection);
    return new Promise((resolve, reject) => {
      const stopListening = onAbort(end, () => resolve());
      close.call(this, options).then(resolve, reject).finally(stopListening);
    });
  };
}
