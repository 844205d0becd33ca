import { setImmediate as nextLoop } from "node:timers/promises";
import { expect, it } from "vitest";
import { Turns, type TurnTaker, Usage } from "./turns.js";

/** Notes its turn, and a little later, when what the turn resolved is done, its answer. */
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

it("serves the client first that used less, and its response before the next turn", async () => {
  const seen: string[] = [];
  const turns = new Turns();
  turns.enter(taker("busy", seen, 100));
  turns.enter(taker("modest", seen, 1));
  while (seen.length < 4) await nextLoop();
  expect(seen).toEqual(["modest", "modest is answered", "busy", "busy is answered"]);
});
