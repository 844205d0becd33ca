import { type EntityAddress, parseEntityPath } from "@waybill/core/transport";
import { RequestError } from "./request-error.js";

/** Longer than any path of an entity with its subscription and sub-queue. */
const maxLength = 400;

/** Reads `orders`, `events/Subscriptions/billing` or `orders/$DeadLetterQueue`. Throws `RequestError`. */
export function addressAt(path: string): EntityAddress {
  const address = path.length > maxLength ? undefined : parseEntityPath(path);
  if (address !== undefined) return address;
  throw new RequestError(
    400,
    "entity must be a queue or topic/Subscriptions/name, optionally followed by /$DeadLetterQueue.",
  );
}
