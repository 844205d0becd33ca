import { describe, expect, it } from "vitest";
import { createBroker } from "../client/broker.js";
import { codeOf, message } from "../fixture.test-support.js";
import { memoryLimits } from "./memory-mark.js";

const mib = 2 ** 20;

/** Sends until the broker refuses; returns the number of accepted messages. */
async function fill(broker: ReturnType<typeof createBroker>, path: string, body = ""): Promise<number> {
  const sender = broker.sender(path);
  for (let sent = 0; ; sent++) {
    try {
      await sender.send(message(body));
    } catch (error) {
      expect(error).toMatchObject({ code: "quota-exceeded" });
      return sent;
    }
  }
}

describe("the memory limit", () => {
  it("refuses sends before the memory is full, for messages in any entities", async () => {
    await using broker = createBroker({ maxMemoryInBytes: 8 * mib });
    for (let i = 0; i < 8; i++) await broker.createQueue(`q${i}`, { maxSizeInMegabytes: 5 });
    let sent = 0;
    for (let i = 0; i < 8; i++) sent += await fill(broker, `q${i}`);
    expect(sent).toBeGreaterThan(10_000);
    expect(sent * 400).toBeLessThan(9 * mib);
    await expect(broker.sender("q7").send(message(""))).rejects.toThrow("as much as it has memory for");
    await broker.purge("q0");
    await broker.purge("q1");
    await broker.sender("q0").send(message(""));
  });

  it("leaves room for small entities if one has most of the messages", async () => {
    await using broker = createBroker({ maxMemoryInBytes: 8 * mib });
    await broker.createQueue("small");
    await broker.createQueue("large");
    await broker.sender("small").send(message("first"));
    const sent = await fill(broker, "large", "x".repeat(1_000));
    expect(sent).toBeGreaterThan(4_000);
    for (let i = 0; i < 100; i++) await broker.sender("small").send(message("continues"));
    expect(await codeOf(broker.sender("large").send(message("")))).toBe("quota-exceeded");
    await broker.purge("large");
    await broker.sender("large").send(message(""));
  });

  it("counts messages of transactions", async () => {
    await using broker = createBroker({ maxMemoryInBytes: 8 * mib });
    await broker.createQueue("q");
    const transaction = broker.beginTransaction();
    const sender = broker.sender("q");
    const sendMany = async (): Promise<void> => {
      for (let i = 0; i < 100; i++) await sender.send(message("x".repeat(100_000)), transaction);
    };
    expect(await codeOf(sendMany())).toBe("quota-exceeded");
    await transaction.rollBack();
    await sender.send(message(""));
  });

  it("counts session states", async () => {
    await using broker = createBroker({ maxMemoryInBytes: 8 * mib });
    await broker.createQueue("s", { requiresSession: true });
    const keepMany = async (): Promise<void> => {
      for (let i = 0; i < 100; i++) {
        const session = await broker.acceptSession("s", { sessionId: `s${i}` });
        await session.setState(new Uint8Array(200_000));
      }
    };
    expect(await codeOf(keepMany())).toBe("quota-exceeded");
  });

  it("counts bodies", async () => {
    await using broker = createBroker({ maxMemoryInBytes: 8 * mib });
    await broker.createQueue("q");
    const sent = await fill(broker, "q", "x".repeat(100_000));
    expect(sent * 100_000).toBeGreaterThan(5 * mib);
    expect(sent * 100_000).toBeLessThan(9 * mib);
  });

  it("applies to all open brokers of the process together", async () => {
    const other = createBroker();
    await other.createQueue("q");
    await other.sender("q").send(message("x".repeat(900_000)));
    await using broker = createBroker({ maxMemoryInBytes: mib });
    await broker.createQueue("q");
    await other.sender("q").send(message("x".repeat(900_000)));
    expect(await codeOf(broker.sender("q").send(message("")))).toBe("quota-exceeded");
    await other.close();
    await broker.sender("q").send(message(""));
  });

  it("also applies to session states and rules", async () => {
    await using broker = createBroker({ maxMemoryInBytes: 2 * mib });
    await broker.createQueue("s", { requiresSession: true });
    await broker.createTopic("t");
    await broker.createSubscription("t", "s");
    await broker.createQueue("q");
    await fill(broker, "q");
    const session = await broker.acceptSession("s", { sessionId: "a" });
    expect(await codeOf(session.setState(new Uint8Array(1_000_000)))).toBe("quota-exceeded");
    await session.setState(undefined);
    const createMany = async (): Promise<void> => {
      for (let i = 0; i < 1_000; i++)
        await broker.createRule("t", "s", { name: `r${i}`, filter: { type: "false" } });
    };
    expect(await codeOf(createMany())).toBe("quota-exceeded");
    expect(broker.listRules("t", "s").length).toBeLessThan(500);
  });

  it("is below the memory of the process by default", () => {
    const { heapBytes, totalBytes } = memoryLimits();
    expect(heapBytes).toBeGreaterThan(100 * mib);
    expect(totalBytes).toBeGreaterThan(100 * mib);
    expect(() => createBroker({ maxMemoryInBytes: 0 })).toThrow(
      "maxMemoryInBytes must be a positive integer",
    );
  });
});
