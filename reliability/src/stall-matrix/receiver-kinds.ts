import { type WaybillClient, WaybillError } from "@waybill/core";
import { pause } from "waybill-harness/waiting.js";

/** One way to receive messages. */
export interface ReceiverKind {
  readonly isSession: boolean;
  /** Receives until it is stopped, and calls `take` with each body. */
  receive(client: WaybillClient, take: (body: unknown) => void, signal: AbortSignal): Promise<void> | void;
}

/** The ways to receive messages, each as an application would write it. */
export const receiverKinds: Readonly<Record<string, ReceiverKind>> = {
  receiver: {
    isSession: false,
    async receive(client, take, signal) {
      const receiver = client.createReceiver("orders");
      while (!signal.aborted) {
        const messages = await receiver.receiveMessages(10, { abortSignal: signal }).catch(orNone);
        for (const message of messages) {
          take(message.body);
          await receiver.completeMessage(message).catch(orNone);
        }
      }
    },
  },
  processor: {
    isSession: false,
    receive(client, take) {
      const handlers = { processMessage: ({ body }: { body: unknown }) => take(body), processError() {} };
      client.createReceiver("orders").subscribe(handlers, { maxConcurrentCalls: 5 });
    },
  },
  "session receiver": {
    isSession: true,
    /** Accepts the session again when its lock was lost, which applications must do themselves. */
    async receive(client, take, signal) {
      while (!signal.aborted) {
        const accepted = client.acceptSession("orders", "a", { abortSignal: signal });
        const session = await accepted.catch(() => undefined);
        if (session === undefined) {
          await pause(100);
          continue;
        }
        try {
          for (;;) {
            for (const message of await session.receiveMessages(10, { abortSignal: signal })) {
              take(message.body);
              await session.completeMessage(message);
            }
          }
        } catch (error) {
          if (!(error instanceof WaybillError)) throw error;
        }
        await session.close().catch(() => {});
      }
    },
  },
  "session processor": {
    isSession: true,
    receive(client, take) {
      const handlers = { processMessage: ({ body }: { body: unknown }) => take(body), processError() {} };
      client.subscribeSessions("orders", handlers, { maxConcurrentSessions: 2 });
    },
  },
};

function orNone(error: unknown): never[] {
  if (error instanceof WaybillError) return [];
  throw error;
}
