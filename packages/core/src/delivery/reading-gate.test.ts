import { describe, expect, it } from "vitest";
import type { Scheduler } from "../foundation/scheduler.js";
import { ReadingGate, type ReadingKind } from "./reading-gate.js";

/** A gate whose readings end on request, and a log of the readings that began. */
function create() {
  const gate = new ReadingGate();
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const timers = new Set<() => void>();
  const scheduler: Scheduler = {
    now: () => 0,
    schedule(_, run) {
      timers.add(run);
      return { cancel: () => void timers.delete(run), unref: () => {} };
    },
  };
  const read = (name: string, kind: ReadingKind = "among-others") =>
    gate.run(kind, scheduler, () => {
      began.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    for (let turn = 0; turn < 5; turn++) await undefined;
  };
  const passTime = async () => {
    for (const run of [...timers]) run();
    for (let turn = 0; turn < 5; turn++) await undefined;
  };
  return { gate, scheduler, began, read, end, passTime };
}

describe("a gate for readings", () => {
  it("does not delay synchronous readings", () => {
    const { gate, scheduler } = create();
    expect(gate.run("among-others", scheduler, () => 1)).toBe(1);
    expect(() =>
      gate.run("alone", scheduler, () => {
        throw new Error("lost");
      }),
    ).toThrow("lost");
    expect(gate.run("alone", scheduler, () => 3)).toBe(3);
  });

  it("lets readings run concurrently", () => {
    const { began, read } = create();
    void read("a");
    void read("b");
    expect(began).toEqual(["a", "b"]);
  });

  it("begins an exclusive reading after the others have finished, and delays later ones", async () => {
    const { began, read, end } = create();
    void read("a");
    void read("b", "alone");
    void read("c");
    void read("d", "alone");
    void read("e");
    expect(began).toEqual(["a"]);
    for (const [name, next] of [
      ["a", ["a", "b"]],
      ["b", ["a", "b", "c"]],
      ["c", ["a", "b", "c", "d"]],
      ["d", ["a", "b", "c", "d", "e"]],
    ] as const) {
      await end(name);
      expect(began).toEqual(next);
    }
  });

  it("releases a reading that fails like any other", async () => {
    const { gate, scheduler, began, read } = create();
    const failing = gate.run("alone", scheduler, () => Promise.reject(new Error("lost")));
    void read("a");
    await expect(failing).rejects.toThrow("lost");
    for (let turn = 0; turn < 5; turn++) await undefined;
    expect(began).toEqual(["a"]);
  });

  it("delays no reading by more than five seconds, because readings may be nested", async () => {
    const { began, read, end, passTime } = create();
    void read("outer", "alone");
    void read("inner");
    void read("next", "alone");
    await passTime();
    expect(began).toEqual(["outer", "inner", "next"]);
    for (const name of began) await end(name);
    void read("after", "alone");
    expect(began.at(-1)).toBe("after");
  });
});
