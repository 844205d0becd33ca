import { type SessionReceiver, WaybillClient, WaybillError } from "@waybill/core";
import { UsageError } from "../../errors/usage-error.js";
import { parseEntity } from "../../input/parse-entity.js";
import type { BrokerContext } from "../action-context.js";

/** How long to wait for the lock of a session. */
const maxWaitTimeInMs = 5_000;

/** Calls `work` with the receiver of a session, whose lock it gives back afterwards. */
export async function withSession<Result>(
  { transport, pipeline, abortSignal }: BrokerContext,
  path: string,
  sessionId: string,
  work: (receiver: SessionReceiver) => Promise<Result>,
): Promise<Result> {
  const address = parseEntity(path);
  if (address.subQueue !== undefined) throw new UsageError("A dead-letter queue has no sessions.");
  await using client = new WaybillClient(transport, { pipeline });
  const options = { maxWaitTimeInMs, abortSignal };
  try {
    await using receiver =
      "queue" in address
        ? await client.acceptSession(address.queue, sessionId, options)
        : await client.acceptSession(address.topic, address.subscription, sessionId, options);
    return await work(receiver);
  } catch (error) {
    if (!(error instanceof WaybillError) || error.code !== "session-cannot-be-locked") throw error;
    throw new WaybillError(
      error.code,
      `Another receiver holds session ${sessionId}: try again when it has given it back.`,
      {
        cause: error,
      },
    );
  }
}
