import { createRequire } from "node:module";
import * as coreAmqp from "@azure/core-amqp";
import { innerOf } from "./closed-connections.js";

type SendRequest = coreAmqp.RequestResponseLink["sendRequest"] & { isRepaired?: boolean };

/**
 * Lets requests fail when their connection breaks. By itself the SDK waits for the answer until the request's time-out. For a request that
 * has to do with opening a link that is a minute, whatever the client's options, in which the client restores the connection for nobody
 * (`@azure/service-bus` 7.9.5, `disconnected` in `connectionContext.js`).
 */
export function failUnansweredRequests(): void {
  repair(coreAmqp);
  // The SDK takes the package's other copy, for `require`, where it is taken so itself.
  repair(createRequire(import.meta.url)("@azure/core-amqp"));
}

function repair({ RequestResponseLink }: typeof coreAmqp): void {
  const { prototype } = RequestResponseLink;
  const sendRequest: SendRequest = prototype.sendRequest;
  if (sendRequest.isRepaired) return;
  prototype.sendRequest = Object.assign(
    async function (this: coreAmqp.RequestResponseLink, ...[request, options]: Parameters<SendRequest>) {
      const inner = innerOf(this.connection);
      if (inner === undefined) return sendRequest.call(this, request, options);
      if (!this.isOpen()) throw connectionLost();
      const ending = new AbortController();
      const { abortSignal } = options ?? {};
      const end = () => ending.abort();
      inner.once("disconnected", end);
      abortSignal?.addEventListener("abort", end);
      try {
        if (abortSignal?.aborted) end();
        return await sendRequest.call(this, request, { ...options, abortSignal: ending.signal });
      } catch (error) {
        if (!ending.signal.aborted || abortSignal?.aborted) throw error;
        throw connectionLost();
      } finally {
        inner.removeListener("disconnected", end);
        abortSignal?.removeEventListener("abort", end);
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
