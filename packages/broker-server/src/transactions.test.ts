import {
  type AmqpValue,
  acceptedState,
  array,
  type DeliveryState,
  described,
  encodeMessage,
  rejected,
  type SenderLink,
  stringMap,
  symbolMap,
  timestamp,
} from "@waybill/amqp";
import { createBroker } from "@waybill/broker";
import { describe, expect, it, vi } from "vitest";
import { serve } from "./index.js";
import { connectRaw, lockTokenOf, numberIn, sendOn, text } from "./raw-client.test-support.js";

const declareCode = 0x31n;
const dischargeCode = 0x32n;

async function openTransactions() {
  vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const broker = createBroker();
  await broker.createQueue("orders");
  await broker.createQueue("answers");
  const server = await serve(broker, { port: 0, acceptAnyone: true });
  vi.restoreAllMocks();
  const client = await connectRaw(server);
  const coordinator = await openCoordinator(client.session);
  const order = (code: bigint, fields: AmqpValue[]) =>
    sendOn(coordinator, encodeMessage({ body: { kind: "value", value: described(code, fields) } }));
  return {
    broker,
    client,
    coordinator,
    counts: () => ["orders", "answers"].map((path) => broker.getEntity(path).activeMessageCount),
    declare: async (): Promise<Uint8Array> => {
      const state = await order(declareCode, []);
      if (state?.kind !== "declared") throw new Error(`declare was answered with ${state?.kind}`);
      return state.transactionId;
    },
    discharge: (id: Uint8Array, fail: boolean) => order(dischargeCode, [id, fail]),
    async [Symbol.asyncDispose](): Promise<void> {
      await client[Symbol.asyncDispose]();
      await server.close();
      await broker.close();
    },
  };
}

function openCoordinator(session: { openSender(options: object): SenderLink }): Promise<SenderLink> {
  const link = session.openSender({ name: "control", target: { kind: "coordinator" } } as never);
  return new Promise((resolve) => {
    link.handler.onCredit = () => resolve(link);
  });
}

const under = (transactionId: Uint8Array, outcome?: DeliveryState) =>
  ({ kind: "transactional", transactionId, ...(outcome && { outcome }) }) as DeliveryState;

