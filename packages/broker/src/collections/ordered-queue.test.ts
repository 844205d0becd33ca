import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OrderedQueue } from "./ordered-queue.js";

describe("OrderedQueue", () => {
  it("returns items in sorted order, for any order of insertion", () => {
    const command = fc.oneof(fc.nat(1000), fc.constant("shift" as const));
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
        const queue = new OrderedQueue<number>((key) => key);
        const model: number[] = [];
        for (const step of commands) {
          if (step === "shift") {
            expect(queue.shift()).toBe(model.shift());
          } else {
            queue.push(step);
            model.push(step);
            model.sort((a, b) => a - b);
          }
          expect(queue.peek()).toBe(model[0]);
        }
      }),
    );
  });
});
