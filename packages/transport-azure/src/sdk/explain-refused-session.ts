import { WaybillError } from "@waybill/core";
import { toAzureError } from "./azure-error.js";
import type { ServiceBusReceiverLike } from "./service-bus-client.js";

/**
 * Finds out why a session could not be locked: the SDK always says that another receiver may hold it. Resolves with `entity-not-found`,
 * `operation-invalid` for an entity without sessions, or the original error.
 */
export async function explainRefusedSession(
  refusal: WaybillError,
  receiver: ServiceBusReceiverLike,
  entityPath: string,
): Promise<WaybillError> {
  try {
    const [message] = await receiver.peekMessages(1);
    // Every message of an entity with sessions is in one.
    const hasSessions =
      message === undefined
        ? await refusesPlainReceiver(receiver, entityPath)
        : message.sessionId !== undefined;
    if (hasSessions) return refusal;
    const text = "The entity has no sessions.";
    return new WaybillError("operation-invalid", text, { cause: refusal, entityPath });
  } catch (error) {
    return toAzureError(error, entityPath);
  } finally {
    await receiver.close().catch(() => {});
  }
}

/** Called only while the entity is empty, so that it locks no message. */
async function refusesPlainReceiver(receiver: ServiceBusReceiverLike, entityPath: string): Promise<boolean> {
  try {
    const messages = await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 });
    await Promise.all(messages.map((message) => receiver.abandonMessage(message)));
    return false;
  } catch (error) {
    if (toAzureError(error, entityPath).code === "operation-invalid") return true;
    throw error;
  }
}
