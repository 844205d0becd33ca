import type { BrokerReceivedMessage } from "@waybill/broker";
import { AmqpRefusal } from "../refusals/error.js";

/**
 * The error for a message that cannot be encoded: senders in the broker's own process may use values without an AMQP form. A process
 * warning reports it without the values.
 */
export function unwritable({ entityPath, sequenceNumber }: BrokerReceivedMessage): AmqpRefusal {
  const text = `Message ${sequenceNumber} of '${entityPath}' holds a value that cannot be written as AMQP.`;
  process.emitWarning(text, { type: "WaybillWarning", code: "WAYBILL_UNWRITABLE_MESSAGE" });
  return new AmqpRefusal("amqp:internal-error", text, 500);
}
