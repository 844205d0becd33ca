import { createPipeline, defineMessage, type EncodedMessage, type MessageTypeResolver } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { z } from "zod";

// #region resolver
/** Messages of another bus: a JSON envelope names the type as `urn:shop:<name>:v<version>`. */
const urns: MessageTypeResolver = {
  identify: () => undefined,
  stamp: () => ({}),
  wrap: (message, { messageType, version }) => ({
    messageType: `urn:shop:${messageType}:v${version}`,
    message,
  }),
  open(body) {
    const { messageType: urn, message } = body as { messageType?: unknown; message?: unknown };
    const [, messageType, version] = /^urn:shop:([\w-]+):v(\d+)$/.exec(String(urn)) ?? [];
    return messageType === undefined ? undefined : { messageType, version: Number(version), body: message };
  },
};
// #endregion

const orderPlaced = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: z.object({ id: z.number() }) },
});
const pipeline = createPipeline({
  serializer: json(),
  messageTypes: [orderPlaced],
  messageTypeResolver: urns,
});
const message = pipeline.serialize(orderPlaced.message({ id: 7 })) as EncodedMessage;
console.log(new TextDecoder().decode(message.body as Uint8Array));
const outcome = await pipeline.deserialize(message);
console.log(outcome.status === "decoded" && outcome.body, outcome.report.messageVersion);
// {"messageType":"urn:shop:order-placed:v1","message":{"id":7}}
// { id: 7 } 1
