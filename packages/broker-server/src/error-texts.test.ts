import { batchMessageFormat, joinBatch } from "@waybill/amqp/batches";
import { describe, expect, it } from "vitest";
import { connect, openFixture } from "./fixture.test-support.js";
import { numberIn, sendOn } from "./raw-client.test-support.js";
import { openRaw } from "./raw-fixture.test-support.js";

/** The error with which a call of the official client rejects. */
async function refusalOf(call: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await call;
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("expected a refusal");
}

const tracked = / TrackingId:[0-9a-f-]{36}_G0, SystemTracker:\S+, Timestamp:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

describe("the error for an entity that does not exist", () => {
  it.each(["none", "none/Subscriptions/sub", "none/$DeadLetterQueue"])("names %s in full", async (path) => {
    await using fixture = await openFixture();
    const { message } = await refusalOf(fixture.client.createReceiver(path).receiveMessages(1));
    expect(message).toContain(
      `The messaging entity 'sb://127.0.0.1/${path}' could not be found. To know more visit https://aka.ms/sbResourceMgrExceptions.`,
    );
    expect(message).toMatch(tracked);
  });

  it("comes with the answer to the token, only to clients that have rights on it", async () => {
    await using fixture = await openRaw();
    await using client = await fixture.connect();
    const cbs = await client.management("$cbs");
    const put = (name: string) => cbs.call("put-token", "", { name });
    for (const path of ["none", "none/$management", "none/Subscriptions/sub", "none/$DeadLetterQueue"]) {
      const answer = await put(`sb://local/${path}`);
      expect(numberIn(answer, "status-code")).toBe(404);
      expect(String(answer.properties.get("status-description"))).toMatch(
        /^The messaging entity 'sb:\/\/[^/]+\/none\S*' could not be found\. To know more visit/,
      );
    }
    for (const path of ["orders", "Orders/$management", "orders/$DeadLetterQueue", ""])
      expect(numberIn(await put(`sb://local/${path}`), "status-code")).toBe(202);
  });

  it("names a subscription of an existing topic like the service", async () => {
    await using fixture = await openFixture();
    await fixture.broker.createTopic("news");
    const { message } = await refusalOf(fixture.client.createReceiver("news", "sub").receiveMessages(1));
    expect(message).toContain("The messaging entity '127:topic:news|sub' could not be found.");
  });

  it("also names the entity for senders and management", async () => {
    await using fixture = await openFixture();
    const text = "'sb://127.0.0.1/none' could not be found";
    const sending = refusalOf(fixture.client.createSender("none").sendMessages({ body: 1 }));
    const peeking = refusalOf(fixture.client.createReceiver("none").peekMessages(1));
    expect((await sending).message).toContain(text);
    expect((await peeking).message).toContain(text);
  });
});

describe("the error for", () => {
  it("a client without the right has the right and the resource", async () => {
    const keys = [
      { name: "root", key: "a", rights: ["Manage"] as const },
      { name: "reader", key: "b", rights: ["Listen"] as const },
    ];
    await using fixture = await openFixture({}, { keys });
    const reader = connect(
      fixture.server.connectionString.replace("=root;", "=reader;").replace("Key=a", "Key=b"),
    );
    const { code, message } = await refusalOf(reader.createSender("orders").sendMessages({ body: 1 }));
    expect(code).toBe("UnauthorizedAccess");
    expect(message).toContain(
      "Unauthorized access. 'Send' claim(s) are required to perform this operation. Resource: 'sb://127.0.0.1/orders'.",
    );
    expect(message).toMatch(tracked);
    await reader.close();
  });

  it("a settlement whose lock is lost has the possible causes", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: 1 });
    const [received] = await fixture.receiver.receiveMessages(1);
    fixture.broker.faults.loseLock("orders", received!.lockToken!);
    const { code, message } = await refusalOf(fixture.receiver.completeMessage(received!));
    expect(code).toBe("MessageLockLost");
    expect(message).toContain(
      "The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.",
    );
    expect(message).toMatch(tracked);
  });

  it("a request in a lost session has the solution", async () => {
    await using fixture = await openFixture({ requiresSession: true });
    await fixture.sender.sendMessages({ body: 1, sessionId: "a" });
    const session = await fixture.client.acceptSession("orders", "a");
    const [received] = await session.receiveMessages(1);
    fixture.broker.faults.loseLock("orders", received!.lockToken!);
    const { code, message } = await refusalOf(session.renewSessionLock());
    expect(code).toBe("SessionLockLost");
    expect(message).toContain(
      "The session lock has expired on the MessageSession. Accept a new MessageSession.",
    );
  });

  it("a message that is too large has its size and the limit", async () => {
    await using fixture = await openFixture({ maxMessageSizeInKilobytes: 256 });
    const { code, message } = await refusalOf(fixture.sender.sendMessages({ body: Buffer.alloc(300_000) }));
    expect(code).toBe("MessageSizeExceeded");
    expect(message).toMatch(
      /The received message \(delivery-id:\d+, size:300\d\d\d bytes\) exceeds the limit \(262144 bytes\) currently allowed on the link\./,
    );
    expect(message).toMatch(tracked);
  });

  it("a batch without messages has the cause", async () => {
    await using fixture = await openFixture();
    const { code, message } = await refusalOf(
      fixture.sender.createMessageBatch().then((batch) => fixture.sender.sendMessages(batch)),
    );
    expect(code).toBe("GeneralError");
    expect(message).toMatch(
      /is force detached by the broker because publisher\(.*\) received a batch message with no data in it/,
    );
  });

  it("an invalid host name does not repeat it", async () => {
    await using fixture = await openRaw();
    await using client = await fixture.connect(undefined, "no host\n'");
    await expect(client.sender("none")).rejects.toThrow("The messaging entity 'sb://127.0.0.1/none' could");
  });
});

describe("a batch without messages", () => {
  it("does not affect the link", async () => {
    await using fixture = await openRaw();
    await using client = await fixture.connect();
    const link = await client.sender("orders");
    const format = batchMessageFormat;
    expect(await sendOn(link, joinBatch([]), { format })).toMatchObject({
      kind: "rejected",
      error: { condition: "amqp:not-allowed" },
    });
    expect(link.isAttached).toBe(true);
  });
});
