import { Buffer } from "node:buffer";
import { scanMessage } from "@waybill/amqp";
import {
  type ApplicationProperties,
  type BrokerMessage,
  type BrokerReceivedMessage,
  createBroker,
  createManualClock,
} from "@waybill/broker";
import { ruleGuid, ruleTimeSpan } from "@waybill/broker/front-end";
import fc from "fast-check";
import { expect, it } from "vitest";
import { fromBrokerMessage as toAmqp } from "../../messages/from-broker-message.js";
import { toBrokerMessage as fromAmqp } from "../../messages/to-broker-message.js";
import { decodeWire } from "../../messages/wire-decoder.js";
import type { HttpRequest } from "../http-request.js";
import { fromBrokerMessage as toHttp } from "./from-broker-message.js";
import { toBrokerMessage as fromHttp } from "./to-broker-message.js";

const text = (maxLength: number) => fc.string({ unit: "grapheme", maxLength });
const key = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const instant = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31T00:00:00Z") });
const whole = fc.oneof(
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);

/** A value of every type that a user property may have. */
const value = fc.oneof(
  text(30),
  whole,
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  instant,
  fc.uint8Array({ maxLength: 30 }),
  fc.uuid().map(ruleGuid),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(ruleTimeSpan),
);
const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  text(12).filter((one) => one !== ""),
  fc.constantFrom("Date", "content-type", "__proto__", "constructor", "Priority", "x-ms-a"),
);
const id = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  fc.nat(),
  fc.uint8Array({ minLength: 1, maxLength: 16 }),
);
const headerText = fc.string({ minLength: 1, maxLength: 30 }).map((one) => one.trim() || "a/b");

/** A message with every property that a sender may set. */
const message: fc.Arbitrary<BrokerMessage> = fc
  .record(
    {
      messageId: id,
      correlationId: id,
      contentType: headerText,
      subject: text(30),
      to: text(30),
      replyTo: text(30),
      replyToSessionId: key,
      partitionKey: key,
      viaPartitionKey: key,
      timeToLiveMs: fc.integer({ min: 1, max: 2 ** 31 }),
      scheduledEnqueueTime: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(1e12) }),
      forcePersistence: fc.constant(true),
      applicationProperties: fc.array(fc.tuple(name, value), { maxLength: 6 }).map(Object.fromEntries),
      bytes: fc.uint8Array({ maxLength: 30 }),
    },
    { requiredKeys: ["bytes"] },
  )
  .map(({ bytes, ...properties }) => ({ ...properties, body: { section: "data", bytes } }) as BrokerMessage);

async function openTrip() {
  const broker = createBroker({ wireDecoder: decodeWire, clock: createManualClock() });
  await broker.createQueue("q");
  const sender = broker.sender("q");
  const receiver = broker.receiver("q", { mode: "receiveAndDelete" });
  const through = async (sent: BrokerMessage): Promise<BrokerReceivedMessage> => {
    await sender.send(sent);
    const [received] = await receiver.receive(1, { maxWaitMs: 0 });
    if (received === undefined) throw new Error("nothing came");
    return received;
  };
  return {
    through,
    overAmqp: (received: BrokerReceivedMessage) =>
      through(fromAmqp(scanMessage(Buffer.concat(toAmqp(received))))),
    overHttp: (received: BrokerReceivedMessage) => through(sentOverHttp(received)),
    [Symbol.asyncDispose]: () => broker.close(),
  };
}

/** The message that a client sends to forward a received message. */
function sentOverHttp(received: BrokerReceivedMessage): BrokerMessage {
  const { headers: rawHeaders = [], body } = toHttp(received, 200, undefined);
  const headers = Object.fromEntries(rawHeaders.map(([header, content]) => [header.toLowerCase(), content]));
  const unsendable = rawHeaders.filter(
    ([header, content]) => !/^[!-~]+$/.test(header) || !/^[ -~]*$/.test(content),
  );
  expect(unsendable).toEqual([]);
  return fromHttp({ headers, rawHeaders } as unknown as HttpRequest, body as Uint8Array);
}

/** All properties that a sender may set, with integers of every type as `bigint`: HTTP only loses their width. */
function settableProperties(received: BrokerReceivedMessage) {
  return {
    messageId: plain(received.messageId),
    correlationId: plain(received.correlationId),
    contentType: received.contentType,
    subject: received.subject,
    to: received.to,
    replyTo: received.replyTo,
    replyToSessionId: received.replyToSessionId,
    partitionKey: received.partitionKey,
    viaPartitionKey: received.viaPartitionKey,
    timeToLiveMs: received.timeToLiveMs,
    scheduledEnqueueTime: received.scheduledEnqueueTime,
    forcePersistence: received.forcePersistence,
    applicationProperties: plainProperties(received.applicationProperties),
    body: received.body.section === "data" ? Buffer.from(received.body.bytes).toString("hex") : received.body,
  };
}

function plainProperties(properties: ApplicationProperties): [string, unknown][] {
  return Object.entries(properties)
    .map(([key, one]) => [key, plain(one)] as [string, unknown])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function plain(one: unknown): unknown {
  if (one instanceof Uint8Array) return `bytes ${Buffer.from(one).toString("hex")}`;
  if (typeof one === "number" && Number.isSafeInteger(one) && !Object.is(one, -0)) return BigInt(one);
  return one;
}

/** `pnpm reliability full-samples` takes more. */
const messageCount = process.env.WAYBILL_SAMPLES === "all" ? 5_000 : 1_000;

it("keeps every property of every type from AMQP to HTTP and back", async () => {
  await using trip = await openTrip();
  const property = fc.asyncProperty(message, async (sent) => {
    const amqp = await trip.overAmqp(await trip.through(sent));
    const http = await trip.overHttp(amqp);
    expect(settableProperties(http)).toEqual(settableProperties(amqp));
    const again = await trip.overAmqp(http);
    expect(settableProperties(again)).toEqual(settableProperties(amqp));
    expect(toHttp(again, 200, undefined).headers?.slice(1)).toEqual(
      toHttp(http, 200, undefined).headers?.slice(1),
    );
  });
  await fc.assert(property, { numRuns: messageCount });
});
