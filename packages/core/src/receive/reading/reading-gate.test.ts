import { afterwards, type Scheduler } from "@waybill/foundation";
import { describe, expect, it } from "vitest";
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
    void afterwards(gate.enter(kind, scheduler), (entered) => {
      began.push(name);
      ends.set(name, () => gate.leave(entered));
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
  it("does not delay readings one after the other", () => {
    const { gate, scheduler } = create();
    for (const kind of ["among-others", "alone", "alone"] as const) {
      expect(gate.enter(kind, scheduler)).toBe(kind);
      gate.leave(kind);
    }
  });

  it("lets readings run concurrently", () => {
    const { began, read } = create();
    read("a");
    read("b");
    expect(began).toEqual(["a", "b"]);
  });

  it("begins an exclusive reading after the others have finished, and delays later ones", async () => {
    const { began, read, end } = create();
    read("a");
    read("b", "alone");
    read("c");
    read("d", "alone");
    read("e");
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

  it("delays no reading by more than five seconds, because readings may be nested", async () => {
    const { began, read, end, passTime } = create();
    read("outer", "alone");
    read("inner");
    read("next", "alone");
    await passTime();
    expect(began).toEqual(["outer", "inner", "next"]);
    for (const name of began) await end(name);
    read("after", "alone");
    expect(began.at(-1)).toBe("after");
  });
});
