import { WaybillError } from "@waybill/core";
import type { RepairTarget } from "@waybill/migration/repair";
import type { ExplorerContext } from "../options/explorer-options.js";
import { withReceiver } from "./peek.js";

/** Whether the connection may send somewhere. */
export interface SendRight {
  readonly answer: "yes" | "no" | "not-known";
  /** Why not, or why it is not known. */
  readonly why?: string;
}

/** Asks the broker whether this connection may send to a queue or topic: opens a sender, and sends nothing. */
export async function maySend(
  { transport }: Pick<ExplorerContext, "transport">,
  queueOrTopic: string,
  abortSignal?: AbortSignal,
): Promise<SendRight> {
  const sender = transport.createSender(queueOrTopic);
  try {
    await sender.createBatch({ abortSignal });
    return { answer: "yes" };
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
    if (error.code === "unauthorized")
      return {
        answer: "no",
        why: `The key of this connection may not send to ${queueOrTopic}: it lacks the Send claim.`,
      };
    if (error.code === "entity-not-found")
      return { answer: "no", why: `There is no queue or topic ${queueOrTopic}.` };
    return { answer: "not-known", why: `${error.code}: ${error.text}` };
  } finally {
    await sender.close();
  }
}

/** The same of the target of a repair, a subscription included: that it is there is seen by peeking, which needs the Listen claim. */
export async function mayReach(
  context: Pick<ExplorerContext, "transport">,
  target: RepairTarget,
  abortSignal?: AbortSignal,
): Promise<SendRight> {
  const right = await maySend(context, "queue" in target ? target.queue : target.topic, abortSignal);
  if (right.answer === "no" || "queue" in target || target.subscription === undefined) return right;
  const { topic, subscription } = target;
  try {
    await withReceiver(context, { topic, subscription }, (receiver) =>
      receiver.peek({ maxMessages: 1, abortSignal }),
    );
    return right;
  } catch (error) {
    if (!(error instanceof WaybillError) || error.code === "aborted") throw error;
    return error.code === "entity-not-found"
      ? { answer: "no", why: `The topic ${topic} has no subscription ${subscription}.` }
      : { answer: "not-known", why: `${error.code}: ${error.text}` };
  }
}
