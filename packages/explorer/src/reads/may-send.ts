import { WaybillError } from "@waybill/core";
import type { ExplorerContext } from "../options/explorer-options.js";

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
