import { Buffer } from "node:buffer";
import {
  acceptedState,
  type DeliveryState,
  type IncomingDelivery,
  isDescribed,
  isTyped,
  type ReceiverLink,
  rejected,
  scanMessage,
} from "@waybill/amqp";
import { AmqpRefusal, toAmqpError } from "../../refusals/error.js";
import type { Peer } from "../peer.js";

const declareCode = 0x31n;
const dischargeCode = 0x32n;
const creditWindow = 100;

/** Accepts a link on which a client begins and ends transactions (4.2). When the link ends, open ones are rolled back. */
export function acceptCoordinator(peer: Peer, link: ReceiverLink): void {
  const begun = new Set<Uint8Array>();
  link.handler = {
    onTransfer(delivery) {
      control(peer, delivery, begun).then(
        (state) => link.settle(delivery, state),
        (error: unknown) => link.settle(delivery, rejected(toAmqpError(error, peer))),
      );
    },
    onDetach() {
      for (const id of begun) peer.transactions.abandon(id, (end) => peer.endLater(end));
    },
  };
  link.accept({ creditWindow: creditWindow });
}

async function control(
  peer: Peer,
  { message }: IncomingDelivery,
  begun: Set<Uint8Array>,
): Promise<DeliveryState> {
  const [order] = scanMessage(message).decodeBody();
  const code =
    isDescribed(order) && isTyped(order.descriptor) && order.descriptor.type === "ulong"
      ? order.descriptor.value
      : undefined;
  const fields = isDescribed(order) && Array.isArray(order.value) ? order.value : [];
  if (code === declareCode) {
    const transactionId = peer.transactions.declare();
    begun.add(transactionId);
    return { kind: "declared", transactionId };
  }
  const [id, fail] = fields;
  if (code !== dischargeCode || !(id instanceof Uint8Array)) {
    throw new AmqpRefusal("amqp:not-implemented", "A coordinator takes declare and discharge only.");
  }
  await peer.transactions.discharge(id, fail === true);
  for (const known of begun) if (Buffer.compare(known, id) === 0) begun.delete(known);
  return acceptedState;
}
