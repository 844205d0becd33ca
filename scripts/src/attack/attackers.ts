import { getPriority, setPriority } from "node:os";
import { connect } from "node:tls";
import { pause } from "../run/waiting.js";
import { Attacker } from "./attacker.js";
import type { FloodContext } from "./flood.js";
import { FLOODS } from "./floods.js";

// The attackers, in a separate process of low priority. Its parent names a flood and its duration.
// Arguments: port of AMQP, port of TLS.

/** What attackers sent and received. */
export interface Report {
  readonly connections: number;
  /** Frames that the server sent them. */
  readonly answers: number;
}

const [port = 0, tlsPort = 0] = process.argv.slice(2).map(Number);
setPriority(Math.min(19, getPriority() + 10));

process.on("message", ({ name, ms }: { readonly name: string; readonly ms: number }) => {
  const endsAt = performance.now() + ms;
  void attack(name, () => performance.now() >= endsAt).then((report) => process.send?.(report));
});
process.on("disconnect", () => process.exit());

async function attack(name: string, isOver: () => boolean): Promise<Report> {
  const flood = FLOODS.find((one) => one.name === name);
  if (flood === undefined) throw new Error(`There is no flood '${name}'`);
  const attackers: Attacker[] = [];
  let handshakes = 0;
  const add = (attacker: Attacker): Attacker => {
    attackers.push(attacker);
    return attacker;
  };
  const context: FloodContext = {
    open: async (key) => add(await Attacker.open(port, key)),
    async again(key, act) {
      while (!isOver()) {
        const attacker = await context.open(key);
        await act(attacker, () => !attacker.isOver && !isOver());
        attacker.close();
      }
    },
    openSilent: (to = "amqp") => add(Attacker.openSilent(to === "amqp" ? port : tlsPort)),
    shakeHands() {
      handshakes++;
      return shakeHands();
    },
    isOver,
  };
  const { attackers: count = 3 } = flood;
  await Promise.race([Promise.all(Array.from({ length: count }, () => flood.run(context))), waitFor(isOver)]);
  const answers = attackers.reduce((sum, attacker) => sum + attacker.answers, 0);
  for (const attacker of attackers) attacker.close();
  return { connections: attackers.length + handshakes, answers };
}

function shakeHands(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: tlsPort, host: "127.0.0.1", rejectUnauthorized: false });
    socket.on("secureConnect", () => socket.destroy());
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
}

async function waitFor(isOver: () => boolean): Promise<void> {
  while (!isOver()) await pause(20);
  await pause(500);
}
