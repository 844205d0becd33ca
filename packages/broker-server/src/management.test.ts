import { type AmqpMap, array, encodeMessage, int, long, stringMap, symbol, timestamp } from "@waybill/amqp";
import { createManualClock } from "@waybill/broker";
import { describe, expect, it, vi } from "vitest";
import { numberIn } from "./raw-client.test-support.js";
import { fill, openRaw } from "./raw-fixture.test-support.js";

describe("a management request", () => {
  it.each([
    ["com.microsoft:peek-message", null, "argument-error"],
    ["com.microsoft:peek-message", "text", "argument-error"],
    ["com.microsoft:renew-lock", null, "argument-error"],
    ["com.microsoft:schedule-message", null, "argument-error"],
    ["com.microsoft:renew-session-lock", null, "argument-error"],
    ["com.microsoft:add-rule", null, "amqp:not-allowed"],
    ["com.microsoft:unheard-of", null, "amqp:not-implemented"],
  ])("%s with the body %j is refused", async (operation, body, condition) => {
    await using fixture = await openRaw();
    await using client = await fixture.connect();
    const management = await client.management("orders");
    const answer = await management.call(operation, body);
    expect(answer.properties.get("errorCondition")).toMatchObject({
      type: "symbol",
      value: expect.stringContaining(condition),
    });
    expect(answer.properties.get("statusDescription")).not.toBe("");
  });
});

describe("a client that gives no credit for its replies", () => {
  it.each([
    ["many", "id", 1000],
    ["large", "i".repeat(900_000), 19],
  ])("loses the link if they are too %s, and may open another", async (_, messageId, most) => {
    await using fixture = await openRaw();
    await using client = await fixture.connect();
    const name = "replies";
    const replies = client.session.openReceiver({
      name,
      source: { kind: "source", address: "orders/$management" },
      target: { kind: "target", address: name },
    });
    const detached = new Promise((resolve) => {
      replies.handler.onDetach = (error) => resolve(error?.condition);
    });
    const requests = await client.sender("orders/$management");
    const request = encodeMessage({
      properties: { messageId, replyTo: name },
      body: { kind: "value", value: null },
    });
    let sent = 0;
    requests.handler.onCredit = () => {
      for (; requests.credit > 0 && sent <= most; sent++) {
        requests.send(request, { deliveryTag: Buffer.from(String(sent)), settled: true });
      }
    };
    requests.handler.onCredit(requests);
    expect(await detached).toBe("amqp:resource-limit-exceeded");
    const management = await client.management("orders");
    expect(numberIn(await management.call("com.microsoft:none", null), "statusCode")).toBe(501);
  });
});

describe("peek-message", () => {
  it("returns as many messages as requested, but not more than a megabyte", async () => {
    await using fixture = await openRaw();
    await using client = await fixture.connect();
    await fill(fixture, 120);
    await fill(fixture, 6, 250_000);
    const management = await client.management("orders");
    const peek = async (from: bigint, count: number) => {
      const { body } = await management.call(
        "com.microsoft:peek-message",
        stringMap({ "from-sequence-number": long(from), "message-count": int(count) }),
      );
      return ((body as AmqpMap).get("messages") as unknown[]).length;
    };
    expect([await peek(1n, 110), await peek(1n, 1000), await peek(124n, 1000)]).toEqual([110, 123, 3]);
  });

  it("skips messages of a sender in the broker's process that AMQP cannot represent", async () => {
    await using fixture = await openRaw();
    await using client = await fixture.connect();
    const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const sender = fixture.broker.sender("orders");
    const unwritable = { body: { section: "value", value: 2n ** 70n } } as const;
    await sender.sendBatch([unwritable, unwritable, unwritable]);
    await fill(fixture, 1);
    const management = await client.management("orders");
    const peek = (from: bigint) =>
      management.call(
        "com.microsoft:peek-message",
        stringMap({ "from-sequence-number": long(from), "message-count": int(2) }),
      );
    expect(numberIn(await peek(1n), "statusCode")).toBe(200);
    expect(warnings).toHaveBeenCalledTimes(3);
    expect(numberIn(await peek(5n), "statusCode")).toBe(204);
    warnings.mockRestore();
  });
});

