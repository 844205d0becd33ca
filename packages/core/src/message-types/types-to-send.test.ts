import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createFixture, type Fixture } from "../../test/fixture.js";
import type { Serializer } from "../contracts/serializer.js";
import type { EncodedMessage } from "../message/message.js";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson } from "../plain-json.test-support.js";
import { bodyType, defineMessage } from "./define-message.js";

const v1 = z.object({ total: z.number() });
const toCents = ({ total }: { total: number }) => ({ cents: Math.round(total * 100) });

const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: { 1: v1, 2: { body: z.object({ cents: z.number().int() }), json: { type: "object" } } },
  upcasters: { 1: toCents },
  aliases: ["OrderPlaced"],
});
const before = defineMessage("order-placed", { version: 1, schemas: { 1: v1 } });
const stamped = { subject: "order-placed", applicationProperties: { messageVersion: 2 } };

/** The next message, as a client that knows the type receives it. */
async function next(fixture: Fixture, queue = "orders") {
  const reader = fixture.clientWith({ messageTypes: [orderPlaced] });
  const [message] = await reader.createReceiver(queue).receiveMessages(1);
  return message;
}

describe("a typed message from a client that does not know the type", () => {
  const message = orderPlaced.message({ cents: 1250 });

  it("is sent with type and version, and read as what it is", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages(message);
    expect(await next(fixture)).toMatchObject({ ...stamped, body: { cents: 1250 } });
  });

  it.each<[string, (fixture: Fixture) => Promise<unknown>]>([
    ["in an array", ({ client }) => client.createSender("orders").sendMessages([message, message])],
    ["as a copy", ({ client }) => client.createSender("orders").sendMessages({ ...message, to: "a" })],
    [
      "in a batch",
      async ({ client }) => {
        const sender = client.createSender("orders");
        const batch = await sender.createMessageBatch();
        expect(batch.tryAddMessage(message)).toBe(true);
        await sender.sendMessages(batch);
      },
    ],
    [
      "in a batch, asynchronously",
      async ({ client }) => {
        const sender = client.createSender("orders");
        const batch = await sender.createMessageBatch();
        await batch.tryAddMessageAsync(message);
        await sender.sendMessages(batch);
      },
    ],
    [
      "scheduled",
      async ({ client, clock }) => {
        await client.createSender("orders").scheduleMessages(message, new Date(clock.now() + 1000));
        clock.advance(1000);
      },
    ],
  ])("is sent so %s", async (_, send) => {
    await using fixture = await createFixture();
    await send(fixture);
    expect(await next(fixture)).toMatchObject({ ...stamped, body: { cents: 1250 } });
  });

  it("is sent so as a reply", async () => {
    await using fixture = await createFixture();
    const { client } = fixture;
    await client.createSender("orders").sendMessages({ body: 1, messageId: "q", replyTo: "quarantine" });
    const [request] = await client.createReceiver("orders").receiveMessages(1);
    if (request !== undefined) await client.reply(request, message);
    expect(await next(fixture, "quarantine")).toMatchObject({ ...stamped, body: { cents: 1250 } });
  });

  it("is validated, as are messages of the types that the client knows", () => {
    const other = defineMessage("other", { version: 3, removed: [1, 2] });
    for (const messageTypes of [[], [other]]) {
      const pipeline = createPipeline({ serializer: json(), messageTypes });
      expect(() => pipeline.serialize(orderPlaced.message({ cents: 0.5 }))).toThrow('"order-placed": ');
      expect(pipeline.serialize(message)).toMatchObject(stamped);
      expect(pipeline.serialize(message)).toMatchObject(stamped);
    }
    const pipeline = createPipeline({ serializer: json(), messageTypes: [other] });
    expect(pipeline.serialize(other.message({}))).toMatchObject({
      applicationProperties: { messageVersion: 3 },
    });
    // Only the message's own type is known in addition.
    expect(() => pipeline.serialize({ subject: "third", body: 1 })).toThrow(
      'no message type is named "third"',
    );
  });

  it("has its schemas compiled once, however many messages are sent", () => {
    const compiled: string[] = [];
    const counting: Serializer = {
      ...plainJson,
      compileSchema: (_, where) => {
        compiled.push(where);
        return (value) => ({ isValid: true, value });
      },
    };
    const type = defineMessage("a", { version: 1, schemas: { 1: { [counting.name]: {} } } });
    const pipeline = createPipeline({ serializer: counting });
    for (let n = 0; n < 3; n++)
      expect(pipeline.serialize(type.message({ n }))).toMatchObject({ subject: "a" });
    expect(compiled).toEqual(['"a" version 1']);
  });

  it("is read back with its definition", () => {
    const meeting = defineMessage("meeting", { version: 1, schemas: { 1: z.object({ at: z.date() }) } });
    const pipeline = createPipeline({ serializer: json() });
    expect(() => pipeline.serialize(meeting.message({ at: new Date(0) }))).toThrow(
      '"meeting" version 1 was written, but a reader could not read it',
    );
  });

  it("is refused if the client knows the type in another version", async () => {
    await using fixture = await createFixture();
    for (const type of [before, defineMessage("OrderPlaced", { version: 1, aliases: ["order-placed"] })]) {
      const sender = fixture.clientWith({ messageTypes: [type] }).createSender("orders");
      await expect(
        sender.sendMessages(orderPlaced.message({ cents: 1 }, { messageId: "m" })),
      ).rejects.toThrow(
        '[serialization-failed] message "m", entity "orders": The message cannot be sent, so nothing was. the message was made as version 2 ' +
          'of "order-placed", and this client knows another definition, of version 1; give both the same definition.',
      );
    }
  });

  it("is checked by the client's own definition of the same version", () => {
    const copy = defineMessage("order-placed", {
      version: 2,
      schemas: { 1: {}, 2: bodyType<{ cents: number }>() },
      upcasters: { 1: () => ({ cents: 0 }) },
    });
    const pipeline = createPipeline({ serializer: json(), messageTypes: [copy] });
    expect(pipeline.serialize(message)).toMatchObject(stamped);
  });

  it("is what its subject says, if that was changed", () => {
    const pipeline = createPipeline({ serializer: json() });
    const renamed = pipeline.serialize({ ...message, subject: "other" }) as EncodedMessage;
    expect(renamed.subject).toBe("other");
    expect(renamed.applicationProperties).toBeUndefined();
  });

  it("binds its type and version to an encrypted body", async () => {
    const key = { id: "k", key: new Uint8Array(32) };
    const encryption = { keys: { currentKey: () => key, findKey: async () => key.key } };
    const sender = createPipeline({ serializer: json(), encryption });
    const reader = createPipeline({ serializer: json(), encryption, messageTypes: [orderPlaced] });
    const sealed = await sender.serialize(message);
    expect(await reader.deserialize(sealed)).toMatchObject({ body: { cents: 1250 } });
    const forged = {
      ...sealed,
      applicationProperties: { ...sealed.applicationProperties, messageVersion: 1 },
    };
    expect(await reader.deserialize(forged)).toMatchObject({ reason: "DecryptionFailed" });
  });
});
