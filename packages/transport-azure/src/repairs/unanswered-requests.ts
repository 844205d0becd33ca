import { createRequire } from "node:module";
import * as coreAmqp from "@azure/core-amqp";
import { endOf } from "./connection-end.js";

type SendRequest = coreAmqp.RequestResponseLink["sendRequest"] & { isRepaired?: boolean };

/**
 * Lets requests fail when their connection breaks. By itself the SDK waits for the answer until the request's time-out. For a request that
 * has to do with opening a link that is a minute, whatever the client's options, in which the client restores the connection for nobody
 * (`@azure/service-bus` 7.9.5, `disconnected` in `connectionContext.js`).
 */
export function failUnansweredRequests(): void {
  repair(coreAmqp);
  // The SDK takes the package's other copy, for `require`, where it is taken so itself.
  try {
    repair(createRequire(import.meta.url)("@azure/core-amqp"));
  } catch {
    // In a bundle, which has no packages beside it.
  }
}

function repair({ RequestResponseLink }: typeof coreAmqp): void {
  const { prototype } = RequestResponseLink;
  const sendRequest: SendRequest = prototype.sendRequest;
  if (sendRequest.isRepaired) return;
  prototype.sendRequest = Object.assign(
    async function (this: coreAmqp.RequestResponseLink, ...[request, options]: Parameters<SendRequest>) {
      const end = endOf(this.connection);
      if (end === undefined) return sendRequest.call(this, request, options);
      if (!this.isOpen()) throw connectionLost();
      // The caller's signal need not be the platform's.
      const caller = options?.abortSignal;
      const ending = new AbortController();
      const abort = () => ending.abort();
      end.addEventListener("abort", abort);
      caller?.addEventListener("abort", abort);
      try {
        if (caller?.aborted) abort();
        return await sendRequest.call(this, request, { ...options, abortSignal: ending.signal });
      } catch (error) {
        throw end.aborted && !caller?.aborted ? connectionLost() : error;
      } finally {
        end.removeEventListener("abort", abort);
        caller?.removeEventListener("abort", abort);
      }
    },
    { isRepaired: true },
  );
}

/** As the SDK tells of it, which tries again. */
function connectionLost(): Error {
  const description = "The connection broke before the answer came.";
  return coreAmqp.translate({ condition: "amqp:connection:forced", description });
}