describe("a transaction", () => {
  it("sends and settles when it is committed, and not before", async () => {
    await using fixture = await openTransactions();
    await fixture.client.send("orders", "order");
    const receiver = await fixture.client.receiver("orders", { credit: 1 });
    const [order] = await receiver.take(1);
    const id = await fixture.declare();
    const answers = await fixture.client.sender("answers");
    expect(await sendOn(answers, text("answer"), { state: under(id) })).toEqual(under(id, acceptedState));
    expect(await receiver.settle(order!, under(id, acceptedState))).toEqual(under(id, acceptedState));
    expect(fixture.counts()).toEqual([1, 0]);
    expect(await fixture.discharge(id, false)).toEqual(acceptedState);
    expect(fixture.counts()).toEqual([0, 1]);
  });

  it("changes nothing if it is rolled back", async () => {
    await using fixture = await openTransactions();
    await fixture.client.send("orders", "order");
    const receiver = await fixture.client.receiver("orders", { credit: 1 });
    const [order] = await receiver.take(1);
    const id = await fixture.declare();
    const answers = await fixture.client.sender("answers");
    await sendOn(answers, text("answer"), { state: under(id) });
    await receiver.settle(order!, under(id, rejected({ condition: "com.microsoft:dead-letter" })));
    expect(await fixture.discharge(id, true)).toEqual(acceptedState);
    expect(fixture.counts()).toEqual([1, 0]);
    const management = await fixture.client.management("orders");
    const answer = await management.call(
      "com.microsoft:update-disposition",
      stringMap({
        "lock-tokens": array("uuid", [lockTokenOf(order!.tag)]),
        "disposition-status": "completed",
      }),
    );
    expect(numberIn(answer, "statusCode")).toBe(200);
    expect(fixture.counts()).toEqual([0, 0]);
  });

  it("sends via its queue to another when it is committed", async () => {
    await using fixture = await openTransactions();
    const properties = symbolMap({ "com.microsoft:transfer-destination-address": "answers" });
    const sender = await fixture.client.sender("orders", properties);
    expect(sender.remoteAttach!.properties).toEqual(properties);
    const id = await fixture.declare();
    expect(await sendOn(sender, text("answer"), { state: under(id) })).toEqual(under(id, acceptedState));
    expect(fixture.counts()).toEqual([0, 0]);
    await fixture.discharge(id, false);
    expect(fixture.counts()).toEqual([0, 1]);
    await expect(
      fixture.client.sender("orders", symbolMap({ "com.microsoft:transfer-destination-address": "" })),
    ).rejects.toThrow("amqp:invalid-field");
  });

  it("settles for a subscription and sends via its topic", async () => {
    await using fixture = await openTransactions();
    await fixture.broker.createTopic("events");
    await fixture.broker.createSubscription("events", "all");
    await fixture.client.send("events", "event");
    const receiver = await fixture.client.receiver("events/Subscriptions/all", { credit: 1 });
    const [event] = await receiver.take(1);
    const sendVia = (destination: string) =>
      fixture.client.sender(
        "events",
        symbolMap({ "com.microsoft:transfer-destination-address": destination }),
      );
    const id = await fixture.declare();
    for (const destination of ["answers", "missing"]) {
      const sent = await sendOn(await sendVia(destination), text("answer"), { state: under(id) });
      expect(sent).toEqual(under(id, acceptedState));
    }
    expect(await receiver.settle(event!, under(id, acceptedState))).toEqual(under(id, acceptedState));
    await fixture.discharge(id, false);
    expect(fixture.counts()).toEqual([0, 1]);
    expect(fixture.broker.getEntity("events/Subscriptions/all").totalMessageCount).toBe(0);
    const lost = await fixture.client.receiver("events/$Transfer/$DeadLetterQueue", { credit: 1 });
    expect(await lost.take(1)).toHaveLength(1);
  });

  it("includes requests to schedule and to settle", async () => {
    await using fixture = await openTransactions();
    await fixture.client.send("orders", "order");
    const receiver = await fixture.client.receiver("orders", { credit: 1 });
    const [order] = await receiver.take(1);
    const management = await fixture.client.management("orders");
    const due = new Date(Date.now() + 60_000);
    const scheduled = encodeMessage({
      messageAnnotations: symbolMap({ "x-opt-scheduled-enqueue-time": timestamp(due) }),
      body: { kind: "value", value: "later" },
    });
    const id = await fixture.declare();
    const calls = [
      ["com.microsoft:schedule-message", { messages: [stringMap({ message: scheduled })] }],
      [
        "com.microsoft:update-disposition",
        { "lock-tokens": array("uuid", [lockTokenOf(order!.tag)]), "disposition-status": "completed" },
      ],
    ] as const;
    for (const [operation, body] of calls) {
      const answer = await management.call(operation, stringMap(body), {}, under(id));
      expect(numberIn(answer, "statusCode")).toBe(200);
    }
    const counts = () => {
      const { activeMessageCount, scheduledMessageCount } = fixture.broker.getEntity("orders");
      return [activeMessageCount, scheduledMessageCount];
    };
    expect(counts()).toEqual([1, 0]);
    await fixture.discharge(id, false);
    expect(counts()).toEqual([0, 1]);
  });

  it("is rolled back with the link that declared it", async () => {
    await using fixture = await openTransactions();
    const id = await fixture.declare();
    const answers = await fixture.client.sender("answers");
    await sendOn(answers, text("answer"), { state: under(id) });
    fixture.coordinator.detach();
    const late = await sendOn(answers, text("late"), { state: under(id) });
    expect(late).toMatchObject({ kind: "rejected", error: { condition: "amqp:transaction:unknown-id" } });
    expect(fixture.counts()).toEqual([0, 0]);
  });

  it("settles messages of one top-level entity only", async () => {
    await using fixture = await openTransactions();
    await fixture.client.send("orders", "order");
    await fixture.client.send("answers", "answer");
    const orders = await fixture.client.receiver("orders", { credit: 1 });
    const answers = await fixture.client.receiver("answers", { credit: 1 });
    const id = await fixture.declare();
    expect(await orders.settle((await orders.take(1))[0]!, under(id, acceptedState))).toEqual(
      under(id, acceptedState),
    );
    expect(await answers.settle((await answers.take(1))[0]!, under(id, acceptedState))).toMatchObject({
      kind: "rejected",
      error: { condition: "amqp:not-allowed" },
    });
    await fixture.discharge(id, false);
    expect(fixture.counts()).toEqual([0, 1]);
  });

  it("that is unknown is refused for sends, settlements and discharges", async () => {
    await using fixture = await openTransactions();
    const refusal = { kind: "rejected", error: { condition: "amqp:transaction:unknown-id" } };
    const answers = await fixture.client.sender("answers");
    const unknown = Buffer.alloc(16);
    expect(await sendOn(answers, text("a"), { state: under(unknown) })).toMatchObject(refusal);
    expect(await fixture.discharge(unknown, false)).toMatchObject(refusal);
  });
});
