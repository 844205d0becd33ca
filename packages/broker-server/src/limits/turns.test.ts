import { setImmediate as nextLoop } from "node:timers/promises";
import { expect, it } from "vitest";
import { Turns, type TurnTaker, Usage } from "./turns.js";

/** Records its turn, and later, after the turn's promise callbacks, its response. */
function taker(name: string, seen: string[], usedMs: number): TurnTaker {
  const usage = new Usage();
  usage.add(performance.now(), usedMs);
  const answer = async () => {
    for (let i = 0; i < 5; i++) await undefined;
    seen.push(`${name} is answered`);
  };
  return {
    usage,
    proceed() {
      seen.push(name);
      void answer();
      return false;
    },
  };
}

it("serves the client with less usage first, and sends its response before the next turn", async () => {
  const seen: string[] = [];
  const turns = new Turns();
  turns.enter(taker("busy", seen, 100));
  turns.enter(taker("modest", seen, 1));
  while (seen.length < 4) await nextLoop();
  expect(seen).toEqual(["modest", "modest is answered", "busy", "busy is answered"]);
});
