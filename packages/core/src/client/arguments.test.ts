import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import { createFixture } from "../../test/fixture.js";

// Arguments that TypeScript refuses, but JavaScript does not.
const missing = undefined as never;

describe("a client refuses immediately, with a TypeError that names what is missing,", () => {
  it("missing options", () => {
    const transport = localTransport(createBroker());
    expect(() => new WaybillClient(transport, missing)).toThrow(
      new TypeError("A client needs options: a serializer at least, or a pipeline."),
    );
  });

  it("additional deserializers that are not an array", () => {
    const transport = localTransport(createBroker());
    const options = { serializer: json(), additionalDeserializers: json() as never };
    expect(() => new WaybillClient(transport, options)).toThrow(
      new TypeError("additionalDeserializers must be an array of serializers."),
    );
  });

  it.each([
    ["nothing", undefined],
    ["a broker", createBroker()],
  ])("%s instead of a transport", (_, transport) => {
    expect(() => new WaybillClient(transport as never, { serializer: json() })).toThrow(
      new TypeError(
        "A client needs a transport, as azureTransport(serviceBusClient) or localTransport(broker) make.",
      ),
    );
  });

  it("an entity without a name", async () => {
    await using fixture = await createFixture();
    const refusal = new TypeError("The queue or topic must be named by a string; got undefined.");
    expect(() => fixture.client.createSender(missing)).toThrow(refusal);
    expect(() => fixture.client.createReceiver(missing)).toThrow(refusal);
    await expect(fixture.client.acceptNextSession(missing)).rejects.toThrow(refusal);
  });

  it("an unknown sub-queue", async () => {
    await using fixture = await createFixture();
    expect(() => fixture.client.createReceiver("orders", { subQueueType: "deadletter" as never })).toThrow(
      new TypeError('subQueueType must be "deadLetter" or "transferDeadLetter", not "deadletter".'),
    );
  });

  it("a session without an id, instead of accepting the next one", async () => {
    await using fixture = await createFixture();
    await expect(fixture.client.acceptSession("orders", missing)).rejects.toThrow(
      new TypeError("The session must be named by a string; got undefined."),
    );
  });

  it.each([7, "7", undefined])(
    "the sequence number %s, which is not a bigint, instead of ignoring it",
    async (number) => {
      await using fixture = await createFixture();
      const refusal = new TypeError(`A sequence number must be a bigint; got ${typeof number}.`);
      const sender = fixture.client.createSender("orders");
      await expect(sender.cancelScheduledMessages(number as never)).rejects.toThrow(refusal);
      const receiver = fixture.client.createReceiver("orders");
      await expect(receiver.receiveDeferredMessages([number] as never)).rejects.toThrow(refusal);
    },
  );
});
