import { describe, expect, it } from "vitest";
import { onAbort } from "./abort-signals.js";
import { LazyAbortController } from "./lazy-abort-controller.js";

describe("a lazy abort controller", () => {
  it("aborts the signal that was asked for before, once", () => {
    const controller = new LazyAbortController();
    const { signal } = controller;
    let calls = 0;
    onAbort(signal, () => calls++);
    expect([controller.isAborted, signal.aborted]).toEqual([false, false]);
    controller.abort();
    controller.abort();
    expect([controller.isAborted, signal.aborted, calls]).toEqual([true, true, 1]);
    expect(controller.signal).toBe(signal);
  });

  it("has an aborted signal for those who ask after it was aborted", () => {
    const controller = new LazyAbortController();
    controller.abort();
    expect([controller.isAborted, controller.signal.aborted]).toEqual([true, true]);
    expect(controller.signal).toBe(controller.signal);
  });
});
