import { amqpError } from "../sdk/amqp-error.js";
import { type LinkDelivery, linkDeliveryOf } from "./link-delivery.js";
import { isTraced } from "./sdk-tracing.js";
import type { Settlement } from "./settlement.js";
import type { SettlementsUnderWay } from "./settlements-under-way.js";

/** How long an open link may go without an answer, in milliseconds: as long as requests may with `azureRetryOptions`. */
const timeoutMs = 15_000;

/** Where a delivery keeps the settlement that waits for its answer. */
const waiting = Symbol("waiting");

interface CompletedDelivery extends LinkDelivery {
  [waiting]?: undefined | { readonly settlement: Settlement; readonly underWay: SettlementsUnderWay };
}

const heard = new WeakSet<object>();

/**
 * Completes a message by accepting the delivery that it came with. That is all the SDK does in the end, but to each message it gives a
 * span, a retry, several promises, a timer and an entry in a table: a fifth of what receiving a message costs.
 *
 * Returns `false`, and does nothing, where only the SDK can: the message has no delivery on an open link or was settled before, or the
 * application has the SDK traced.
 */
export function completeOnLink(settlement: Settlement, underWay: SettlementsUnderWay): boolean {
  const delivery = linkDeliveryOf(settlement.delivery.message);
  if (!canBeAccepted(delivery) || isTraced()) return false;
  const { link } = delivery;
  if (!heard.has(link)) {
    heard.add(link);
    link.on("settled", onSettled);
  }
  delivery[waiting] = { settlement, underWay };
  underWay.watch(settlement, timeoutMs);
  delivery.accept();
  return true;
}

function canBeAccepted(
  delivery: Partial<LinkDelivery> | undefined,
): delivery is CompletedDelivery & Required<LinkDelivery> {
  return (
    delivery?.remote_settled === false &&
    typeof delivery.accept === "function" &&
    typeof delivery.link?.on === "function" &&
    delivery.link.is_open?.() === true
  );
}

function onSettled({ delivery }: { delivery: CompletedDelivery }): void {
  const completed = delivery[waiting];
  if (completed === undefined) return;
  delivery[waiting] = undefined;
  const { settlement, underWay } = completed;
  const error = delivery.remote_state?.error;
  if (error?.condition || error?.description) underWay.failed(settlement, amqpError(error));
  else underWay.succeeded(settlement);
}
