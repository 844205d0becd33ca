import { describe, expect, it } from "vitest";
import { createFixture, until } from "../../../test/fixture.js";
import type {
  DeliveredMessage,
  TransportReceiver,
  TransportSettleOptions,
} from "../../contracts/transport.js";
import { WaybillError } from "../../errors/error.js";
import { mayHaveCrashedProcess, rememberRead, settleMarked } from "./redelivery.js";

const large = new Uint8Array(40_000);
const small = new Uint8Array(10);

function message(properties: Partial<DeliveredMessage> = {}): DeliveredMessage {
  return {
    messageId: "m",
    sequenceNumber: 1n,
    deliveryCount: 1,
    state: "active",
    applicationProperties: {},
    body: large,
    settlement: {},
    ...properties,
  };
}

/** A receiver that is only used to abandon messages; `answer` is the broker's response. */
function receiverThat(answer: (options: TransportSettleOptions | undefined) => void) {
  const given: (TransportSettleOptions | undefined)[] = [];
  const abandon = async (_: object, options?: TransportSettleOptions) => {
    given.push(options);
    answer(options);
  };
  return { given, receiver: { abandon, defer: abandon } as unknown as TransportReceiver };
}

describe("a message that was delivered before", () => {
  it("may have crashed the process that read it", () => {
    expect(mayHaveCrashedProcess(message(), "q1")).toBe(true);
    expect(mayHaveCrashedProcess(message({ body: small }), "q1")).toBe(true);
    expect(mayHaveCrashedProcess(message({ deliveryCount: 0 }), "q1")).toBe(false);
    expect(mayHaveCrashedProcess(message({ settlement: undefined }), "q1")).toBe(false);
  });

  it("has not crashed it if its last delivery was abandoned", () => {
    const marked = (deliveryCount: number, mark: number) =>
      message({ deliveryCount, applicationProperties: { "waybill-given-back": mark } });
    expect(mayHaveCrashedProcess(marked(3, 3), "q1")).toBe(false);
    expect(mayHaveCrashedProcess(marked(3, 4), "q1")).toBe(false);
    expect(mayHaveCrashedProcess(marked(3, 2), "q1")).toBe(true);
    expect(mayHaveCrashedProcess(marked(3, 1_000), "q1")).toBe(true);
  });

  it("has not crashed it if this process read it", () => {
    rememberRead(message({ deliveryCount: 0 }), "q2");
    expect(mayHaveCrashedProcess(message(), "q2")).toBe(false);
    expect(mayHaveCrashedProcess(message(), "q3")).toBe(true);
    expect(mayHaveCrashedProcess(message({ sequenceNumber: 2n }), "q2")).toBe(true);
    for (let n = 10n; n < 1_010n; n += 1n) rememberRead(message({ sequenceNumber: n }), "q2");
    expect(mayHaveCrashedProcess(message(), "q2")).toBe(true);
  });
});

describe("abandoning a message", () => {
  it("marks a large message, or one of unknown size", async () => {
    const { given, receiver } = receiverThat(() => {});
    const compressed = { body: small, applicationProperties: { "Content-Encoding": "gzip" } };
    const elsewhere = { body: small, applicationProperties: { "waybill-claim-check": "key" } };
    for (const properties of [{}, compressed, elsewhere])
      await settleMarked(receiver, "abandon", {}, message(properties), {
        propertiesToModify: { why: "busy" },
      });
    const marked = { propertiesToModify: { why: "busy", "waybill-given-back": 2 } };
    expect(given).toEqual([marked, marked, marked]);
  });

  it("does not mark a small message", async () => {
    const { given, receiver } = receiverThat(() => {});
    await settleMarked(receiver, "defer", {}, message({ body: small }), undefined);
    expect(given).toEqual([undefined]);
  });

  it("omits the mark if the broker refuses it", async () => {
    const { given, receiver } = receiverThat((options) => {
      if (options !== undefined) throw new WaybillError("operation-invalid", "The properties are too large.");
    });
    await settleMarked(receiver, "abandon", {}, message(), undefined);
    expect(given).toEqual([{ propertiesToModify: { "waybill-given-back": 2 } }, undefined]);
  });

  it("fails once if the lock is lost or the broker is unavailable", async () => {
    for (const code of ["message-lock-lost", "session-lock-lost", "connection-lost"] as const) {
      const { given, receiver } = receiverThat(() => {
        throw new WaybillError(code, "It is gone.");
      });
      await expect(settleMarked(receiver, "abandon", {}, message(), undefined)).rejects.toMatchObject({
        code,
      });
      expect(given).toHaveLength(1);
    }
  });
});

it("only in a queue, not in its dead-letter queue, a message delivered before may have crashed its reader", async () => {
  await using fixture = await createFixture({ client: { maxBodyBytes: 1_000_000 } });
  await fixture.client.createSender("orders").sendMessages({ body: "x".repeat(200_000) });
  const [crashed] = await fixture.broker.receiver("orders").receive();
  fixture.broker.faults.loseLock("orders", crashed!.sequenceNumber);
  fixture.client.createReceiver("orders").subscribe({ processMessage() {}, processError() {} });
  await until(() => fixture.events.length === 1);
  expect(fixture.events).toMatchObject([
    { disposition: "deadLettered", error: { text: expect.stringContaining("That is less than usual") } },
  ]);
  const dead = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
  expect(await dead.receiveMessages(1)).toMatchObject([{ body: "x".repeat(200_000), deliveryCount: 1 }]);
});