describe("batch-delete-messages", () => {
  it("deletes the active messages enqueued before a time, and returns their number", async () => {
    const clock = createManualClock();
    await using fixture = await openRaw({}, { clock });
    await fill(fixture, 3);
    const [locked] = await fixture.broker.receiver("orders").receive(1);
    clock.advance(1000);
    await fill(fixture, 2);
    await using client = await fixture.connect();
    const management = await client.management("orders");
    const request = stringMap({
      "message-count": int(500),
      "enqueued-time-utc": timestamp(new Date(clock.now())),
    });
    const answer = await management.call("com.microsoft:batch-delete-messages", request);
    expect(numberIn(answer, "statusCode")).toBe(200);
    expect(answer.body).toEqual(stringMap({ "message-count": int(2) }));
    const left = await fixture.broker.receiver("orders").peek(10);
    expect(left.map(({ sequenceNumber }) => sequenceNumber)).toEqual([locked!.sequenceNumber, 4n, 5n]);

    const again = await management.call("com.microsoft:batch-delete-messages", request);
    expect(numberIn(again, "statusCode")).toBe(204);
    expect(again.properties.get("errorCondition")).toEqual(symbol("com.microsoft:message-not-found"));
  });

  it("does not delete more than requested", async () => {
    await using fixture = await openRaw();
    await fill(fixture, 3);
    await using client = await fixture.connect();
    const management = await client.management("orders");
    const request = stringMap({ "message-count": int(2) });
    const answer = await management.call("com.microsoft:batch-delete-messages", request);
    expect(answer.body).toEqual(stringMap({ "message-count": int(2) }));
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(1);
  });
});

describe("get-message-sessions", () => {
  it("refuses invalid numbers of items", async () => {
    await using fixture = await openRaw({ requiresSession: true });
    await fixture.broker.sender("orders").send(send("a"));
    await using client = await fixture.connect();
    const management = await client.management("orders");
    for (const [name, value] of [
      ["skip", int(-1)],
      ["skip", long(-(2n ** 63n))],
      ["top", long(2n ** 63n - 1n)],
      ["last-updated-time", timestamp(2n ** 63n - 1n)],
    ] as const) {
      const answer = await management.call(
        "com.microsoft:get-message-sessions",
        stringMap({ [name]: value }),
      );
      expect(numberIn(answer, "statusCode")).toBe(400);
    }
  });

  const ever = timestamp(new Date(Date.UTC(9999, 11, 31)));
  const send = (sessionId: string) =>
    ({ sessionId, body: { section: "data", bytes: Buffer.alloc(1) } }) as const;

  it("lists the sessions that have messages, page by page", async () => {
    await using fixture = await openRaw({ requiresSession: true });
    await fixture.broker.sender("orders").sendBatch(["b", "a", "c", "a"].map(send));
    await using client = await fixture.connect();
    const management = await client.management("orders");
    const list = (skip: number) =>
      management.call(
        "com.microsoft:get-message-sessions",
        stringMap({ "last-updated-time": ever, skip: int(skip), top: int(2) }),
      );
    expect((await list(0)).body).toEqual(
      stringMap({ skip: int(2), "sessions-ids": array("string", ["a", "b"]) }),
    );
    expect((await list(2)).body).toEqual(stringMap({ skip: int(3), "sessions-ids": array("string", ["c"]) }));
    const end = await list(3);
    expect([numberIn(end, "statusCode"), end.body]).toEqual([204, null]);
  });

  it("lists the sessions whose state was set after a time", async () => {
    const clock = createManualClock();
    await using fixture = await openRaw({ requiresSession: true }, { clock });
    for (const sessionId of ["early", "late"]) {
      const session = await fixture.broker.acceptSession("orders", { sessionId });
      await session.setState(Buffer.from("state"));
      await session.close();
      clock.advance(1000);
    }
    await using client = await fixture.connect();
    const management = await client.management("orders");
    const since = timestamp(new Date(clock.now() - 1500));
    const { body } = await management.call(
      "com.microsoft:get-message-sessions",
      stringMap({ "last-updated-time": since, skip: int(0), top: int(100) }),
    );
    expect((body as AmqpMap).get("sessions-ids")).toEqual(array("string", ["late"]));
  });
});
