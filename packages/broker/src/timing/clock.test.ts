import { describe, expect, it } from "vitest";
import { createBroker } from "../client/broker.js";
import { message, textsOf } from "../fixture.test-support.js";
import { createManualClock, createSystemClock } from "./clock.js";

describe("createManualClock", () => {
  it("does not move until it is advanced", () => {
    const clock = createManualClock(new Date(1000));
    expect(clock.now()).toBe(1000);
    clock.advance(500);
    expect(clock.now()).toBe(1500);
    clock.advanceTo(new Date(2000));
    expect(clock.now()).toBe(2000);
  });

  it("refuses to go back", () => {
    const clock = createManualClock();
    expect(() => clock.advance(-1)).toThrow(TypeError);
    expect(() => clock.advance(Number.NaN)).toThrow(TypeError);
    expect(() => clock.advanceTo(new Date(0))).toThrow(TypeError);
    expect(() => createManualClock(new Date(Number.NaN))).toThrow(TypeError);
  });

  it("fires the timers of all its brokers in order, each at its time", async () => {
    const clock = createManualClock(new Date(0));
    await using one = createBroker({ clock });
    await using two = createBroker({ clock });
    const seen: string[] = [];
    for (const [name, broker] of Object.entries({ one, two })) {
      await broker.createQueue("q");
      broker.onEvent((event) => {
        if (event.type === "activated") seen.push(`${name} ${event.at.getTime()} ${clock.now()}`);
      });
    }
    const at = (ms: number) => [message("x", { scheduledEnqueueTime: new Date(ms) })];
    await two.sender("q").schedule([...at(100), ...at(300)]);
    await one.sender("q").schedule(at(200));
    clock.advance(1000);
    expect(seen).toEqual(["two 100 100", "one 200 200", "two 300 300"]);
  });
});

describe("createSystemClock", () => {
  it("drives a broker in real time", async () => {
    const clock = createSystemClock();
    await using broker = createBroker({ clock });
    await broker.createQueue("q");
    await broker
      .sender("q")
      .schedule([message("soon", { scheduledEnqueueTime: new Date(clock.now() + 20) })]);
    expect(textsOf(await broker.receiver("q").receive(1, { maxWaitMs: 5000 }))).toEqual(["soon"]);
  });

  it("leaves no timer of a closed broker", async () => {
    const timersBefore = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const broker = createBroker();
    await broker.createQueue("q");
    const refused = expect(broker.receiver("q").receive(1, { maxWaitMs: 60_000 })).rejects.toThrow("closed");
    await broker.close();
    await refused;
    expect(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout")).toHaveLength(timersBefore);
  });
});
