import type { DeadLetterOptions } from "@waybill/broker";
import type { EveryProperty, MessageReceiver } from "@waybill/broker/front-end";
import { readChangedProperties } from "../../messages/check-properties.js";
import { badRequest } from "../../refusals/error.js";
import { inTurns } from "./in-turns.js";
import { holderOf, type ManagementReply, type ManagementRequest } from "./request.js";

/** Settles messages by lock token: deferred ones, and those whose link has ended. */
export async function updateDisposition(request: ManagementRequest): Promise<ManagementReply> {
  const settle = settlementOf(request);
  const receiver = holderOf(request);
  await inTurns(request.body.uuids("lock-tokens"), request.pause, (token) => settle(receiver, token));
  return { statusCode: 200 };
}

type Settlement = (receiver: MessageReceiver, lockToken: string) => Promise<void>;

function settlementOf({ body, transaction }: ManagementRequest): Settlement {
  const changes = readChangedProperties(body.optionalMap("properties-to-modify"));
  const status = body.text("disposition-status");
  switch (status) {
    case "completed":
      return (receiver, token) => receiver.complete(token, transaction);
    case "abandoned":
      return (receiver, token) => receiver.abandon(token, changes, transaction);
    // The spelling used on the wire.
    case "defered":
      return (receiver, token) => receiver.defer(token, changes, transaction);
    case "suspended": {
      const reason = body.optionalText("deadletter-reason");
      const description = body.optionalText("deadletter-description");
      const options = {
        reason,
        description,
        propertiesToModify: changes,
      } satisfies EveryProperty<DeadLetterOptions>;
      return (receiver, token) => receiver.deadLetter(token, options, transaction);
    }
    default:
      throw badRequest(`'${status}' is not a disposition-status.`);
  }
}
