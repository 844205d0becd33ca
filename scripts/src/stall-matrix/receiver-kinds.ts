import { type WaybillClient, WaybillError } from "@waybill/core";
import { pause } from "../run/waiting.js";

/** Receives until it is stopped, and hands over each body. */
export type Receive = (
  client: WaybillClient,
  take: (body: unknown) => void,
  signal: AbortSignal,
) => Promise<void> | void;

/** The ways to receive, each as an application would write it. */
export const receiverKinds: Readonly<
  Record<string, { readonly isSession: boolean; readonly receive: Receive }>
> = {
  receiver: { isSession: false, receive: byCalls },
  processor: { isSession: false, receive: byProcessor },
  "session receiver": { isSession: true, receive: bySession },
  "session processor": { isSession: true, receive: bySessionProcessor },
};

async function byCalls(
  client: WaybillClient,
  take: (body: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const receiver = client.createReceiver("orders");
  while (!signal.aborted) {
    const messages = await receiver.receiveMessages(10, { abortSignal: signal }).catch(orNone);
    for (const message of messages) {
      take(message.body);
      await receiver.completeMessage(message).catch(orNone);
    }
  }
}

function byProcessor(client: WaybillClient, take: (body: unknown) => void): void {
  const processMessage = ({ body }: { body: unknown }) => take(body);
  client.createReceiver("orders").subscribe({ processMessage, processError() {} }, { maxConcurrentCalls: 5 });
}

/** Accepts the session again when it was lost, which is the application's to do. */
async function bySession(
  client: WaybillClient,
  take: (body: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const session = await client.acceptSession("orders", "a", { abortSignal: signal }).catch(() => undefined);
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
}

function bySessionProcessor(client: WaybillClient, take: (body: unknown) => void): void {
  const processMessage = ({ body }: { body: unknown }) => take(body);
  client.subscribeSessions("orders", { processMessage, processError() {} }, { maxConcurrentSessions: 2 });
}

function orNone(error: unknown): never[] {
  if (error instanceof WaybillError) return [];
  throw error;
}
