import { setImmediate } from "node:timers/promises";
import type { Transport } from "@waybill/core";
import type { TransportReceiver } from "@waybill/core/transport";

/**
 * A transport that lets the event loop turn before each peek: a broker in the same process answers at once, so peeking a long queue would block
 * all other requests.
 */
export function withTurns(transport: Transport): Transport {
  return withMethods(transport, {
    createReceiver: (...settings) => turning(transport.createReceiver(...settings)),
  });
}

function turning(receiver: TransportReceiver): TransportReceiver {
  return withMethods(receiver, {
    async peek(options) {
      await setImmediate();
      return await receiver.peek(options);
    },
  });
}

/** An object with some methods replaced; the others are bound to the original object, which may have private members. */
function withMethods<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const owner: object = Object.hasOwn(methods, name) ? methods : target;
      const value: unknown = Reflect.get(owner, name, owner);
      return typeof value === "function" ? value.bind(owner) : value;
    },
  });
}
