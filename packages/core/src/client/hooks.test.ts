import { describe, expect, it } from "vitest";
import { createFixture, poison, quiet, until } from "../../test/fixture.js";

describe("hooks that reject", () => {
  const reject = async (): Promise<never> => {
    throw new Error("The hook's database is down.");
  };

  it("have no effect: neither hooks of the client nor of its diagnostics", async () => {
    let calls = 0;
    const hook = () => {
      calls++;
      return reject();
    };
    await using fixture = await createFixture({
      client: {
        onUndeserializable: hook,
        onCircuitBreaker: hook,
        circuitBreaker: { windowSize: 2, failureRate: 0.5, decodedBefore: "all" },
        diagnostics: { onEvent: hook, trace: () => ({ run: (work) => work(), onEvent: hook, end: hook }) },
      },
    });
    await fixture.client.createSender("orders").sendEncodedMessages([poison("p1"), poison("p2")]);
    const receiver = fixture.client.createReceiver("orders");
    const subscription = receiver.subscribe({ processMessage: () => {}, processError: reject });
    await until(() => calls > 5);
    await subscription.close();
  });

  it("do not affect requesters", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("replies");
    let calls = 0;
    const onUnmatchedReply = () => {
      calls++;
      return reject();
    };
    const requester = fixture.client.createRequester("replies", { onUnmatchedReply });
    const request = requester.request("orders", { body: 1 });
    await fixture.client.createSender("replies").sendMessages({ body: 2, correlationId: "nobody's" });
    await until(() => calls === 1);
    await requester.close();
    await expect(request).rejects.toMatchObject({ code: "closed" });
  });
});

describe("a trace", () => {
  it.each([
    ["runs the work a second time", (work: () => unknown) => [work(), work()][0]],
    ["runs it again later", (work: () => unknown) => [work(), setImmediate(work)][0]],
    ["runs it too late", (work: () => unknown) => void setImmediate(work)],
  ])("that %s does not send messages twice", async (_name, run) => {
    await using fixture = await createFixture({
      client: { diagnostics: { trace: () => ({ run: run as <T>(work: () => T) => T, end() {} }) } },
    });
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    await quiet();
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(1);
  });
});
