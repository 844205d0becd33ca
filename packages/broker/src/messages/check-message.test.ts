import { describe, expect, it } from "vitest";
import { openFixture } from "../fixture.test-support.js";
import type { BrokerMessage, SendableProperties } from "./message.js";

const body = { section: "data", bytes: new Uint8Array(1) } as const;
const long = "x".repeat(129);

/** Values of a wrong type, by property; `forcePersistence` is ignored whatever it is. */
const wrongTypes: Readonly<Record<Exclude<keyof SendableProperties, "forcePersistence">, unknown>> = {
  messageId: {},
  correlationId: true,
  contentType: 7,
  contentEncoding: 7,
  subject: 7,
  to: [],
  replyTo: {},
  replyToSessionId: 7,
  sessionId: 7,
  partitionKey: 7,
  viaPartitionKey: 7,
  timeToLiveMs: "1000",
  scheduledEnqueueTime: new Date(Number.NaN),
};

async function refusal(message: object): Promise<string> {
  await using fixture = openFixture();
  await fixture.broker.createQueue("orders");
  return fixture.broker
    .sender("orders")
    .send({ body, ...message } as BrokerMessage)
    .then(
      () => "accepted",
      (error: Error) => error.message,
    );
}

describe("a message to send", () => {
  it.each(Object.entries(wrongTypes))("is refused by name with a wrong %s", async (name, value) => {
    expect(await refusal({ [name]: value })).toMatch(new RegExp(`^Cannot send to 'orders': ${name} .*is no`));
  });

  it.each(["sessionId", "partitionKey", "viaPartitionKey", "replyToSessionId", "messageId"])(
    "takes %s of 128 characters at most",
    async (name) => {
      expect(await refusal({ [name]: long })).toBe(
        `Cannot send to 'orders': ${name} is longer than 128 characters.`,
      );
      expect(await refusal({ [name]: long.slice(1) })).toBe("accepted");
    },
  );

  it.each([
    [-1, false],
    [0.5, false],
    [2n ** 64n, false],
    [2n ** 64n - 1n, true],
    [new Uint8Array(200), true],
  ])("takes unsigned integers of 64 bits and bytes as an id: %s", async (correlationId, isTaken) => {
    expect((await refusal({ correlationId })) === "accepted").toBe(isTaken);
  });

  it("is refused with a partition key other than its session id", async () => {
    expect(await refusal({ sessionId: "a", partitionKey: "b" })).toBe(
      "Cannot send to 'orders': partitionKey differs from sessionId, which overrides it.",
    );
  });
});
