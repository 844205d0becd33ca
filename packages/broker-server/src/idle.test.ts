import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { createManualClock } from "@waybill/broker";
import { afterEach, describe, expect, it, vi } from "vitest";
import { serviceIdleTimeouts } from "./index.js";
import { text } from "./raw-client.test-support.js";
import { fill, openRaw } from "./raw-fixture.test-support.js";

const minuteMs = 60_000;
const root = { name: "root", key: "root-secret", rights: ["Manage"] } as const;
const plain = (secret: string) => ({ mechanism: "PLAIN", initialResponse: Buffer.from(`\0root\0${secret}`) });

const openPoliced = (clock = createManualClock()) =>
  openRaw({}, { clock, idleTimeouts: serviceIdleTimeouts });

describe("with the idle timeouts of the service", () => {
  it("a connection without a link is closed after a minute", async () => {
    const clock = createManualClock();
    await using fixture = await openPoliced(clock);
    await using client = await fixture.connect();
    clock.advance(minuteMs - 1);
    expect(client.connection.isOpen).toBe(true);
    clock.advance(minuteMs / 10);
    expect(await client.closed).toBe("amqp:connection:forced");
  });

  it.each([-60, 60])(
    "a step of the wall clock by %i minutes does not affect connections",
    async (minutes) => {
      const clock = createManualClock();
      await using fixture = await openPoliced(clock);
      await using client = await fixture.connect();
      clock.advance(minuteMs / 2);
      clock.step(minutes * minuteMs);
      clock.advance(minuteMs / 2 - 1);
      expect(client.connection.isOpen).toBe(true);
      clock.advance(minuteMs / 10);
      expect(await client.closed).toBe("amqp:connection:forced");
    },
  );

  it("a connection without links is closed after five minutes", async () => {
    const clock = createManualClock();
    await using fixture = await openPoliced(clock);
    await using client = await fixture.connect();
    await client.send("orders", "a");
    await client.synchronize();
    clock.advance(5 * minuteMs - 1);
    await client.send("orders", "b");
    await client.synchronize();
    clock.advance(5 * minuteMs + minuteMs / 5);
    expect(await client.closed).toBe("amqp:connection:forced");
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(2);
  });

  it("a link that is not used is detached after ten minutes, but not used links", async () => {
    const clock = createManualClock();
    await using fixture = await openPoliced(clock);
    await using client = await fixture.connect();
    const unused = await client.receiver("orders");
    const used = await client.receiver("orders", { credit: 1 });
    const sender = await client.sender("orders");
    for (let minute = 0; minute < 10; minute++) {
      used.link.addCredit(1);
      sender.send(text("a"), { deliveryTag: Buffer.from([minute]), settled: true });
      await client.synchronize();
      await fixture.broker.purge("orders");
      clock.advance(minuteMs);
    }
    clock.advance(minuteMs / 10);
    expect(await unused.detached).toBe("amqp:link:detach-forced");
    expect([used.link.isAttached, sender.isAttached]).toEqual([true, true]);
  });
});

describe("without options", () => {
  it("a client without a valid token is disconnected after 20 seconds", async () => {
    const clock = createManualClock();
    await using fixture = await openRaw({}, { clock, keys: [root] });
    await using withoutToken = await fixture.connect();
    await using known = await fixture.connect(plain("root-secret"));
    clock.advance(19_999);
    expect(withoutToken.connection.isOpen).toBe(true);
    clock.advance(1);
    expect(await withoutToken.closed).toBe("amqp:connection:forced");
    clock.advance(60 * minuteMs);
    await known.send("orders", "a");
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(1);
  });

  it("a client without a token that does not answer the close is disconnected", async () => {
    const clock = createManualClock();
    await using fixture = await openRaw({}, { clock, keys: [root] });
    await using withoutToken = await fixture.connect();
    withoutToken.socket.removeAllListeners("data").resume();
    const gone = once(withoutToken.socket, "close");
    clock.advance(20_000);
    await gone;
  });

  it("a client with a wrong password is refused", async () => {
    await using fixture = await openRaw({}, { keys: [root] });
    await expect(fixture.connect(plain("guess"))).rejects.toThrow("closed");
  });

  it("links and connections may stay idle", async () => {
    const clock = createManualClock();
    await using fixture = await openRaw({}, { clock });
    await using idle = await fixture.connect();
    const receiver = await idle.receiver("orders", { credit: 1 });
    clock.advance(60 * 24 * minuteMs);
    await fill(fixture, 1);
    expect(await receiver.take(1)).toHaveLength(1);
  });
});

describe("a half-open connection", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is closed if its client sends nothing within a minute", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    await using fixture = await openRaw();
    const silent = connectSocket(fixture.server.port, "127.0.0.1").resume();
    await once(silent, "connect");
    await using other = await fixture.connect();
    await other.synchronize();
    vi.advanceTimersByTime(minuteMs + 1);
    await once(silent, "close");
  });

  it("is closed if its client sends nothing for four minutes, as after a network failure", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    await using fixture = await openRaw();
    await using client = await fixture.connect();
    vi.advanceTimersByTime(4 * minuteMs - 1000);
    await client.synchronize();
    vi.advanceTimersByTime(4 * minuteMs - 1000);
    expect(client.connection.isOpen).toBe(true);
    vi.advanceTimersByTime(4 * minuteMs);
    expect(await client.closed).toBe("amqp:resource-limit-exceeded");
  });
});
