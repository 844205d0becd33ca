import type { Broker } from "@waybill/broker";
import { defineMessage, type PipelineOptions, type Transport } from "@waybill/core";

/** A message type in two versions. */
const parcel = defineMessage("parcel", { version: 2, upcasters: { 1: (body) => body } });

/** The chain of the demo, which knows this message type, too; all other messages are untyped. */
export function withParcels(options: PipelineOptions): PipelineOptions<typeof parcel> {
  const { schemas } = options;
  const schemaOf = typeof schemas === "function" ? schemas : () => undefined;
  return {
    ...options,
    schemas: (message) => (message.messageType === parcel.name ? undefined : schemaOf(message)),
    messageTypes: [parcel],
    messageTypePolicies: { unknown: "pass" },
  };
}

/** Fills a queue with messages of both versions. */
export async function fillParcels(broker: Broker, transport: Transport): Promise<void> {
  await broker.createQueue("parcels");
  const body = new TextEncoder().encode('{"id":1}');
  await transport.createSender("parcels").send(
    [1, 2, 2].map((messageVersion, index) => ({
      messageId: `parcel-${index}`,
      subject: "parcel",
      contentType: "application/json",
      applicationProperties: { messageVersion },
      body,
    })),
  );
}
