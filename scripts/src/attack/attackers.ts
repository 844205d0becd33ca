import { setPriority } from "node:os";
import { Attacker, pause } from "./attacker.js";
import { FLOODS } from "./floods.js";

// The attackers, in a process of their own that gives way to the others on this machine. Its parent names a flood and how long it lasts.
// Argument: port.

const port = Number(process.argv[2]);
setPriority(10);

process.on("message", ({ name, ms }: { readonly name: string; readonly ms: number }) => {
  const endsAt = performance.now() + ms;
  void attack(name, () => performance.now() >= endsAt).then((connections) => process.send?.(connections));
});
process.on("disconnect", () => process.exit());

/** Runs a flood; returns how many connections it opened. */
async function attack(name: string, isOver: () => boolean): Promise<number> {
  const flood = FLOODS.find((one) => one.name === name);
  if (flood === undefined) throw new Error(`There is no flood '${name}'`);
  const attackers: Attacker[] = [];
  const context = {
    async open(key?: Parameters<typeof Attacker.open>[1]) {
      const attacker = await Attacker.open(port, key);
      attackers.push(attacker);
      return attacker;
    },
    openSilent() {
      const attacker = Attacker.openSilent(port);
      attackers.push(attacker);
      return attacker;
    },
    isOver,
  };
  const { attackers: count = 3 } = flood;
  await Promise.race([Promise.all(Array.from({ length: count }, () => flood.run(context))), waitFor(isOver)]);
  for (const attacker of attackers) attacker.close();
  return attackers.length;
}

async function waitFor(isOver: () => boolean): Promise<void> {
  while (!isOver()) await pause(20);
  await pause(500);
}
