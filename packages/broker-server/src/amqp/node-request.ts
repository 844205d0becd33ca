import type { AmqpMap, AmqpValue, IncomingDelivery } from "@waybill/amqp";

/** A request to `$cbs` or a management node. */
export interface NodeRequest {
  readonly applicationProperties: AmqpMap | undefined;
  readonly body: AmqpValue | undefined;
  readonly state: IncomingDelivery["state"];
}
