import { AmqpMap } from "@waybill/amqp";
import type { DeadLetterOptions } from "@waybill/broker";
import { fromAmqpProperties, keyText, textOf } from "./application-properties.js";
import { checkChangedProperties } from "./check-properties.js";

const REASON = "DeadLetterReason";
const DESCRIPTION = "DeadLetterErrorDescription";

/** Reads the error info of a rejected outcome: the dead-letter reason and description, and the properties to modify. */
export function readDeadLetterInfo(info: AmqpMap | undefined): DeadLetterOptions {
  if (info === undefined) return {};
  const others = new AmqpMap(
    info.entries.filter(([key]) => keyText(key) !== REASON && keyText(key) !== DESCRIPTION),
  );
  checkChangedProperties(others);
  return {
    reason: textOf(info.get(REASON)),
    description: textOf(info.get(DESCRIPTION)),
    ...(others.size > 0 && { propertiesToModify: fromAmqpProperties(others) }),
  };
}
