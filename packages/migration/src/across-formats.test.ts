import type { EncodedMessage } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { order, orderPlaced, ordersPipeline } from "../test/orders.js";

describe("one message type in three formats", () => {
  const pipeline = ordersPipeline();
  const write = (serializer: string, version: number) =>
    pipeline.serialize(orderPlaced.message(order(7)), { writeAs: { serializer, version } }) as EncodedMessage;

  it.each([
    { serializer: "json", version: 1, contentType: "application/json", upcastPath: [1, 2, 3] },
    { serializer: "avro", version: 2, contentType: "application/avro", upcastPath: [2, 3] },
    { serializer: "msgpack", version: 3, contentType: "application/vnd.msgpack", upcastPath: [] },
  ])("is written as $serializer version $version and read as the current one", (target) => {
    const { serializer, version, contentType, upcastPath } = target;
    const message = write(serializer, version);
    expect(message).toMatchObject({
      subject: "order-placed",
      contentType,
      applicationProperties: { messageVersion: version },
    });
    const expected = {
      status: "decoded",
      body: order(7),
      report: { serializer, messageVersion: version, upcastPath },
    };
    expect(pipeline.deserialize(message)).toMatchObject(expected);
    expect(pipeline.deserialize({ ...message, contentType: undefined })).toMatchObject(expected);
  });

  it("takes the writer's schema from the definition: a body that breaks it is not upcast", () => {
    const broken = { ...write("json", 1), body: new TextEncoder().encode('{"id":"7","total":"1"}') };
    expect(pipeline.deserialize(broken)).toMatchObject({ reason: "ValidationFailed" });
    const mislabelled = { ...write("avro", 2), applicationProperties: { messageVersion: 1 } };
    expect(pipeline.deserialize(mislabelled)).toMatchObject({ reason: "DeserializationFailed" });
  });

  it("refuses to write what the schema of the target does not hold", () => {
    const tooMuch = orderPlaced.message(order(2 ** 40));
    expect(() => pipeline.serialize(tooMuch, { writeAs: { serializer: "avro", version: 2 } })).toThrow(
      '[serialization-failed] avro: The value does not fit the Avro schema: "id" is a value of kind number where int is expected.',
    );
  });
});
