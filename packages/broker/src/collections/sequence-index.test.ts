import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredMessage } from "../messages/stored-message.js";
import { ReadyQueue } from "./ready-queue.js";
import { SequenceIndex } from "./sequence-index.js";

/** The parts of a message that the collections use. */
function stub(sequence: number): StoredMessage {
  return { sequence, arrival: sequence, state: "active" } as StoredMessage;
}

describe("SequenceIndex", () => {
  it("behaves like a sorted list for any additions and removals", () => {
    const sequences = fc.uniqueArray(fc.nat(5000), { minLength: 1, maxLength: 900 });
    fc.assert(
      fc.property(
        sequences,
        fc.array(fc.nat(), { maxLength: 700 }),
        fc.boolean(),
        (added, removals, isAppending) => {
          const index = new SequenceIndex();
          const order = isAppending ? [...added].sort((a, b) => a - b) : added;
          const live = new Map(order.map((sequence) => [sequence, stub(sequence)]));
          for (const message of live.values()) index.add(message);
          for (const at of removals) {
            const sequence = order[at % order.length]!;
            const message = live.get(sequence);
            if (message !== undefined) index.remove(message);
            live.delete(sequence);
          }
          const left = [...live.keys()].sort((a, b) => a - b);
          expect(index.size).toBe(left.length);
          expect(Array.from(index.from(0), (message) => message.sequence)).toEqual(left);
          for (const from of [0, 1, 2500, 5001]) {
            const rest = left.filter((sequence) => sequence >= from);
            expect(Array.from(index.from(from), (message) => message.sequence)).toEqual(rest);
          }
          for (const sequence of order) expect(index.find(sequence)).toBe(live.get(sequence));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("takes a number below the last message that is left of a full block", () => {
    const index = new SequenceIndex();
    const messages = Array.from({ length: 128 }, (_, i) => stub(1_000 + i));
    for (const message of messages) index.add(message);
    for (const message of messages.slice(0, -1)) index.remove(message);
    index.add(stub(5));
    expect(Array.from(index.from(0), ({ sequence }) => sequence)).toEqual([5, 1_127]);
  });

  it("ignores the removal of a message it does not have", () => {
    const index = new SequenceIndex();
    index.remove(stub(1));
    index.add(stub(1));
    index.remove(stub(1));
    expect(index.size).toBe(1);
  });
});

describe("ReadyQueue", () => {
  it("returns the oldest message first, also messages that are added again, and skips removed ones", () => {
    const command = fc.oneof(
      { weight: 4, arbitrary: fc.constant("add" as const) },
      { weight: 3, arbitrary: fc.constant("shift" as const) },
      { weight: 2, arbitrary: fc.constant("return" as const) },
      { weight: 3, arbitrary: fc.constant("forget" as const) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 400 }), fc.infiniteStream(fc.nat()), (commands, picks) => {
        const queue = new ReadyQueue();
        const ready: StoredMessage[] = [];
        const taken: StoredMessage[] = [];
        let next = 1;
        for (const step of commands) {
          const pick = picks.next().value as number;
          if (step === "add") {
            const message = stub(next++);
            queue.add(message);
            ready.push(message);
          } else if (step === "shift") {
            const expected = ready.shift();
            expect(queue.shift()).toBe(expected);
            if (expected !== undefined) taken.push(expected);
          } else if (step === "return" && taken.length > 0) {
            const [message] = taken.splice(pick % taken.length, 1);
            queue.add(message!);
            ready.push(message!);
            ready.sort((a, b) => a.sequence - b.sequence);
          } else if (step === "forget" && ready.length > 0) {
            const [message] = ready.splice(pick % ready.length, 1);
            message!.state = "gone";
            queue.forget();
          }
          expect(queue.size).toBe(ready.length);
          expect(queue.peek()).toBe(ready[0]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("returns the others in order after most were removed", () => {
    const queue = new ReadyQueue();
    const messages = Array.from({ length: 300 }, (_, i) => stub(i + 1));
    // The last ten and the first one are added in order, the others between them.
    for (const message of [messages[0]!, ...messages.slice(290), ...messages.slice(1, 290)])
      queue.add(message);
    const left = messages.filter(({ sequence }) => sequence % 5 === 0);
    for (const message of messages) {
      if (left.includes(message)) continue;
      queue.forget();
      message.state = "gone";
    }
    expect(queue.size).toBe(60);
    expect(Array.from(left, () => queue.shift())).toEqual(left);
    expect(queue.shift()).toBeUndefined();
  });
});
