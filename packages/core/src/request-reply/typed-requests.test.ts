import { describe, expect, it } from "vitest";
import { createFixture, type Fixture } from "../../test/fixture.js";
import { bodyType, defineMessage } from "../message-types/define-message.js";

const quote = defineMessage("quote", {
  version: 2,
  schemas: { 1: bodyType<{ total: number }>(), 2: bodyType<{ cents: number }>() },
  upcasters: { 1: ({ total }) => ({ cents: total * 100 }) },
});
const priced = defineMessage("priced", { version: 3, removed: [1, 2] });
const other = defineMessage("other", { version: 1 });

/** A client that knows the type of the request, and answers with a typed message. */
function respond(fixture: Fixture) {
  const received: unknown[] = [];
  const responder = fixture.clientWith({ messageTypes: [quote, priced] });
  const subscription = responder.subscribe("orders", {
    processMessage: async (message) => {
      received.push([message.deserialization.messageVersion, message.body]);
      await responder.reply(message, priced.message({ ok: true }));
    },
    processError: ({ error }) => void received.push(error),
  });
  return {
    received,
    async [Symbol.asyncDispose]() {
      await subscription.close();
      await responder.close();
    },
  };
}

describe("a typed request", () => {
  const request = { ...quote.message({ cents: 1250 }), replyTo: "quarantine" };

  it("from a client that does not know its type is read as what it is, and answered", async () => {
    await using fixture = await createFixture();
    await using responder = respond(fixture);
    const reply = await fixture.client.request("orders", request);
    expect(responder.received).toEqual([[2, { cents: 1250 }]]);
    expect(reply).toMatchObject({ body: { ok: true }, subject: "priced" });
  });

  it("is answered for each reply that is awaited", async () => {
    await using fixture = await createFixture();
    await using responder = respond(fixture);
    for await (const reply of fixture.client.requestMany("orders", request, { maxReplies: 1 })) {
      expect(reply.body).toEqual({ ok: true });
    }
    expect(responder.received).toEqual([[2, { cents: 1250 }]]);
  });

  it("rejects at once if the client knows other types, and not that of the reply", async () => {
    await using fixture = await createFixture();
    await using responder = respond(fixture);
    await using client = fixture.clientWith({ messageTypes: [other] });
    await expect(client.request("orders", request)).rejects.toMatchObject({
      code: "deserialization-failed",
      reason: "message-type-unknown",
    });
    expect(responder.received).toEqual([[2, { cents: 1250 }]]);
  });
});
