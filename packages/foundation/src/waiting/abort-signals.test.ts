import { describe, expect, it } from "vitest";
import { onAbort, untilAborted } from "./abort-signals.js";
import { pause } from "./pause.js";
import { systemScheduler } from "./scheduler.js";

/** A signal that counts its listeners. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  return { controller, signal, listeners: () => listeners };
}

describe("onAbort", () => {
  it("calls the listener once when the signal aborts, immediately if it has aborted, and never without a signal", () => {
    const controller = new AbortController();
    let calls = 0;
    onAbort(controller.signal, () => calls++);
    expect(calls).toBe(0);
    controller.abort();
    onAbort(controller.signal, () => calls++);
    onAbort(undefined, () => calls++);
    expect(calls).toBe(2);
  });

  it("leaves no listener on a signal that outlives the work", () => {
    const { controller, signal, listeners } = countedSignal();
    let calls = 0;
    onAbort(signal, () => calls++)();
    controller.abort();
    expect([calls, listeners()]).toEqual([0, 0]);
  });
});

describe("untilAborted", () => {
  it("ends with the work, and removes its listener", async () => {
    const { signal, listeners } = countedSignal();
    const toError = () => new Error("given up");
    await expect(untilAborted(Promise.resolve(1), signal, toError)).resolves.toBe(1);
    await expect(untilAborted(Promise.reject(new Error("no")), signal, toError)).rejects.toThrow("no");
    await Promise.resolve();
    expect(listeners()).toBe(0);
  });

  it("rejects when the signal aborts first", async () => {
    const never = new Promise(() => {});
    const controller = new AbortController();
    const ended = untilAborted(never, controller.signal, () => new Error("given up"));
    controller.abort();
    await expect(ended).rejects.toThrow("given up");
    await expect(untilAborted(never, controller.signal, () => new Error("before"))).rejects.toThrow("before");
  });
});

describe("pause", () => {
  it("ends when the signal aborts, or if it has aborted", async () => {
    const controller = new AbortController();
    const paused = pause(1e9, systemScheduler, controller.signal);
    controller.abort();
    await paused;
    await pause(1e9, systemScheduler, controller.signal);
  });

  it("ends after its time, and removes its listener", async () => {
    const { signal, listeners } = countedSignal();
    await pause(0, systemScheduler, signal);
    await pause(0, systemScheduler, undefined);
    expect(listeners()).toBe(0);
  });
});
